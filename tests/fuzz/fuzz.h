/* SPDX-License-Identifier: Apache-2.0 */
/* What the harnesses share. Each defines LLVMFuzzerTestOneInput(); with libFuzzer it searches for
 * inputs, with replay.c it runs the corpus in the normal tests. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a file that is removed in the end; SQLite opens no file that has none. */
const char *fuzz_path(void);

/* Writes a file anew. */
void fuzz_write(const char *path, const void *data, size_t size);

/* Looks at everything that a recording hands out, and checks what it promises. */
void fuzz_walk(const rf_recording *rec);

/* Opens path in each way and walks what opens. */
void fuzz_open(const char *path);

#endif
