/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of the GPU work of ranges that are added up as they are read, against those of all in
 * memory. */
#ifndef TESTS_UNIT_CHECK_RANGE_WORK_H
#define TESTS_UNIT_CHECK_RANGE_WORK_H

#include "check_report.h"
#include "model/sums/projected_sums.h"
#include "stats/stats.h"

static unsigned n_projected, n_by_process; /* recordings that had sums of the work of ranges */

/* Ranges that another thread ended, of all in memory. */
static inline uint64_t count_left_out(const rf_recording *whole)
{
    uint64_t n_left_out = 0;
    for (uint32_t t = 0; t < rf_n_threads(whole); t++) {
        size_t n;
        const struct rf_event *event = rf_thread_events(whole, t, &n);
        for (size_t i = 0; i < n; i++)
            n_left_out += event[i].kind == RF_EVENT_START_END &&
                          rf_start_end_at(whole, event[i].link)->end_thread != t;
    }
    return n_left_out;
}

/* Of a recording opened for a report, which others may take too. Returns whether it has sums. */
static inline bool check_report_opened(const struct rfw *w, const rf_recording *whole,
                                       const char *const *reports, size_t n, int folds)
{
    const unsigned flags = (rf_report_open_flags(reports[0]) & ~(unsigned)RF_OPEN_NO_SAMPLES) |
                           RF_OPEN_SUMS_ALWAYS | (folds ? RF_OPEN_FOLD_NUMBERS : 0);
    rf_recording *streamed = rfw_reopen(w, 0, flags);
    const struct rf_projected_sums *sums = rf_recording_projected_sums(streamed);
    const bool has_sums = sums != NULL;
    if (has_sums)
        assert_int_equal(sums->n_left_out, count_left_out(whole));
    for (size_t i = 0; i < n; i++) {
        check_missing(whole, streamed, reports[i]);
        check_report(whole, streamed, reports[i], folds);
    }
    rf_close(streamed);
    return has_sums;
}

/* The same where ranges that other threads ended count for their process. Returns whether it has
 * sums, and there are such ranges. */
static inline bool check_by_process(const struct rfw *w, const rf_recording *whole)
{
    static const char *const reports[] = {"nvtx_kern_sum", "nvtx_gpu_proj_sum"};
    rf_recording *streamed =
        rfw_reopen(w, 0, RF_OPEN_RANGE_WORK | RF_OPEN_BY_PROCESS | RF_OPEN_SUMS_ALWAYS);
    const bool has_sums = rf_recording_projected_sums(streamed) != NULL;
    for (size_t i = 0; i < 2; i++) {
        char *a = make_report_with(whole, reports[i], "json", 0, 1),
             *b = make_report_with(streamed, reports[i], "json", 0, 1);
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
    for (uint32_t t = 0; t < rf_n_threads(streamed) && has_sums; t++)
        assert_null(rf_thread_calls(streamed, t, NULL));
    rf_close(streamed);
    return has_sums && count_left_out(whole) > 0;
}

/* The work of ranges, and in turns that by the other names of kernels and ranges. */
static inline void check_range_work(const struct rfw *w, const rf_recording *whole)
{
    static const char *const usual[] = {"nvtx_kern_sum", "nvtx_gpu_proj_sum",
                                        "nvtx_kern_sum:rows=3"};
    static const struct {
        const char *report;
        int folds;
    } others[] = {{"nvtx_kern_sum:base", 0},   {"nvtx_kern_sum:mangled", 0},
                  {"nvtx_gpu_proj_sum", 0},    {"nvtx_gpu_proj_sum", 1},
                  {"nvtx_kern_sum", 1},        {"nvtx_kern_sum:base", 1},
                  {"nvtx_kern_sum:mangled", 1}};
    static size_t turn;
    const size_t i = turn++ % (sizeof(others) / sizeof(others[0]));
    const bool has_sums = check_report_opened(w, whole, usual, 3, 0);
    assert_int_equal(check_report_opened(w, whole, &others[i].report, 1, others[i].folds),
                     has_sums);
    n_projected += has_sums;
    n_by_process += check_by_process(w, whole);
}

#endif
