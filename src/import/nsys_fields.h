/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the columns that model/fields/fields.h describes into the structs of the model. */
#ifndef RF_IMPORT_NSYS_FIELDS_H
#define RF_IMPORT_NSYS_FIELDS_H

#include "import/nsys_load.h"
#include "model/fields/fields.h"

/* How the number in a column becomes a field. Columns with the same rule stand side by side, so
 * that a row is read without a decision per value. */
enum nsys_store {
    NSYS_STRING,
    NSYS_OR_NONE, /* the low 32 bits; RF_NO_INDEX for NULL */
    NSYS_U32,     /* 0 where it does not fit */
    NSYS_LOW_32,  /* the low 32 bits: it can be negative */
    NSYS_U64,
    NSYS_U8,
    NSYS_N_STORES
};

#define NSYS_MAX_COLUMNS 48
#define NSYS_COLUMN_SIZE 40

struct nsys_fields {
    int n_columns;
    const char *columns[NSYS_MAX_COLUMNS + 1]; /* by hand first, then by store; NULL ends them */
    int first[NSYS_N_STORES + 1];      /* the columns of a store: [first[s], first[s + 1]) */
    uint16_t offset[NSYS_MAX_COLUMNS]; /* where the values go */
    char name[NSYS_MAX_COLUMNS][NSYS_COLUMN_SIZE];
};

/* What is read of a table. */
struct nsys_wanted {
    const struct rf_fields *fields;
    unsigned kind;
    const char *const *by_hand;   /* the columns that the caller reads come first; NULL ends them */
    uint16_t part_at[RF_N_PARTS]; /* where the parts of a row lie in what is filled */
    bool no_details;              /* only names and what the row itself has */
};

void nsys_fields_init(struct nsys_fields *fields, const struct nsys_wanted *wanted);

/* Fills the structs at `to` from a row. Returns 0 or a negative error. */
int nsys_fields_read(struct nsys_load *load, struct nsys_row *restrict row,
                     const struct nsys_fields *restrict fields, void *restrict to);

/* The low 32 bits of a number; RF_NO_INDEX where there is none. */
static inline uint32_t nsys_row_or_none(struct nsys_row *row, int column)
{
    int64_t value;
    return nsys_row_int(row, column, &value) ? (uint32_t)value : RF_NO_INDEX;
}

/* The low 32 bits of a number; 0 where there is none. */
static inline uint32_t nsys_row_low_32(struct nsys_row *row, int column)
{
    int64_t value;
    (void)nsys_row_int(row, column, &value);
    return (uint32_t)value;
}

#endif
