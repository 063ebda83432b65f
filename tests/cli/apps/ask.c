/* SPDX-License-Identifier: Apache-2.0 */
/* ask FOLDER REQUEST: sends a line to the one session of a folder and prints what comes back. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Fills in the path of the first socket of a folder. */
static int find(struct sockaddr_un *address, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int is_found = 0;
    while (dir != NULL && !is_found && (entry = readdir(dir)) != NULL) {
        int n =
            snprintf(address->sun_path, sizeof(address->sun_path), "%s/%s", folder, entry->d_name);
        is_found = strstr(entry->d_name, ".sock") != NULL && n < (int)sizeof(address->sun_path);
    }
    if (dir != NULL)
        (void)closedir(dir);
    return is_found;
}

int main(int argc, char **argv)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char text[4096];
    ssize_t n;
    if (argc != 3 || !find(&address, argv[1])) {
        printf("there is no socket\n");
        return 1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        printf("cannot connect: %s\n", strerror(errno));
        return 1;
    }
    /* the answer may be there before the request: nobody has to read that */
    n = snprintf(text, sizeof(text), "%s\n", argv[2]);
    (void)!send(fd, text, (size_t)n, MSG_NOSIGNAL);
    while ((n = read(fd, text, sizeof(text))) > 0)
        (void)fwrite(text, 1, (size_t)n, stdout);
    return 0;
}
