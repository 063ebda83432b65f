/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of summaries of a recording that is read in two ways. */
#ifndef TESTS_UNIT_CHECK_PATHS_H
#define TESTS_UNIT_CHECK_PATHS_H

#include "unit.h"

#include <unistd.h>

#include "model/private_access.h"
#include "rangefinder/summary.h"
#include "summary/summary_data.h"

/* Takes out the tallies of some kinds. */
static void leave_kinds(rf_summary *summary, const uint32_t *kinds, size_t n_kinds)
{
    struct rf_tallies *all = &summary->tallies;
    for (size_t k = 0; k < n_kinds; k++) {
        size_t n = 0;
        all->searched[kinds[k]].n = 0;
        for (size_t i = 0; i < all->n; i++)
            if (all->item[i].key.kind == kinds[k])
                rf_histogram_release(&all->item[i].values.histogram);
            else
                all->item[n++] = all->item[i];
        all->n = n;
    }
}

static uint32_t also_left[6]; /* kinds, the first n_also_left */
static size_t n_also_left;

/* Those that a recording has not that was summed up as it was read. */
static void leave_streamed(rf_summary *summary)
{
    static const uint32_t kinds[] = {
        RF_TALLY_KERNEL_SHAPE,  RF_TALLY_LAUNCH,         RF_TALLY_LAUNCH_CALL,
        RF_TALLY_LAUNCH_QUEUE,  RF_TALLY_LAUNCH_KERNEL,  RF_TALLY_LATENCY,
        RF_TALLY_LATENCY_QUEUE, RF_TALLY_LATENCY_DEPTH,  RF_TALLY_LAUNCH_UNKNOWN,
        RF_TALLY_LAUNCH_EARLY,  RF_TALLY_GPU_TIME,       RF_TALLY_WAITED,
        RF_TALLY_WAITS,         RF_TALLY_WAITS_RECORDED, RF_TALLY_WAITS_CUT,
        RF_TALLY_STEP_GPU,      RF_TALLY_RANGE_SAMPLED,  RF_TALLY_RANGE_METRIC};
    leave_kinds(summary, kinds, sizeof(kinds) / sizeof(kinds[0]));
    leave_kinds(summary, also_left, n_also_left);
}

static char *bytes_of(const rf_recording *rec, uint32_t max_paths, size_t *size)
{
    char path[] = "/tmp/rf-paths-XXXXXX";
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    options.without_steps = 1; /* they are not in a recording that was summed up as it was read */
    rf_summary *summary = NULL;
    int fd = mkstemp(path);
    options.path = "a.rf";
    options.max_paths = options.max_tallies = max_paths;
    options.fold_numbers = max_paths % 2 == 0;
    assert_true(fd >= 0);
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, &options, NULL), RF_OK);
    leave_streamed(summary);
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

/* The same without the tallies of two kinds. */
static inline void check_bytes_but(const rf_recording *a, const rf_recording *b, uint32_t kind,
                                   uint32_t or_kind)
{
    also_left[0] = kind;
    also_left[1] = or_kind;
    n_also_left = 2;
    check_bytes(a, b, 0);
    n_also_left = 0;
}

#endif
