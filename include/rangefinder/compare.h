/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program became slower: the runs of one side against those of another.
 *
 * The unit is the run. Of a range, a kernel or a kind of copy each run has one value, the median of
 * its durations. The logarithms of these values are compared: the ratio of the sides is that of
 * their geometric means, and its interval is Student's, with one spread for both sides. From five
 * runs on, the slowest and the fastest fifth of a side are trimmed, so that a run in which the
 * machine was busy does not matter; the interval is wider by what that costs.
 *
 * Slower is what certainly takes longer by more than the effect, over all ranges that are compared:
 * the lower end of the interval lies above 1 + effect, and Benjamini's and Hochberg's procedure
 * accepts it. Where one side has a single run, or machine or settings differ, nothing is certain.
 *
 * Counts, such as launches per step, are exact: where they are the same in all runs of each side,
 * and differ between the sides, the program differs.
 *
 * Ownership, errors and NULL are those of rangefinder.h. An object belongs to one thread. */
#ifndef RANGEFINDER_COMPARE_H
#define RANGEFINDER_COMPARE_H

#include "rangefinder/summary.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rf_compare rf_compare;

enum rf_compare_side {
    RF_COMPARE_A = 0, /* before */
    RF_COMPARE_B = 1, /* after */
};

enum rf_compare_verdict {
    RF_COMPARE_SLOWER = 0,
    RF_COMPARE_FASTER = 1,
    RF_COMPARE_SAME = 2, /* the interval lies within the effect */
    RF_COMPARE_CANNOT_TELL = 3,
    RF_COMPARE_MORE = 4,  /* of counts, as those below: B has more of it than A */
    RF_COMPARE_FEWER = 5, /* and fewer */
    RF_COMPARE_NEW = 6,   /* A has none */
    RF_COMPARE_GONE = 7,  /* B has none */
};

/* Why a verdict is RF_COMPARE_CANNOT_TELL. */
enum rf_compare_reason {
    RF_COMPARE_CLEAR = 0,    /* it is not */
    RF_COMPARE_ONE_RUN = 1,  /* a side has fewer than two runs with it */
    RF_COMPARE_SETTINGS = 2, /* machine or settings differ: rf_compare_setting_at() */
    RF_COMPARE_WIDE = 3,     /* the interval is too wide: more runs make it narrower */
    RF_COMPARE_CHANCE = 4,   /* among so many ranges one may look like this by chance */
    RF_COMPARE_VARIES = 5,   /* of counts: they vary from run to run */
    RF_COMPARE_STEPS = 6, /* of counts: the runs have different numbers of steps, and not all of it
                           * is known to lie in them */
};

enum rf_compare_kind {
    RF_COMPARE_STEP = 0,   /* the range that repeats, with all in it */
    RF_COMPARE_RUN = 1,    /* the whole run, where nothing repeats */
    RF_COMPARE_RANGE = 2,  /* of a name, by the names around it */
    RF_COMPARE_KERNEL = 3, /* of a name, likewise below */
    RF_COMPARE_MEMORY = 4, /* copies and sets */
    RF_COMPARE_BYTES = 5,  /* of counts: bytes of copies and sets */
    RF_COMPARE_WAIT = 6,   /* of counts: calls that wait for a GPU */
    RF_COMPARE_MEAN = 7,   /* of times: as STEP, but by the mean of the steps of each run: rare slow
                            * ones count, and so does what else the machine does */
    RF_COMPARE_WORK = 8,   /* of counts: pieces of GPU work that a range is the innermost around */
};

struct rf_compare_options {
    size_t size;      /* of this struct: RF_COMPARE_OPTIONS_INIT sets it */
    double effect;    /* a smaller change does not matter: 0.03 is 3 %; 0: 0.03 */
    const char *step; /* the range that is the step, "MESSAGE[@DOMAIN]", and those whose names
                       * differ only by numbers; NULL: it is found */
    int fold_numbers; /* 1: names that differ only by numbers are one: op_17 and op_18 are op_#; -1:
                       * they are not; 0: where there are many, and most differ only so */
    const char *ignored; /* settings that may differ, "gpu,driver"; "all"; NULL: none */
};

#define RF_COMPARE_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(struct rf_compare_options), 0, NULL, 0, NULL                                        \
    }

/* What came out. */
struct rf_compare_result {
    size_t size;            /* of this struct: RF_COMPARE_RESULT_INIT sets it */
    const char *step;       /* its name; "": nothing repeats */
    uint64_t n_runs_a;      /* runs of each side */
    uint64_t n_runs_b;      /* likewise */
    uint64_t n_common;      /* names that both sides have; 0: these are different programs */
    uint64_t n_slower;      /* of rf_compare_time_at(), and so on */
    uint64_t n_faster;      /* likewise */
    uint64_t n_same;        /* likewise */
    uint64_t n_cannot_tell; /* likewise */
    uint64_t n_small;       /* names that are not compared: they have less than 0.5 % of a step */
    uint64_t n_counts;      /* that differ: more, fewer, new, gone */
    uint64_t n_counts_unclear; /* of which nothing can be told */
    uint64_t n_counts_same;    /* the others */
    uint64_t n_settings;       /* see rf_compare_setting_at() */
    uint64_t n_paths_folded;   /* names that have no row of their own in some summaries */
    uint64_t n_mean_slower;    /* 1: the mean of the steps is slower. It is not in n_slower, nor in
                                * the other numbers of times */
    int folds_numbers;         /* names that differ only by numbers are one */
};

#define RF_COMPARE_RESULT_INIT                                                                     \
    {                                                                                              \
        sizeof(struct rf_compare_result), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0        \
    }

/* The time of something in the runs of both sides. */
struct rf_compare_time {
    size_t size;      /* of this struct: RF_COMPARE_TIME_INIT sets it */
    int kind;         /* enum rf_compare_kind */
    int verdict;      /* enum rf_compare_verdict */
    int reason;       /* enum rf_compare_reason */
    int has_interval; /* 0: low and high are 0 */
    const char *name; /* "batch > load": ranges from the outermost one inwards, each with its domain
                       * before a colon where it has one; or the name of a kernel */
    uint64_t n_a, n_b;   /* runs that have it */
    double a_ns, b_ns;   /* the middle of the runs' medians */
    double ratio;        /* of B to A */
    double low, high;    /* the ends of its interval, which holds it with 95 % */
    double chance;       /* of a ratio so far from 1 where nothing changed; 1 without interval */
    double share_a;      /* of the time of the steps (of the run, where nothing repeats) that it */
    double share_b;      /* has, in percent: the median of the runs */
    uint64_t n_more;     /* runs a side that are missing for a verdict, about; 0: none, or more than
                          * RF_COMPARE_MAX_RUNS a side */
    const char *range;   /* as `--filter-nvtx` and rf_why_new() take it, MESSAGE[@DOMAIN]; "": it is
                          * no range */
    const char *carrier; /* of what is slower: the innermost range in it that has at least 60 % of
                          * what it takes longer, with a name as above; "": there is none */
    double carried; /* how much of that it has in a typical one (in a run, of the whole run), in
                     * percent: more than 100 if others are faster */
    int is_part;    /* a slower range is around it */
};

#define RF_COMPARE_TIME_INIT                                                                       \
    {                                                                                              \
        sizeof(struct rf_compare_time), 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL,   \
            NULL, 0, 0                                                                             \
    }

#define RF_COMPARE_MAX_RUNS 1000

/* How often something comes, or how many bytes there are. */
struct rf_compare_count {
    size_t size;         /* of this struct: RF_COMPARE_COUNT_INIT sets it */
    int kind;            /* enum rf_compare_kind */
    int verdict;         /* enum rf_compare_verdict */
    int reason;          /* enum rf_compare_reason */
    int is_per_step;     /* 0: per run */
    const char *name;    /* as in struct rf_compare_time */
    double a_min, a_max; /* the least and the most that a run of A has */
    double b_min, b_max; /* likewise */
};

#define RF_COMPARE_COUNT_INIT                                                                      \
    {                                                                                              \
        sizeof(struct rf_compare_count), 0, 0, 0, 0, NULL, 0, 0, 0, 0                              \
    }

/* What differs between the machines or settings of the sides. */
struct rf_compare_setting {
    size_t size;      /* of this struct: RF_COMPARE_SETTING_INIT sets it */
    const char *name; /* "gpu", "OMP_NUM_THREADS" */
    const char *a;    /* the values that its runs have, with ", " between them */
    const char *b;    /* likewise */
};

#define RF_COMPARE_SETTING_INIT                                                                    \
    {                                                                                              \
        sizeof(struct rf_compare_setting), NULL, NULL, NULL                                        \
    }

/* options may be NULL. *out is NULL on failure. */
RF_API int rf_compare_new(const struct rf_compare_options *options, rf_compare **out,
                          struct rf_err *err);
RF_API void rf_compare_free(rf_compare *compare);

/* Adds the inputs of a summary to a side, each as a run; ranks of a job that ran at the same time
 * are one run. The summary may be freed afterwards. RF_ERR_EXISTS: some of them were added to this
 * side before; only the others were added. RF_ERR_USAGE: one of them has a recording that the other
 * side has, or one in common with what was added up. */
RF_API int rf_compare_add(rf_compare *compare, enum rf_compare_side side, const rf_summary *summary,
                          struct rf_err *err);

/* Compares. After this nothing can be added. result->step belongs to the object. RF_ERR_USAGE: a
 * side has no run. RF_ERR_NOT_FOUND: there is no such step. */
RF_API int rf_compare_find(rf_compare *compare, struct rf_compare_result *result,
                           struct rf_err *err);

/* After rf_compare_find(): what is compared; slower first, then faster, what cannot be told and
 * the same, and of each kind first what matters most. The struct's strings belong to the object.
 * Returns RF_OK. RF_ERR_USAGE: there is none, or out->size is not set. */
RF_API int rf_compare_time_at(const rf_compare *compare, size_t i, struct rf_compare_time *out);

/* Counts that differ, or of which nothing can be told. As rf_compare_time_at(). */
RF_API int rf_compare_count_at(const rf_compare *compare, size_t i, struct rf_compare_count *out);

/* Settings that differ. As rf_compare_time_at(). */
RF_API int rf_compare_setting_at(const rf_compare *compare, size_t i,
                                 struct rf_compare_setting *out);

/* "slower", "cannot tell"; "range", "kernel"; "one run", "". */
RF_API const char *rf_compare_verdict_name(int verdict);
RF_API const char *rf_compare_kind_name(int kind);
RF_API const char *rf_compare_reason_name(int reason);

/* The tables that rf_compare_write() writes. */
enum rf_compare_table {
    RF_COMPARE_TIMES = 0,
    RF_COMPARE_COUNTS = 1, /* that differ, or of which nothing can be told */
    RF_COMPARE_ALL = 2,    /* both in one table, for programs */
};

/* Writes a table of the first max_rows rows; 0: of all. Of the options format, output,
 * can_overwrite, is_raw, width, write and write_context count. */
RF_API int rf_compare_write(const rf_compare *compare, enum rf_compare_table table,
                            uint64_t max_rows, const struct rf_report_options *options,
                            struct rf_err *err);

#ifdef __cplusplus
}
#endif

#endif
