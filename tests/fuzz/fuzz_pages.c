/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a SQLite database, with the magic put in front where it is not. Each of its first
 * pages is walked as the root of a table, without SQLite; then it is opened by its pages and by
 * SQLite's library: where both can read it, they say the same. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/paged_record.h"
#include "same.h"

#define N_COLUMNS 12
#define MAX_ROOT  24

static volatile uint64_t sink; /* what was read, so that it is read */

static void look_at(const struct nsys_value *cell)
{
    for (int i = 0; i < N_COLUMNS; i++) {
        if (cell[i].type == SQLITE_TEXT || cell[i].type == SQLITE_BLOB)
            for (uint32_t k = 0; k < cell[i].size; k++)
                sink += (uint8_t)cell[i].text[k];
        else if (cell[i].type != SQLITE_NULL)
            sink += (uint64_t)cell[i].integer;
    }
}

/* Some of the leaves. The columns are read in each way. */
static void walk_leaves(struct paged_tree *tree, size_t first, size_t end)
{
    struct paged_use use[N_COLUMNS + 1];
    struct nsys_value cell[N_COLUMNS];
    struct paged_cursor cursor;
    struct paged_row row;
    memset(cell, 0, sizeof(cell));
    for (uint16_t i = 0; i < N_COLUMNS; i++)
        use[i] = (struct paged_use){i, i, (uint8_t)(i % (PAGE_ID_TEST + 1))};
    use[N_COLUMNS] = (struct paged_use){.column = PAGE_NO_COLUMN};
    if (paged_cursor_init(&cursor, tree, first, end) == RF_OK)
        while (paged_cursor_next(&cursor, &row) > 0)
            if (paged_record_read(&row, use, N_COLUMNS, cell) == NULL)
                look_at(cell);
    paged_cursor_release(&cursor);
}

static void walk(const char *path)
{
    struct paged_file file;
    if (paged_file_open(&file, path) != NULL)
        return;
    for (uint32_t root = 1; root <= file.n_pages && root <= MAX_ROOT; root++) {
        struct paged_tree tree;
        struct paged_fault fault;
        if (paged_tree_init(&tree, &file, root, &fault) == RF_OK) {
            walk_leaves(&tree, 0, tree.n_leaves / 2);
            walk_leaves(&tree, tree.n_leaves / 2, tree.n_leaves);
        }
        paged_tree_release(&tree);
    }
    paged_file_close(&file);
}

static void compare(const char *path)
{
    struct rf_err err;
    rf_recording *pages, *library, *either;
    const int by_pages = rf_open(path, RF_OPEN_PAGES, &pages, &err);
    const int by_library = rf_open(path, RF_OPEN_LIBRARY, &library, &err);
    const int by_either = rf_open(path, 0, &either, &err);
    const char *what = by_library != RF_OK && by_pages == RF_OK ? "only the pages can be read"
                       : by_library != by_either                ? "the status"
                       : by_library != RF_OK                    ? NULL
                                             : rf_test_difference(library, either);
    if (what == NULL && by_pages == RF_OK)
        what = rf_test_difference(library, pages);
    if (what != NULL) {
        fprintf(stderr, "the readers differ: %s\n", what);
        abort();
    }
    rf_close(pages);
    rf_close(library);
    rf_close(either);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[16] = "SQLite format 3";
    uint8_t *bytes = malloc(size + sizeof(magic));
    size_t n = size > sizeof(magic) ? size : sizeof(magic);
    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    memcpy(bytes, magic, sizeof(magic));
    fuzz_write(fuzz_path(), bytes, n);
    free(bytes);
    walk(fuzz_path());
    compare(fuzz_path());
    return 0;
}
