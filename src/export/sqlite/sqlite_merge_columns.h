/* SPDX-License-Identifier: Apache-2.0 */
/* What the columns of an input's tables hold beside the other inputs' rows. */
#ifndef RF_EXPORT_SQLITE_SQLITE_MERGE_COLUMNS_H
#define RF_EXPORT_SQLITE_SQLITE_MERGE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What is added to the ids and times of an input. Beside it stands the table temp.used(name, n):
 * what is added to the rows of each table. */
struct rf_merge_offsets {
    int64_t machine;
    int64_t correlation;
    int64_t device;
    int64_t shift_ns;
    int64_t range;  /* numbers of start/end ranges */
    bool has_known; /* temp.known, known_threads and known_counters say what the whole has */
};

/* Whether the name of a table begins so. */
static inline bool rf_merge_begins_with(const char *table, const char *prefix)
{
    return strncmp(table, prefix, strlen(prefix)) == 0;
}

/* The SQL expression of a column's value, which sqlite3_free() frees; NULL: out of memory. */
char *rf_merge_value(const char *table, const char *column, const struct rf_merge_offsets *offsets);

#endif
