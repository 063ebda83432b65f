/* SPDX-License-Identifier: Apache-2.0 */
#include "import/paged_record.h"

#include <endian.h>
#include <string.h>

/* Serial types: what a value is and how many bytes it has. */
enum { SERIAL_NULL = 0, SERIAL_REAL = 7, SERIAL_BLOB = 12 };

static const uint8_t fixed_size[SERIAL_BLOB] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};

/* What there is to know of the types below SERIAL_BLOB; 10 and 11 are refused before. The bits of a
 * number that are not its own are shifted out; those of NULL, 0 and 1 are none. */
static const struct number_type {
    uint8_t type, shift, is_stored, plus;
} number_type[SERIAL_BLOB] = {
    {SQLITE_NULL, 0, 0, 0},     {SQLITE_INTEGER, 56, 1, 0}, {SQLITE_INTEGER, 48, 1, 0},
    {SQLITE_INTEGER, 40, 1, 0}, {SQLITE_INTEGER, 32, 1, 0}, {SQLITE_INTEGER, 16, 1, 0},
    {SQLITE_INTEGER, 0, 1, 0},  {SQLITE_FLOAT, 0, 1, 0},    {SQLITE_INTEGER, 0, 0, 0},
    {SQLITE_INTEGER, 0, 0, 1},
};

/* Without a branch by type: from row to row they differ. The bytes are in big-endian order; 8 of
 * them can be read, whatever their number. */
static inline void put_number(const uint8_t *at, uint64_t serial, struct nsys_value *to)
{
    const struct number_type number = number_type[serial];
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    to->type = number.type;
    to->integer =
        ((int64_t)be64toh(word) >> number.shift & -(int64_t)number.is_stored) + number.plus;
    if (serial == SERIAL_REAL) {
        const int64_t bits = to->integer;
        memcpy(&to->real, &bits, sizeof(bits));
        if (to->real != to->real)
            to->type = SQLITE_NULL; /* SQLite has no NaN */
    }
}

static inline void put_value(const uint8_t *at, uint64_t serial, uint64_t size,
                             struct nsys_value *to)
{
    if (serial < SERIAL_BLOB) {
        put_number(at, serial, to);
    } else {
        to->type = (serial & 1) != 0 ? SQLITE_TEXT : SQLITE_BLOB;
        to->text = (const char *)at;
        to->size = (uint32_t)size;
    }
}

/* What else than the value itself is asked for. */
static void change_value(const struct paged_row *row, enum paged_how how, struct nsys_value *to)
{
    if (how == PAGE_REAL && to->type == SQLITE_INTEGER) {
        to->type = SQLITE_FLOAT;
        to->real = (double)to->integer;
    } else if (how == PAGE_ID) {
        to->type = SQLITE_INTEGER;
        to->integer = row->id;
    } else if (how != PAGE_REAL) {
        to->integer = how == PAGE_ID_TEST || to->type != SQLITE_NULL;
        to->type = SQLITE_INTEGER;
    }
}

static inline void put(const struct paged_row *row, const struct paged_use *use, const uint8_t *at,
                       uint64_t serial, uint64_t size, struct nsys_value *cell)
{
    struct nsys_value *to = &cell[use->cell];
    put_value(at, serial, size, to);
    if (use->how != PAGE_VALUE)
        change_value(row, use->how, to);
}

/* This is much of the work of an import. */
const char *paged_record_read(const struct paged_row *row, const struct paged_use *use,
                              uint32_t n_columns, struct nsys_value *cell)
{
    const uint8_t *const end = row->bytes + row->size;
    uint64_t header_size, serial;
    const uint8_t *type = paged_varint(row->bytes, end, &header_size);
    if (type == NULL || header_size > row->size || row->bytes + header_size < type)
        return "row whose header is longer than the row";
    const uint8_t *const types_end = row->bytes + header_size;
    if (type == types_end)
        return "row without a value"; /* to SQLite it is malformed */
    const uint8_t *at = types_end;
    for (uint32_t column = 0; type < types_end; column++) {
        serial = *type++;
        if (serial >= 0x80 && (type = paged_varint(type - 1, types_end, &serial)) == NULL)
            return "row whose header ends within a number";
        const uint64_t size =
            serial < SERIAL_BLOB ? fixed_size[serial] : (serial - SERIAL_BLOB) / 2;
        if (size > (uint64_t)(end - at) || serial - 10 < 2 || column == n_columns)
            return "row whose values are not those of its table";
        for (; use->column == column; use++)
            put(row, use, at, serial, size, cell);
        at += size;
    }
    if (at != end)
        return "row that is longer than its values";
    for (; use->column != PAGE_NO_COLUMN; use++)
        put(row, use, at, SERIAL_NULL, 0, cell);
    return NULL;
}
