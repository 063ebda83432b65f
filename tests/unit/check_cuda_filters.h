/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of recordings with CUDA that are added up as they are read, against those of all events. */
#ifndef TESTS_UNIT_CHECK_CUDA_FILTERS_H
#define TESTS_UNIT_CHECK_CUDA_FILTERS_H

#include "check_paths.h"
#include "check_report.h"

static uint64_t filter_seed = 1;
static unsigned n_filtered, n_selected, n_paths; /* parts that there are; those that have sums */

static uint64_t dice_filter(uint64_t n)
{
    filter_seed = filter_seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (filter_seed >> 33) % n;
}

static void random_filter(struct rf_filter_options *options, char *time, size_t size)
{
    static const char *const names[] = {"load*", "/step/", "forward", "nothing"},
                             *const kernels[] = {"kernel12", "/add|kernel/", "*"},
                             *const activities[] = {"nvtx,gpu", "nvtx,api,kernel", "gpu",
                                                    "nvtx,runtime,kernel,memcpy"};
    const long long begin = 500 + (long long)dice_filter(20000);
    *options = (struct rf_filter_options)RF_FILTER_OPTIONS_INIT;
    (void)snprintf(time, size, "%lldns/%lldns", begin, begin + (long long)dice_filter(20000));
    switch (dice_filter(4)) {
    case 0:
        options->time = time;
        break;
    case 1:
        options->names = names[dice_filter(4)];
        break;
    case 2:
        options->nvtx = dice_filter(2) == 0 ? "forward" : "load/5";
        break;
    default:
        options->processes = dice_filter(2) == 0 ? "199" : "app";
    }
    if (dice_filter(4) == 0)
        options->threads = "100";
    if (dice_filter(6) == 0)
        options->gpus = dice_filter(3) == 0 ? "0,99" : "0";
    if (dice_filter(4) == 0)
        options->kernels = kernels[dice_filter(3)];
    if (dice_filter(4) == 0)
        options->activities = activities[dice_filter(4)];
}

static rf_recording *filter_of(rf_recording *rec, const struct rf_filter_options *options,
                               struct rf_err *err)
{
    rf_recording *part = NULL;
    err->text[0] = '\0';
    const int status = rf_filter(rec, options, &part, err);
    assert_int_equal(status == RF_OK, part != NULL);
    return part;
}

/* A summary of a part. */
static void check_filtered_paths(const char *path, const struct rf_filter_options *options,
                                 const rf_recording *expected)
{
    rf_recording *streamed;
    struct rf_err err;
    assert_int_equal(rf_open_selected(path, RF_OPEN_PATHS_ALWAYS | RF_OPEN_RANGE_WORK, NULL,
                                      options, &streamed, &err),
                     RF_OK);
    rf_recording *part = filter_of(streamed, options, &err);
    assert_non_null(part);
    check_bytes(expected, part, 0);
    n_paths += rf_recording_paths(part) != NULL;
    rf_close(part);
    rf_close(streamed);
}

/* The work of ranges of a part. */
static void check_filter(const char *path, const struct rf_filter_options *options)
{
    rf_recording *whole, *streamed;
    struct rf_err err[2];
    assert_int_equal(rf_open(path, 0, &whole, NULL), RF_OK);
    assert_int_equal(rf_open_selected(path, RF_OPEN_RANGE_WORK | RF_OPEN_SUMS_ALWAYS, NULL, options,
                                      &streamed, NULL),
                     RF_OK);
    rf_recording *a = filter_of(whole, options, &err[0]),
                 *b = filter_of(streamed, options, &err[1]);
    assert_string_equal(err[0].text, err[1].text);
    check_missing(whole, streamed, "nvtx_kern_sum"); /* what a filter leaves out is there */
    n_filtered += a != NULL;
    if (a != NULL) {
        check_report(a, b, "nvtx_kern_sum", 0);
        check_report(a, b, "nvtx_gpu_proj_sum", 0);
        n_selected += rf_recording_projected_sums(b) != NULL;
        check_filtered_paths(path, options, a);
    }
    rf_close(a);
    rf_close(b);
    rf_close(whole);
    rf_close(streamed);
}

#endif
