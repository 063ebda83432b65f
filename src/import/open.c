/* SPDX-License-Identifier: Apache-2.0 */
/* rf_open(): which reader a file is for. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "import/nsys_load.h"

/* The first bytes say what a file is. What cannot be opened is left to the reader of recordings,
 * which says why. */
static int is_sqlite(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    char bytes[sizeof(magic)];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = fd >= 0 ? read(fd, bytes, sizeof(bytes)) : -1;
    if (fd >= 0)
        (void)close(fd);
    return size == (ssize_t)sizeof(bytes) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

/* A report has no magic that is documented; its name says what it is. */
static int is_report(const char *path)
{
    static const char suffix[] = ".nsys-rep";
    size_t size = strlen(path), n = sizeof(suffix) - 1;
    return size > n && strcmp(path + size - n, suffix) == 0 && access(path, R_OK) == 0;
}

int rf_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err)
{
    if (is_sqlite(path))
        return rf_nsys_open(path, flags, out, err);
    if (is_report(path))
        return rf_nsys_report_open(path, flags, out, err);
    return rf_recording_open(path, flags, out, err);
}
