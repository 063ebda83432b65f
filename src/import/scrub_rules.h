/* SPDX-License-Identifier: Apache-2.0 */
/* What stays of an export of nsys in a scrubbed copy. Everything else is removed: of a table that
 * is not named here only numbers stay. docs/man/rangefinder-scrub.1 describes the same to users. */
#ifndef RF_IMPORT_SCRUB_RULES_H
#define RF_IMPORT_SCRUB_RULES_H

#include <stdbool.h>
#include <stddef.h>

/* What stays of a table's rows. */
enum scrub_table {
    SCRUB_NUMBERS,   /* every row, without texts that say no number */
    SCRUB_WHOLE,     /* every row as it is: names that the program gave, and nsys's own words */
    SCRUB_NOTHING,   /* no row */
    SCRUB_SETTINGS,  /* names and values: rows with a name that is listed */
    SCRUB_PROCESSES, /* every row; of texts only the name, without path and arguments */
    SCRUB_STRINGS,   /* what the rows that stay refer to */
};

enum scrub_table scrub_table_rule(const char *table);

/* What a number in a column is. */
enum scrub_column {
    SCRUB_PLAIN,
    SCRUB_NAME, /* the id of a string that stays as it is */
    SCRUB_PATH, /* the id of one that stays without its folders */
};

enum scrub_column scrub_column_rule(const char *table, const char *column);

/* Whether a setting stays. is_number: its value is one, or true or false. */
bool scrub_keeps_setting(const char *table, const char *name, bool is_number);

/* Whether a text says a number, a list of them, true or false. */
bool scrub_is_number(const char *text, size_t size);

/* The part of a process's name that stays: the executable's file name. *size: in: of the text, out:
 * of the part; 0 where folders and arguments cannot be told apart. */
const char *scrub_executable(const char *text, size_t *size);

/* The last part of a path; other texts as they are. */
const char *scrub_file_name(const char *text, size_t *size);

#endif
