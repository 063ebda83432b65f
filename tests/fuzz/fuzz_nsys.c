/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a SQLite database, with the magic put in front where it is not: as an export of
 * nsys, whole and salvaged. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[16] = "SQLite format 3";
    static int fd = -1;
    char path[64];
    if (fd < 0)
        fd = memfd_create("fuzz_nsys", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size ||
        pwrite(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic))
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    fuzz_open(path);
    return 0;
}
