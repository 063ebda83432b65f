/* SPDX-License-Identifier: Apache-2.0 */
/* What is shown of an interval, in order. Everything points into the session, until its next
 * interval begins. Times are nanoseconds; rates are per second. */
#ifndef RF_CLI_TOP_TOP_FIGURES_H
#define RF_CLI_TOP_TOP_FIGURES_H

#include "cli/top/top_session.h"

enum top_sort {
    TOP_BY_SELF,
    TOP_BY_TOTAL,
    TOP_BY_COUNT,
    TOP_BY_MEAN,
    TOP_BY_P99,
    TOP_BY_MAX,
    TOP_N_SORTS
};

/* The words of --sort, in the order of enum top_sort. */
extern const char *const top_sort_words[TOP_N_SORTS];

struct top_range_figures {
    const struct top_text *domain, *name;
    uint8_t style;             /* enum top_style */
    uint64_t n;                /* that ended */
    uint32_t n_open;           /* now */
    int64_t total_ns, self_ns; /* that lie in the interval; self of start/end ranges: 0 */
    int64_t mean_ns, p50_ns, p99_ns, max_ns; /* of those that ended */
};

/* Who recorded something. */
struct top_who {
    uint32_t pid, tid;
    const struct top_text *process;
    const char *thread; /* its name; "": unknown */
};

struct top_instance_figures {
    const struct top_text *domain, *name;
    struct top_who who;
    int64_t start_ns; /* since the session began */
    int64_t ns;       /* how long it took, or has been open */
};

struct top_thread_figures {
    struct top_who who;
    struct top_counts counts;
    const struct top_text *domain, *name; /* of the innermost range; NULL: it is in none */
    int64_t in_ns;                        /* for how long */
};

struct top_process_figures {
    uint32_t pid;
    const struct top_text *name;
    struct top_counts counts;
    uint32_t n_threads;
};

struct top_figures {
    const struct top_session *session;
    double seconds;  /* the interval's length */
    int64_t time_ns; /* its end, since the session began */
    struct top_counts counts;
    struct top_range_figures *range;             /* as many as were asked for, likewise below */
    struct top_instance_figures *slowest, *open; /* open: for longest */
    struct top_thread_figures *thread;           /* by records */
    struct top_process_figures *process;
    size_t n_ranges, n_slowest, n_open, n_threads, n_processes;
    size_t n_all_ranges, n_all_open, n_all_threads, n_all_processes; /* how many there are */
    uint64_t pool_bytes, log_bytes;
};

struct top_wanted {
    enum top_sort sort;
    size_t n_ranges, n_others; /* rows of the table of ranges, and of each other one */
};

/* Of the interval that has ended. Returns RF_OK or RF_ERR_NO_MEMORY; release it in any case. */
int top_figures_make(struct top_figures *figures, const struct top_session *session,
                     const struct top_wanted *wanted);
void top_figures_release(struct top_figures *figures);

static inline uint64_t top_n_events(const struct top_counts *counts)
{
    return counts->n_ranges + counts->n_marks + counts->n_counters + counts->n_cuda;
}

#endif
