/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of summaries of a recording that is read in two ways. */
#ifndef TESTS_UNIT_CHECK_PATHS_H
#define TESTS_UNIT_CHECK_PATHS_H

#include "unit.h"

#include <unistd.h>

#include "model/private_access.h"
#include "rangefinder/summary.h"

static char *bytes_of(const rf_recording *rec, uint32_t max_paths, size_t *size)
{
    char path[] = "/tmp/rf-paths-XXXXXX";
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    options.without_steps = 1; /* they are not in a recording that was summed up as it was read */
    rf_summary *summary = NULL;
    int fd = mkstemp(path);
    options.path = "a.rf";
    options.max_paths = max_paths;
    options.fold_numbers = max_paths % 2 == 0;
    assert_true(fd >= 0);
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, &options, NULL), RF_OK);
    assert_int_equal(rf_summary_write(summary, path, 1, NULL), RF_OK);
    rf_summary_free(summary);
    close(fd);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, 1 << 22, file);
    assert_true(*size > 0 && *size < 1 << 22);
    assert_int_equal(fclose(file), 0);
    (void)unlink(path);
    return bytes;
}

static void check_bytes(const rf_recording *a, const rf_recording *b, uint32_t max_paths)
{
    size_t n[2];
    char *bytes[2] = {bytes_of(a, max_paths, &n[0]), bytes_of(b, max_paths, &n[1])};
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bytes[0], bytes[1], n[0]);
    free(bytes[0]);
    free(bytes[1]);
}

#endif
