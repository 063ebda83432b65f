/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a SQLite database, whose pages are read without SQLite's library. The format is that
 * of https://www.sqlite.org/fileformat2.html. Only plain files are taken: what is unusual is left
 * to the library. Nothing in the file is trusted. */
#ifndef RF_IMPORT_PAGED_FILE_H
#define RF_IMPORT_PAGED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define PAGE_SLACK 8 /* bytes that may be read behind a buffer of pages */

struct paged_file {
    int fd;
    uint32_t page_bytes;
    uint32_t usable_bytes; /* of a page; what is behind them is reserved for extensions */
    uint32_t n_pages;      /* page 1 is the first */
    struct stat stat;      /* when it was opened */
    uint8_t counters[12];  /* of changes, and how many pages there were */
};

/* Why a page cannot be taken. */
struct paged_fault {
    const char *what; /* text that lives for ever; NULL: nothing is wrong */
    uint64_t offset;  /* in the file */
};

/* Opens a file. Returns NULL, or why its pages are not read: text that lives for ever; nothing is
 * open then. A second descriptor of a file gives up the locks of the first where it is closed: this
 * one is to be closed after SQLite's. */
const char *paged_file_open(struct paged_file *file, const char *path);
void paged_file_close(struct paged_file *file);

/* Whether a file of this name with this ending is there. */
bool paged_file_has_sibling(const char *path, const char *ending);

/* Whether it is still what was opened, and that which path names. */
bool paged_file_is_unchanged(const struct paged_file *file, const char *path);

/* Reads n pages into a buffer. Returns false and the fault if they are not all there. */
bool paged_file_read(const struct paged_file *file, uint32_t first, uint32_t n, uint8_t *to,
                     struct paged_fault *fault);

/* Reads bytes. Returns false if they are not all there. */
bool paged_file_read_bytes(const struct paged_file *file, uint64_t offset, uint8_t *to,
                           size_t size);

static inline uint64_t paged_offset(const struct paged_file *file, uint32_t page)
{
    return (uint64_t)(page - 1) * file->page_bytes;
}

/* Whether a number is that of a page that a table can use: not the first, and not the one on which
 * SQLite locks. */
static inline bool paged_is_possible(const struct paged_file *file, uint32_t page)
{
    return page > 1 && page <= file->n_pages && page != (UINT32_C(1) << 30) / file->page_bytes + 1;
}

static inline uint32_t paged_u16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static inline uint32_t paged_u32(const uint8_t *bytes)
{
    return paged_u16(bytes) << 16 | paged_u16(bytes + 2);
}

#endif
