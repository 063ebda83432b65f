/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_BYTES ((uint32_t)256 << 10)
#define PADDING      8  /* behind every buffer: numbers are loaded as eight bytes */
#define MAX_DEPTH    20 /* SQLite's own limit */
#define MIN_USABLE   480
#define MAX_HEADER   98307      /* of a record: the longest that SQLite makes */
#define MAX_ROW      1000000000 /* the same */
#define MUCH_SCRATCH (1 << 20)  /* bytes; more than that grows by what is needed */

enum page_type { INTERIOR = 5, LEAF = 13 };

static uint32_t load16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t load32(const uint8_t *at)
{
    return load16(at) << 16 | load16(at + 2);
}

static uint64_t load64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/* A number of one to nine bytes; 0: it does not end before end. */
static size_t load_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < 9 && at + i < end; i++) {
        if (i == 8) {
            *value = *value << 8 | at[i];
            return 9;
        }
        *value = *value << 7 | (at[i] & 0x7f);
        if (at[i] < 0x80)
            return i + 1;
    }
    return 0;
}

/* ---- Opening ---- */

static int read_at(struct nsys_pages *pages, void *to, uint32_t size, uint64_t offset)
{
    sqlite3_file *file = pages->file;
    return file->pMethods->xRead(file, to, (int)size, (sqlite3_int64)offset) == SQLITE_OK
               ? NSYS_PAGES_OK
               : NSYS_PAGES_IO;
}

/* "The Database Header". */
static int read_header(struct nsys_pages *pages)
{
    static const uint8_t fractions[3] = {64, 32, 32};
    uint8_t header[100];
    sqlite3_int64 size = 0;
    sqlite3_file *file = pages->file;
    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK ||
        size < (sqlite3_int64)sizeof(header) ||
        read_at(pages, header, sizeof(header), 0) != NSYS_PAGES_OK)
        return 0;
    pages->page_size = load16(header + 16) == 1 ? 65536 : load16(header + 16);
    if (pages->page_size < 512 || (pages->page_size & (pages->page_size - 1)) != 0)
        return 0;
    pages->usable_size = pages->page_size - header[20];
    uint64_t n_pages = (uint64_t)size / pages->page_size;
    pages->n_pages = n_pages < UINT32_MAX ? (uint32_t)n_pages : UINT32_MAX - 1;
    pages->overflow_left = 2 * (uint64_t)size + ((uint64_t)32 << 20);
    return pages->usable_size >= MIN_USABLE && memcmp(header + 21, fractions, 3) == 0 &&
           load32(header + 56) == 1; /* UTF-8 */
}

int nsys_pages_init(struct nsys_pages *pages, sqlite3 *db)
{
    *pages = (struct nsys_pages){.file = NULL};
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &pages->file) != SQLITE_OK ||
        pages->file == NULL || pages->file->pMethods == NULL || !read_header(pages))
        return 0;
    uint32_t size = pages->page_size > WINDOW_BYTES ? pages->page_size : WINDOW_BYTES;
    pages->window = calloc(1, size + PADDING);
    return pages->window != NULL;
}

void nsys_pages_release(struct nsys_pages *pages)
{
    free(pages->window);
    free(pages->scratch);
    pages->window = pages->scratch = NULL;
}

/* ---- Pages ---- */

/* Brings a page into the window. Where pages are asked for in a row, more and more of those behind
 * them come with it. */
static int load_page(struct nsys_pages *pages, uint32_t page, const uint8_t **bytes)
{
    if (page == 0 || page > pages->n_pages)
        return NSYS_PAGES_DAMAGED;
    pages->page = page;
    if (pages->n_visited++ >= pages->n_pages)
        return NSYS_PAGES_TOO_MUCH;
    if (page < pages->first || page - pages->first >= pages->n_window) {
        uint32_t most = WINDOW_BYTES / pages->page_size, left = pages->n_pages - page + 1;
        int is_next = pages->n_window > 0 && page == pages->first + pages->n_window;
        uint32_t n = is_next ? 2 * pages->n_ahead : 1;
        n = n > most ? most : n;
        n = n > left ? left : n;
        pages->n_window = 0;
        int status = read_at(pages, pages->window, n * pages->page_size,
                             (uint64_t)(page - 1) * pages->page_size);
        if (status != NSYS_PAGES_OK)
            return status;
        pages->first = page;
        pages->n_window = pages->n_ahead = n;
    }
    *bytes = pages->window + (size_t)(page - pages->first) * pages->page_size;
    return NSYS_PAGES_OK;
}

/* ---- Rows ---- */

struct pass {
    struct nsys_pages *pages;
    const struct nsys_pages_pass *what;
};

/* A row as a page has it. */
struct cell {
    const uint8_t *bytes;
    uint64_t size;     /* of the whole row */
    uint32_t n_local;  /* bytes of it that lie here */
    uint32_t overflow; /* the page where it goes on; 0: nowhere */
};

/* "Record Format": the size of a value by its type. */
static uint64_t size_of_type(uint64_t type)
{
    static const uint8_t sizes[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < 12 ? sizes[type] : (type - 12) / 2;
}

/* What a number of each type amounts to: the eight bytes from it on, shifted and masked, or one
 * that the type alone says. */
static const struct {
    uint8_t type, shift;
    int64_t mask, constant;
} numbers[12] = {
    {SQLITE_NULL, 0, 0, 0},      {SQLITE_INTEGER, 56, -1, 0}, {SQLITE_INTEGER, 48, -1, 0},
    {SQLITE_INTEGER, 40, -1, 0}, {SQLITE_INTEGER, 32, -1, 0}, {SQLITE_INTEGER, 16, -1, 0},
    {SQLITE_INTEGER, 0, -1, 0},  {SQLITE_FLOAT, 0, -1, 0},    {SQLITE_INTEGER, 0, 0, 0},
    {SQLITE_INTEGER, 0, 0, 1},   {SQLITE_NULL, 0, 0, 0},      {SQLITE_NULL, 0, 0, 0}};

/* The type changes from row to row: a branch for each would be mispredicted often. */
static void set_value(struct nsys_value *value, uint64_t type, const uint8_t *at, uint64_t size)
{
    static const uint8_t nothing[8];
    if (type < 12) {
        /* what takes no bytes can stand behind those of a long row that were fetched */
        int64_t bits = (int64_t)load64(size > 0 ? at : nothing) >> numbers[type].shift;
        value->type = numbers[type].type;
        value->integer = (bits & numbers[type].mask) | numbers[type].constant;
        if (type != 7)
            return;
        memcpy(&value->real, &bits, sizeof(value->real));
        if (isnan(value->real))
            value->type = SQLITE_NULL;
        return;
    }
    value->type = (type & 1) != 0 ? SQLITE_TEXT : SQLITE_BLOB;
    value->size = (uint32_t)size;
    value->text = size > 0 ? (const char *)at : "";
}

static void set_test(struct nsys_value *value, int is_there)
{
    value->type = SQLITE_INTEGER;
    value->integer = is_there;
}

/* A record may have fewer values than the table has columns: those at the end are NULL then. */
static void set_missing(const struct nsys_pages_pass *what, const struct nsys_field *field)
{
    for (; field < what->field + what->n_fields; field++) {
        what->value[field->to].type = SQLITE_NULL;
        if (field->is_test)
            set_test(&what->value[field->to], 0);
    }
}

/* A walk over the header of a record. */
struct header {
    const uint8_t *at, *end;
    uint64_t body; /* where the next value begins */
    uint64_t left; /* bytes of values from there on */
};

static int begin_header(struct header *header, const uint8_t *record, uint64_t n_bytes,
                        uint64_t size)
{
    uint64_t header_size;
    size_t n = load_varint(record, record + n_bytes, &header_size);
    if (n == 0 || header_size < n || header_size > n_bytes)
        return NSYS_PAGES_DAMAGED;
    *header = (struct header){record + n, record + header_size, header_size, size - header_size};
    return NSYS_PAGES_OK;
}

/* Goes on by one value; 0: what is said of it cannot be. */
static inline int next_type(struct header *header, uint64_t *type, uint64_t *size)
{
    size_t n = 1;
    *type = header->at[0];
    if (*type >= 0x80 && (n = load_varint(header->at, header->end, type)) == 0)
        return 0;
    *size = size_of_type(*type);
    if (*size > header->left)
        return 0;
    header->at += n;
    header->left -= *size;
    header->body += *size;
    return 1;
}

/* Takes the values of a record apart. size: of the whole, of which n_bytes are at hand. */
static int read_values(const struct nsys_pages_pass *what, const uint8_t *record, uint64_t n_bytes,
                       uint64_t size)
{
    const struct nsys_field *field = what->field, *end = field + what->n_fields;
    struct header header;
    uint64_t type, value_size;
    if (begin_header(&header, record, n_bytes, size) != NSYS_PAGES_OK)
        return NSYS_PAGES_DAMAGED;
    for (uint32_t column = 0; field < end && header.at < header.end; column++) {
        if (!next_type(&header, &type, &value_size))
            return NSYS_PAGES_DAMAGED;
        if (column != field->from)
            continue;
        if (field->is_test)
            set_test(&what->value[field->to], type != 0);
        else
            set_value(&what->value[field->to], type, record + header.body - value_size, value_size);
        field++;
    }
    set_missing(what, field);
    return NSYS_PAGES_OK;
}

/* How many bytes of a record, of which the header is at hand, the wanted values take. */
static int count_needed(const struct nsys_pages_pass *what, const uint8_t *record,
                        uint64_t header_size, uint64_t size, uint64_t *needed)
{
    const struct nsys_field *field = what->field, *end = field + what->n_fields;
    struct header header;
    uint64_t type, value_size;
    *needed = header_size;
    if (begin_header(&header, record, header_size, size) != NSYS_PAGES_OK)
        return NSYS_PAGES_DAMAGED;
    for (uint32_t column = 0; field < end && header.at < header.end; column++) {
        if (!next_type(&header, &type, &value_size))
            return NSYS_PAGES_DAMAGED;
        if (column != field->from)
            continue;
        if (!field->is_test && value_size > 0)
            *needed = header.body;
        field++;
    }
    return NSYS_PAGES_OK;
}

static int reserve_scratch(struct nsys_pages *pages, uint64_t size)
{
    uint64_t room = size + (size < MUCH_SCRATCH ? size / 2 : 0) + PADDING;
    if (size + PADDING <= pages->scratch_room)
        return NSYS_PAGES_OK;
    uint8_t *more = realloc(pages->scratch, room);
    if (more == NULL)
        return NSYS_PAGES_NO_MEMORY;
    pages->scratch = more;
    pages->scratch_room = room;
    return NSYS_PAGES_OK;
}

/* "Cell Payload Overflow Pages": puts the first size bytes of a row together. */
static int gather(struct nsys_pages *pages, const struct cell *cell, uint64_t size)
{
    uint8_t next[4];
    uint64_t done = cell->n_local < size ? cell->n_local : size;
    uint32_t page = cell->overflow;
    if (size > pages->overflow_left || size > MAX_ROW)
        return NSYS_PAGES_TOO_MUCH;
    pages->overflow_left -= size;
    int status = reserve_scratch(pages, size);
    if (status == NSYS_PAGES_OK)
        memcpy(pages->scratch, cell->bytes, done);
    while (status == NSYS_PAGES_OK && done < size) {
        uint64_t left = size - done, room = pages->usable_size - sizeof(next);
        uint64_t offset = (uint64_t)(page - 1) * pages->page_size;
        if (page == 0 || page > pages->n_pages)
            return NSYS_PAGES_DAMAGED;
        status = read_at(pages, next, sizeof(next), offset);
        if (status == NSYS_PAGES_OK)
            status = read_at(pages, pages->scratch + done, (uint32_t)(left < room ? left : room),
                             offset + sizeof(next));
        done += left < room ? left : room;
        page = load32(next);
    }
    return status;
}

static int read_long_row(const struct pass *pass, const struct cell *cell)
{
    uint64_t header_size, needed;
    struct nsys_pages *pages = pass->pages;
    if (load_varint(cell->bytes, cell->bytes + cell->n_local, &header_size) == 0 ||
        header_size > cell->size || header_size > MAX_HEADER)
        return NSYS_PAGES_DAMAGED;
    int status = gather(pages, cell, header_size);
    if (status == NSYS_PAGES_OK)
        status = count_needed(pass->what, pages->scratch, header_size, cell->size, &needed);
    if (status == NSYS_PAGES_OK)
        status = gather(pages, cell, needed);
    return status == NSYS_PAGES_OK ? read_values(pass->what, pages->scratch, needed, cell->size)
                                   : status;
}

static int read_cell(const struct pass *pass, const uint8_t *page, uint32_t at)
{
    const struct nsys_pages *pages = pass->pages;
    const uint8_t *bytes = page + at, *end = page + pages->usable_size;
    struct cell cell = {.overflow = 0};
    uint64_t row_id;
    size_t n = load_varint(bytes, end, &cell.size);
    size_t n_id = n > 0 ? load_varint(bytes + n, end, &row_id) : 0;
    if (n_id == 0)
        return NSYS_PAGES_DAMAGED;
    cell.bytes = bytes + n + n_id;
    uint32_t most = pages->usable_size - 35, least = (pages->usable_size - 12) * 32 / 255 - 23;
    if (cell.size <= most) {
        if (cell.size > (uint64_t)(end - cell.bytes))
            return NSYS_PAGES_DAMAGED;
        return read_values(pass->what, cell.bytes, cell.size, cell.size);
    }
    if (cell.size > (uint64_t)pages->n_pages * pages->page_size)
        return NSYS_PAGES_DAMAGED;
    uint64_t local = least + (cell.size - least) % (pages->usable_size - 4);
    cell.n_local = local <= most ? (uint32_t)local : least;
    if (cell.n_local + sizeof(uint32_t) > (uint64_t)(end - cell.bytes))
        return NSYS_PAGES_DAMAGED;
    cell.overflow = load32(cell.bytes + cell.n_local);
    return read_long_row(pass, &cell);
}

/* ---- The tree ---- */

/* "B-tree Pages": where the cells of a page are; NULL: the page is not what it should be. */
static const uint8_t *cells_of(const struct nsys_pages *pages, const uint8_t *page, uint32_t *n)
{
    uint32_t header_size = page[0] == LEAF ? 8 : 12;
    *n = load16(page + 3);
    if ((page[0] != LEAF && page[0] != INTERIOR) || *n * 2 > pages->usable_size - header_size)
        return NULL;
    return page + header_size;
}

static int walk_leaf(const struct pass *pass, const uint8_t *page)
{
    uint32_t n;
    const uint8_t *cells = cells_of(pass->pages, page, &n);
    int status = cells != NULL ? NSYS_PAGES_OK : NSYS_PAGES_DAMAGED;
    for (uint32_t i = 0; i < n && status == NSYS_PAGES_OK; i++) {
        uint32_t at = load16(cells + i * 2);
        if (at >= pass->pages->usable_size)
            return NSYS_PAGES_DAMAGED;
        status = read_cell(pass, page, at);
        if (status == NSYS_PAGES_OK && pass->what->take(pass->what->context) != 0)
            status = NSYS_PAGES_STOPPED;
    }
    return status;
}

static int walk(const struct pass *pass, uint32_t number, int depth);

/* page: a copy, since the window goes on. */
static int walk_interior(const struct pass *pass, const uint8_t *page, int depth)
{
    uint32_t n, usable_size = pass->pages->usable_size;
    const uint8_t *cells = cells_of(pass->pages, page, &n);
    int status = cells != NULL && depth < MAX_DEPTH ? NSYS_PAGES_OK : NSYS_PAGES_DAMAGED;
    for (uint32_t i = 0; i < n && status == NSYS_PAGES_OK; i++) {
        uint32_t at = load16(cells + i * 2);
        status =
            at + 4 <= usable_size ? walk(pass, load32(page + at), depth + 1) : NSYS_PAGES_DAMAGED;
    }
    return status == NSYS_PAGES_OK ? walk(pass, load32(page + 8), depth + 1) : status;
}

static int walk(const struct pass *pass, uint32_t number, int depth)
{
    const uint8_t *page;
    int status = load_page(pass->pages, number, &page);
    if (status != NSYS_PAGES_OK || page[0] == LEAF)
        return status == NSYS_PAGES_OK ? walk_leaf(pass, page) : status;
    if (page[0] != INTERIOR)
        return NSYS_PAGES_DAMAGED;
    uint8_t *copy = malloc(pass->pages->page_size);
    if (copy == NULL)
        return NSYS_PAGES_NO_MEMORY;
    memcpy(copy, page, pass->pages->page_size);
    status = walk_interior(pass, copy, depth);
    free(copy);
    return status;
}

int nsys_pages_read(struct nsys_pages *pages, const struct nsys_pages_pass *what)
{
    const uint8_t *page;
    struct pass pass = {pages, what};
    pages->n_visited = 0;
    if (what->root < 2 || load_page(pages, what->root, &page) != NSYS_PAGES_OK ||
        (page[0] != LEAF && page[0] != INTERIOR))
        return NSYS_PAGES_OTHER;
    pages->n_visited = 0;
    return walk(&pass, what->root, 0);
}
