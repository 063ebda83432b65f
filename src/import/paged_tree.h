/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a table: the leaves of its b-tree, in order (sections 1.6 and 2 of the format). What
 * is not as SQLite writes it is a fault, also where SQLite would pass over it: whoever reads the
 * rows starts again with SQLite's library then. */
#ifndef RF_IMPORT_PAGED_TREE_H
#define RF_IMPORT_PAGED_TREE_H

#include "import/paged_file.h"

enum { PAGE_INTERIOR = 5, PAGE_LEAF = 13 }; /* kinds of pages of tables */

struct paged_tree {
    const struct paged_file *file;
    uint32_t *leaf; /* the numbers of their pages */
    size_t n_leaves, room;
    uint64_t *is_used; /* a bit per page: none is part of a tree twice. Set by several threads */
};

/* Finds the leaves of the table whose tree has this root. Returns 0, RF_ERR_NO_MEMORY, or
 * RF_ERR_DAMAGED and the fault. To be released in any case. */
int paged_tree_init(struct paged_tree *tree, const struct paged_file *file, uint32_t root,
                    struct paged_fault *fault);
void paged_tree_release(struct paged_tree *tree);

/* A row as it is stored. PAGE_SLACK bytes behind it may be read. */
struct paged_row {
    int64_t id;
    const uint8_t *bytes; /* they live until the next row is asked for */
    size_t size;
};

/* Reads some of the leaves. Several cursors may read one tree at a time, of other leaves each. */
struct paged_cursor {
    struct paged_tree *tree;
    size_t at, end;  /* leaves */
    uint8_t *window; /* pages, from window_first */
    uint32_t window_first, window_pages, window_room;
    const uint8_t *page; /* the leaf that is being read */
    uint32_t number;     /* of its page */
    uint32_t cell, n_cells;
    uint8_t *long_row; /* of one that goes on in other pages */
    size_t long_room;
    struct paged_fault fault;
};

/* Begins to read the leaves from first to before end. Returns 0 or RF_ERR_NO_MEMORY. To be released
 * in any case. */
int paged_cursor_init(struct paged_cursor *cursor, struct paged_tree *tree, size_t first,
                      size_t end);
void paged_cursor_release(struct paged_cursor *cursor);

/* The next row: 1; 0: there is no other; RF_ERR_NO_MEMORY; or RF_ERR_DAMAGED, cursor->fault. */
int paged_cursor_next(struct paged_cursor *cursor, struct paged_row *row);

/* What is wrong with the row that was read last. */
const struct paged_fault *paged_cursor_fault(struct paged_cursor *cursor, const char *what);

/* Reads a number of 1 to 9 bytes that ends before `end`. Returns what follows it; NULL: it does not
 * end. */
static inline const uint8_t *paged_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    uint64_t sum = 0;
    for (int i = 0; i < 8 && at < end; i++) {
        sum = sum << 7 | (*at & 0x7f);
        if ((*at++ & 0x80) == 0) {
            *value = sum;
            return at;
        }
    }
    if (at >= end)
        return NULL;
    *value = sum << 8 | *at;
    return at + 1;
}

#endif
