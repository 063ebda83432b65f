/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a trace of torch.profiler, or what gzip packed: read whole, and in small pieces with
 * and without threads, which has to say the same; and salvaged. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/kineto_open.h"
#include "same.h"

static void fail(const char *what, const struct rf_err *a, const struct rf_err *b)
{
    fprintf(stderr, "whole and in pieces differ: %s\n  %s\n  %s\n", what, a->text, b->text);
    abort();
}

static void compare(const char *path, unsigned flags, const struct kineto_way *way)
{
    struct rf_err whole_err = {.text = ""}, err = {.text = ""};
    rf_recording *whole, *pieces;
    const int status = kineto_open_by(path, flags, NULL, &whole, &whole_err);
    if (kineto_open_by(path, flags, way, &pieces, &err) != status)
        fail("the status", &whole_err, &err);
    if (status != RF_OK && strcmp(err.text, whole_err.text) != 0)
        fail("the error", &whole_err, &err);
    const char *what = status == RF_OK ? rf_test_difference(whole, pieces) : NULL;
    if (what != NULL)
        fail(what, &whole_err, &err);
    if (status == RF_OK)
        fuzz_walk(whole);
    rf_close(whole);
    rf_close(pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kineto_way ways[] = {{61, 0}, {7 + size % 512, 2}};
    fuzz_write(fuzz_path(), data, size);
    compare(fuzz_path(), 0, &ways[0]);
    compare(fuzz_path(), RF_OPEN_SALVAGE, &ways[size % 2]);
    return 0;
}
