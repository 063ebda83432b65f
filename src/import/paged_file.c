/* SPDX-License-Identifier: Apache-2.0 */
#include "import/paged_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER_BYTES 100

/* Offsets in the header: section 1.3 of the format. */
enum {
    PAGE_SIZE = 16,
    WRITE_VERSION = 18,
    READ_VERSION = 19,
    RESERVED = 20,
    FRACTIONS = 21,
    CHANGE_COUNTER = 24,
    N_PAGES = 28,
    SCHEMA_FORMAT = 44,
    ENCODING = 56,
    VALID_FOR = 92
};

static bool read_all(int fd, uint8_t *to, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t n = pread(fd, to, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

/* ---- The header ---- */

static const char *check_sizes(struct paged_file *file, const uint8_t *header)
{
    uint32_t size = paged_u16(header + PAGE_SIZE);
    file->page_bytes = size == 1 ? 65536 : size;
    if (file->page_bytes < 512 || (file->page_bytes & (file->page_bytes - 1)) != 0)
        return "its page size is not one of SQLite's";
    file->usable_bytes = file->page_bytes - header[RESERVED];
    if (file->usable_bytes < 480)
        return "its pages have too little room";
    file->n_pages = paged_u32(header + N_PAGES);
    if (memcmp(header + CHANGE_COUNTER, header + VALID_FOR, 4) != 0 || file->n_pages == 0)
        return "its header does not tell how many pages it has";
    if (file->n_pages > (uint64_t)file->stat.st_size / file->page_bytes)
        return "it is shorter than its header tells";
    return NULL;
}

static const char *check_header(struct paged_file *file, const uint8_t *header)
{
    static const char magic[16] = "SQLite format 3";
    static const uint8_t fractions[] = {64, 32, 32};
    if (memcmp(header, magic, sizeof(magic)) != 0 || header[READ_VERSION] > 2 ||
        header[WRITE_VERSION] > 2 || paged_u32(header + SCHEMA_FORMAT) > 4 ||
        paged_u32(header + SCHEMA_FORMAT) == 0 ||
        memcmp(header + FRACTIONS, fractions, sizeof(fractions)) != 0)
        return "its header is not that of format 3 of SQLite";
    if (paged_u32(header + ENCODING) != 1)
        return "its texts are not in UTF-8";
    memcpy(file->counters, header + CHANGE_COUNTER, sizeof(file->counters));
    return check_sizes(file, header);
}

/* ---- Opening ---- */

bool paged_file_has_sibling(const char *path, const char *ending)
{
    char *name = NULL;
    bool is_there = asprintf(&name, "%s%s", path, ending) >= 0 && access(name, F_OK) == 0;
    free(name);
    return is_there;
}

static const char *check_file(struct paged_file *file, const char *path)
{
    uint8_t header[HEADER_BYTES];
    if (fstat(file->fd, &file->stat) != 0 || !S_ISREG(file->stat.st_mode))
        return "it is no regular file";
    if (paged_file_has_sibling(path, "-wal") || paged_file_has_sibling(path, "-journal"))
        return "a journal lies beside it";
    if (!read_all(file->fd, header, sizeof(header), 0))
        return "its header cannot be read";
    return check_header(file, header);
}

const char *paged_file_open(struct paged_file *file, const char *path)
{
    memset(file, 0, sizeof(*file));
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0)
        return "it cannot be opened";
    const char *why = check_file(file, path);
    if (why != NULL)
        paged_file_close(file);
    return why;
}

void paged_file_close(struct paged_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    file->fd = -1;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool paged_file_is_unchanged(const struct paged_file *file, const char *path)
{
    struct stat named, opened;
    uint8_t counters[sizeof(file->counters)];
    return stat(path, &named) == 0 && fstat(file->fd, &opened) == 0 &&
           is_same_file(&named, &file->stat) && is_same_file(&opened, &file->stat) &&
           !paged_file_has_sibling(path, "-wal") &&
           read_all(file->fd, counters, sizeof(counters), CHANGE_COUNTER) &&
           memcmp(counters, file->counters, sizeof(counters)) == 0;
}

/* ---- Pages ---- */

bool paged_file_read_bytes(const struct paged_file *file, uint64_t offset, uint8_t *to, size_t size)
{
    return read_all(file->fd, to, size, offset);
}

bool paged_file_read(const struct paged_file *file, uint32_t first, uint32_t n, uint8_t *to,
                     struct paged_fault *fault)
{
    if (read_all(file->fd, to, (size_t)n * file->page_bytes, paged_offset(file, first)))
        return true;
    *fault = (struct paged_fault){"page that cannot be read", paged_offset(file, first)};
    return false;
}
