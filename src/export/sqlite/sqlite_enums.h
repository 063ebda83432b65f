/* SPDX-License-Identifier: Apache-2.0 */
/* The enumeration tables of the schema: numbers, symbols and labels as consumers of the schema
 * expect them, to the letter. */
#ifndef RF_EXPORT_SQLITE_SQLITE_ENUMS_H
#define RF_EXPORT_SQLITE_SQLITE_ENUMS_H

#include <stddef.h>
#include <stdint.h>

struct rf_enum_row {
    int64_t id;
    const char *symbol; /* without the prefix of its table; NULL in the last row */
    const char *label;
};

struct rf_enum_table {
    const char *name;   /* NULL in the last one */
    const char *prefix; /* of every symbol */
    const struct rf_enum_row *rows;
};

/* In the order in which the tables are made. */
extern const struct rf_enum_table rf_enum_tables[];

#endif
