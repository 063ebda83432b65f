/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a harness over files, and over the files of folders: no fuzzer is needed for it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static int n_inputs;

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, n;
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    do {
        data = realloc(data, size + 65536);
        if (data == NULL)
            abort();
        n = fread(data + size, 1, 65536, f);
        size += n;
    } while (n > 0);
    (void)fclose(f);
    /* exactly as long as the input, so that a sanitizer sees a read behind it */
    data = realloc(data, size > 0 ? size : 1);
    if (data == NULL)
        abort();
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    n_inputs++;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        struct dirent *entry;
        char path[4096];
        if (folder == NULL)
            replay_file(argv[i]);
        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            (void)snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
            if (entry->d_name[0] != '.')
                replay_file(path);
        }
        if (folder != NULL)
            (void)closedir(folder);
    }
    printf("%d inputs\n", n_inputs);
    return n_inputs > 0 ? 0 : 1;
}
