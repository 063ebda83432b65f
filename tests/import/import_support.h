/* SPDX-License-Identifier: Apache-2.0 */
/* Databases for the tests of the import, in files that go away with the program. */
#ifndef TESTS_IMPORT_SUPPORT_H
#define TESTS_IMPORT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rangefinder/rangefinder.h"

/* The path of tests/data/nsys_exports/NAME.sqlite.gz, unpacked. One at a time. */
const char *data_file(const char *name);

/* The path of a new database made by SQL. One at a time. */
const char *made_file(const char *sql);

/* The path of a file with these bytes. One at a time. */
const char *bytes_file(const void *data, size_t size);

/* The bytes of a file, to be freed. */
uint8_t *read_bytes(const char *path, size_t *size);

/* Opens, or fails the test. */
rf_recording *open_file(const char *path);

/* The error of opening what must not open. */
int open_error(const char *path, struct rf_err *err);

/* Looks at everything, and checks that its indices and orders are as the header promises. */
void check_promises(const rf_recording *rec);

/* Of all threads; of all tables. */
size_t count_calls(const rf_recording *rec);
uint64_t count_skipped(const rf_recording *rec, const char *part_of_reason);

#endif
