/* SPDX-License-Identifier: Apache-2.0 */
/* A report of a recording as text. */
#ifndef TESTS_UNIT_CHECK_REPORT_H
#define TESTS_UNIT_CHECK_REPORT_H

#include "rangefinder/rangefinder.h"
#include "unit.h"

struct text {
    char *bytes;
    size_t size;
};

static int keep(void *context, const void *bytes, size_t size)
{
    struct text *text = context;
    text->bytes = realloc(text->bytes, text->size + size + 1);
    assert_non_null(text->bytes);
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
    return 0;
}

static inline char *make_report_with(const rf_recording *rec, const char *name, const char *format,
                                     int fold_numbers, int by_process)
{
    struct text out = {.bytes = NULL};
    const struct rf_report_options options = {.size = sizeof(options),
                                              .report = name,
                                              .format = format,
                                              .fold_numbers = fold_numbers,
                                              .by_process = by_process,
                                              .write = keep,
                                              .write_context = &out,
                                              .quantiles = "0,12.5,50,99.9,100"};
    struct rf_err err;
    assert_int_equal(rf_report(rec, &options, &err), RF_OK);
    return out.bytes;
}

static inline char *make_folded_report(const rf_recording *rec, const char *name,
                                       const char *format, int fold_numbers)
{
    return make_report_with(rec, name, format, fold_numbers, 0);
}

static inline char *make_report_as(const rf_recording *rec, const char *name, const char *format)
{
    return make_folded_report(rec, name, format, 0);
}

static inline char *make_report(const rf_recording *rec, const char *name)
{
    return make_report_as(rec, name, "json");
}

static inline void check_missing(const rf_recording *whole, const rf_recording *streamed,
                                 const char *name)
{
    assert_int_equal(rf_report_missing(whole, name, NULL, 0),
                     rf_report_missing(streamed, name, NULL, 0));
}

static inline void check_report(const rf_recording *whole, const rf_recording *streamed,
                                const char *name, int folds)
{
    char *a = make_folded_report(whole, name, "json", folds),
         *b = make_folded_report(streamed, name, "json", folds);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

#endif
