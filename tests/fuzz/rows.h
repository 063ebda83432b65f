/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that are values of rows of a database. */
#ifndef TESTS_FUZZ_ROWS_H
#define TESTS_FUZZ_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

struct fuzz_input {
    const uint8_t *at;
    size_t left;
};

/* Takes n bytes, as far as there are some: a number, most significant byte first. */
uint64_t fuzz_take(struct fuzz_input *in, size_t n);

/* Binds a value that the input says. Small numbers are likely, so that ids meet; so are those near
 * each edge. */
void fuzz_bind(sqlite3_stmt *insert, int column, struct fuzz_input *in);

#endif
