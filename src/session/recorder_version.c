/* SPDX-License-Identifier: Apache-2.0 */
#include "session/recorder_version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/product_mark.h"

/* data: the file of a recorder. "" where it does not say its version. */
static void find_version(const char *data, size_t size, char *version, size_t room)
{
    static const char mark[] = RF_PRODUCT_MARK;
    const char *found = memmem(data, size, mark, sizeof(mark) - 1);
    version[0] = '\0';
    if (found == NULL)
        return;
    found += sizeof(mark) - 1;
    size_t left = size - (size_t)(found - data);
    (void)snprintf(version, room, "%.*s", (int)strnlen(found, left < room ? left : room), found);
}

int rf_recorder_version(const char *path, char *version, size_t room, struct rf_err *err)
{
    struct stat st = {.st_size = 0};
    void *data = MAP_FAILED;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
        data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int code = errno;
    if (fd >= 0)
        (void)close(fd);
    if (data == MAP_FAILED)
        return rf_fail(err, RF_ERR_IO, "cannot read '%s': %s", path,
                       fd >= 0 && st.st_size == 0 ? "the file is empty" : strerror(code));
    find_version(data, (size_t)st.st_size, version, room);
    (void)munmap(data, (size_t)st.st_size);
    return RF_OK;
}
