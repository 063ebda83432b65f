/* SPDX-License-Identifier: Apache-2.0 */
#include "import/paged_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

#define MAX_DEPTH    20                   /* SQLite's limit */
#define WINDOW_BYTES ((size_t)128 << 10)  /* that are read at once */
#define MAX_LONG     ((uint64_t)16 << 20) /* bytes of a row; longer ones are left to the library */

enum { N_CELLS = 3, RIGHT_CHILD = 8, LEAF_CELLS = 8, INTERIOR_CELLS = 12 }; /* in a page */

static int fail(struct paged_fault *fault, const struct paged_file *file, uint32_t page,
                const char *what)
{
    *fault = (struct paged_fault){what, page > 0 ? paged_offset(file, page) : 0};
    return RF_ERR_DAMAGED;
}

/* Takes a page for a tree. Returns NULL, or why not. */
static const char *use_page(struct paged_tree *tree, uint32_t page)
{
    if (!paged_is_possible(tree->file, page))
        return "number of a page that does not exist";
    uint64_t bit = UINT64_C(1) << (page & 63);
    /* nothing is passed from thread to thread by it */
    uint64_t old = __atomic_fetch_or(&tree->is_used[page >> 6], bit, __ATOMIC_RELAXED);
    return (old & bit) == 0 ? NULL : "page that is part of a table twice";
}

/* ---- The leaves ---- */

/* How many cells a page has; header: the bytes before their places. 0: none, or more than fit. */
static uint32_t count_cells(const struct paged_file *file, const uint8_t *page, uint32_t header)
{
    uint32_t n = paged_u16(page + N_CELLS);
    return n <= (file->page_bytes - 8) / 6 && header + 2 * n <= file->usable_bytes ? n : 0;
}

/* Where cell i of a page begins; 0: not in it. */
static inline uint32_t cell_at(const struct paged_file *file, const uint8_t *page, uint32_t header,
                               uint32_t n_cells, uint32_t i)
{
    uint32_t at = paged_u16(page + header + 2 * i);
    return at >= header + 2 * n_cells && at <= file->usable_bytes - 4 ? at : 0;
}

static int add_leaf(struct paged_tree *tree, uint32_t page)
{
    if (rf_grow_array(&tree->leaf, tree->n_leaves, &tree->room, sizeof(*tree->leaf)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    tree->leaf[tree->n_leaves++] = page;
    return RF_OK;
}

/* An interior page on the way down. */
struct level {
    uint32_t number, next, n_cells;
};

struct descent {
    struct paged_tree *tree;
    struct paged_fault *fault;
    struct level level[MAX_DEPTH];
    uint8_t *page; /* of each level */
    int depth;     /* of the interior pages; all leaves are below them */
};

static uint8_t *page_of(const struct descent *down, int level)
{
    return down->page + (size_t)level * down->tree->file->page_bytes;
}

static int enter(struct descent *down, int level, uint32_t number)
{
    const struct paged_file *file = down->tree->file;
    uint8_t *page = page_of(down, level);
    const char *why = use_page(down->tree, number);
    if (why != NULL)
        return fail(down->fault, file, 0, why);
    if (!paged_file_read(file, number, 1, page, down->fault))
        return RF_ERR_DAMAGED;
    uint32_t n = page[0] == PAGE_INTERIOR ? count_cells(file, page, INTERIOR_CELLS) : 0;
    if (n == 0)
        return fail(down->fault, file, number, "page that is no interior page of a table");
    down->level[level] = (struct level){number, 0, n};
    return RF_OK;
}

/* The number of the next child; the last one stands apart. */
static int next_child(struct descent *down, int level, uint32_t *child)
{
    const struct paged_file *file = down->tree->file;
    struct level *of = &down->level[level];
    const uint8_t *page = page_of(down, level);
    uint64_t key;
    if (of->next == of->n_cells) {
        *child = paged_u32(page + RIGHT_CHILD);
    } else {
        uint32_t at = cell_at(file, page, INTERIOR_CELLS, of->n_cells, of->next);
        if (at == 0 || paged_varint(page + at + 4, page + file->usable_bytes, &key) == NULL)
            return fail(down->fault, file, of->number, "cell that is not within its page");
        *child = paged_u32(page + at);
    }
    of->next++;
    return RF_OK;
}

/* How many interior pages are above a leaf: leaves are at one depth. */
static int find_depth(struct descent *down, uint32_t root)
{
    const struct paged_file *file = down->tree->file;
    uint32_t number = root;
    for (down->depth = 0; down->depth < MAX_DEPTH; down->depth++) {
        uint8_t *page = page_of(down, down->depth);
        if (!paged_is_possible(file, number))
            return fail(down->fault, file, 0, "number of a page that does not exist");
        if (!paged_file_read(file, number, 1, page, down->fault))
            return RF_ERR_DAMAGED;
        if (page[0] == PAGE_LEAF)
            return RF_OK;
        uint32_t n = page[0] == PAGE_INTERIOR ? count_cells(file, page, INTERIOR_CELLS) : 0;
        down->level[down->depth] = (struct level){number, 0, n};
        if (n == 0)
            return fail(down->fault, file, number, "page that is no page of a table");
        if (next_child(down, down->depth, &number) != RF_OK)
            return RF_ERR_DAMAGED;
    }
    return fail(down->fault, file, root, "tree that is too deep");
}

static int list_leaves(struct descent *down, uint32_t root)
{
    int level = 0;
    int status = enter(down, 0, root);
    while (status == RF_OK && level >= 0) {
        uint32_t child;
        if (down->level[level].next > down->level[level].n_cells) {
            level--;
            continue;
        }
        status = next_child(down, level, &child);
        if (status == RF_OK && level + 1 < down->depth) {
            status = enter(down, ++level, child);
        } else if (status == RF_OK) {
            const char *why = use_page(down->tree, child);
            status = why == NULL
                         ? add_leaf(down->tree, child)
                         : fail(down->fault, down->tree->file, down->level[level].number, why);
        }
    }
    return status;
}

int paged_tree_init(struct paged_tree *tree, const struct paged_file *file, uint32_t root,
                    struct paged_fault *fault)
{
    *tree = (struct paged_tree){.file = file};
    struct descent down = {.tree = tree, .fault = fault};
    tree->is_used = calloc((size_t)file->n_pages / 64 + 1, sizeof(*tree->is_used));
    down.page = malloc((size_t)MAX_DEPTH * file->page_bytes + PAGE_SLACK);
    int status =
        tree->is_used != NULL && down.page != NULL ? find_depth(&down, root) : RF_ERR_NO_MEMORY;
    if (status == RF_OK && down.depth > 0)
        status = list_leaves(&down, root);
    else if (status == RF_OK && use_page(tree, root) == NULL) /* nothing is used yet */
        status = add_leaf(tree, root);
    free(down.page);
    return status;
}

void paged_tree_release(struct paged_tree *tree)
{
    free(tree->leaf);
    free(tree->is_used);
    *tree = (struct paged_tree){.leaf = NULL};
}

/* ---- Pages of a cursor ---- */

int paged_cursor_init(struct paged_cursor *cursor, struct paged_tree *tree, size_t first,
                      size_t end)
{
    const size_t page_bytes = tree->file->page_bytes;
    *cursor = (struct paged_cursor){.tree = tree, .at = first, .end = end};
    cursor->window_room = (uint32_t)(WINDOW_BYTES / page_bytes);
    cursor->window = malloc(cursor->window_room * page_bytes + PAGE_SLACK);
    return cursor->window != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

void paged_cursor_release(struct paged_cursor *cursor)
{
    free(cursor->window);
    free(cursor->long_row);
    *cursor = (struct paged_cursor){.window = NULL};
}

/* The pages from a leaf to the last of those after it that lie behind it and within the window. */
static uint32_t pages_from(const struct paged_cursor *cursor)
{
    const uint32_t *leaf = cursor->tree->leaf;
    const uint32_t first = leaf[cursor->at];
    uint32_t last = first;
    for (size_t i = cursor->at + 1; i < cursor->end && leaf[i] > last; i++) {
        if (leaf[i] - first >= cursor->window_room)
            break;
        last = leaf[i];
    }
    return last - first + 1;
}

/* Makes the next leaf the one that is read. */
static int next_leaf(struct paged_cursor *cursor)
{
    const struct paged_file *file = cursor->tree->file;
    const uint32_t number = cursor->tree->leaf[cursor->at];
    if (number - cursor->window_first >= cursor->window_pages) { /* also where it is before it */
        cursor->window_first = number;
        cursor->window_pages = 0;
        uint32_t n = pages_from(cursor);
        if (!paged_file_read(file, number, n, cursor->window, &cursor->fault))
            return RF_ERR_DAMAGED;
        cursor->window_pages = n;
    }
    cursor->page = cursor->window + (size_t)(number - cursor->window_first) * file->page_bytes;
    cursor->number = number;
    cursor->cell = 0;
    cursor->n_cells =
        cursor->page[0] == PAGE_LEAF ? count_cells(file, cursor->page, LEAF_CELLS) : 0;
    cursor->at++;
    if (cursor->n_cells > 0)
        return RF_OK;
    /* only a table without rows has a leaf without rows */
    if (cursor->page[0] == PAGE_LEAF && cursor->tree->n_leaves == 1 &&
        paged_u16(cursor->page + N_CELLS) == 0)
        return RF_OK;
    return fail(&cursor->fault, file, number, "page that is no leaf of a table");
}

/* ---- Rows that go on in other pages ---- */

static int make_room(struct paged_cursor *cursor, size_t size)
{
    if (cursor->long_room >= size + PAGE_SLACK)
        return RF_OK;
    free(cursor->long_row);
    cursor->long_room = size + size / 4 + 4096;
    cursor->long_row = malloc(cursor->long_room);
    if (cursor->long_row == NULL)
        cursor->long_room = 0;
    return cursor->long_row != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

/* Reads the rest of a row, from the page with this number on. Each page is taken but once, so that
 * a chain ends. */
static int read_rest(struct paged_cursor *cursor, size_t at, size_t size, uint32_t number)
{
    const struct paged_file *file = cursor->tree->file;
    const size_t room = file->usable_bytes - 4;
    uint8_t next[4];
    while (at < size) {
        const char *why = use_page(cursor->tree, number);
        if (why != NULL)
            return fail(&cursor->fault, file, cursor->number, why);
        size_t n = size - at < room ? size - at : room;
        const uint64_t offset = paged_offset(file, number);
        if (!paged_file_read_bytes(file, offset, next, sizeof(next)) ||
            !paged_file_read_bytes(file, offset + 4, cursor->long_row + at, n))
            return fail(&cursor->fault, file, number, "page that cannot be read");
        number = paged_u32(next);
        at += n;
    }
    return number == 0
               ? RF_OK
               : fail(&cursor->fault, file, cursor->number, "row that is longer than it says");
}

/* How much of a row of `size` bytes stands in its leaf: section 1.6. */
static size_t local_size(const struct paged_file *file, size_t size)
{
    const size_t usable = file->usable_bytes, most = usable - 35;
    const size_t least = (usable - 12) * 32 / 255 - 23;
    if (size <= most)
        return size;
    const size_t wanted = least + (size - least) % (usable - 4);
    return wanted <= most ? wanted : least;
}

static int read_long(struct paged_cursor *cursor, const uint8_t *local, size_t n_local, size_t size,
                     struct paged_row *row)
{
    if (make_room(cursor, size) != RF_OK)
        return RF_ERR_NO_MEMORY;
    memcpy(cursor->long_row, local, n_local);
    int status = read_rest(cursor, n_local, size, paged_u32(local + n_local));
    row->bytes = cursor->long_row;
    row->size = size;
    return status == RF_OK ? 1 : status;
}

/* ---- Rows ---- */

const struct paged_fault *paged_cursor_fault(struct paged_cursor *cursor, const char *what)
{
    (void)fail(&cursor->fault, cursor->tree->file, cursor->number, what);
    return &cursor->fault;
}

static int fail_cell(struct paged_cursor *cursor)
{
    return fail(&cursor->fault, cursor->tree->file, cursor->number,
                "row that is not within its page");
}

int paged_cursor_next(struct paged_cursor *cursor, struct paged_row *row)
{
    const struct paged_file *file = cursor->tree->file;
    uint64_t size, id;
    while (cursor->cell == cursor->n_cells) {
        if (cursor->at == cursor->end)
            return 0;
        int status = next_leaf(cursor);
        if (status != RF_OK)
            return status;
    }
    const uint8_t *end = cursor->page + file->usable_bytes;
    uint32_t place = cell_at(file, cursor->page, LEAF_CELLS, cursor->n_cells, cursor->cell++);
    const uint8_t *at = place > 0 ? paged_varint(cursor->page + place, end, &size) : NULL;
    at = at != NULL ? paged_varint(at, end, &id) : NULL;
    if (at == NULL)
        return fail_cell(cursor);
    row->id = (int64_t)id;
    if (size > MAX_LONG)
        return fail(&cursor->fault, file, cursor->number, "row of more than 16 MiB");
    size_t n_local = local_size(file, size);
    if ((size_t)(end - at) < n_local + (n_local < size ? 4 : 0))
        return fail_cell(cursor);
    if (n_local < size)
        return read_long(cursor, at, n_local, size, row);
    row->bytes = at;
    row->size = size;
    return 1;
}
