/* SPDX-License-Identifier: Apache-2.0 */
/* The enumeration tables of the schema that concern programs, CUDA, sampling, OpenACC and OpenMP.
 */
#ifndef RF_EXPORT_SQLITE_SQLITE_ENUMS_H
#define RF_EXPORT_SQLITE_SQLITE_ENUMS_H

#include <stddef.h>
#include <stdint.h>

struct rf_enum_row {
    int64_t id;
    const char *name;
    const char *label;
};

struct rf_enum_table {
    const char *name; /* NULL in the last one */
    const struct rf_enum_row *rows;
    size_t n_rows;
};

extern const struct rf_enum_table rf_enum_tables[];

#endif
