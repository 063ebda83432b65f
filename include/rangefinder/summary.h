/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries: what recordings add up to, in kilobytes. docs/summaries.md describes the file.
 *
 * Sums in it are exact. What it says of several recordings is the same, bit by bit, in whatever
 * order and grouping they are added.
 *
 * Ownership, errors and NULL are those of rangefinder.h. A summary belongs to one thread. */
#ifndef RANGEFINDER_SUMMARY_H
#define RANGEFINDER_SUMMARY_H

#include "rangefinder/rangefinder.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rf_summary rf_summary;

/* What a summary knows of a recording that was summed up. */
struct rf_summary_input {
    const char *path;          /* as it was given */
    const char *host;          /* name of the machine; "" if they differ */
    const char *filter;        /* what selected a part of it, as options; "": all was summed up */
    int64_t rank;              /* in its job; -1: unknown, likewise below */
    int64_t local_rank;        /* among those of its machine */
    int64_t world_size;        /* processes of the job */
    int64_t start_utc_ns;      /* CLOCK_REALTIME at time 0 of the recording; the first of several */
    uint64_t duration_ns;      /* from there to the end of its session; the longest of several */
    uint64_t n_inputs;         /* recordings that were added up to this one: mostly 1 */
    uint64_t n_events;         /* that it has */
    uint64_t n_lost;           /* events that could not be recorded */
    uint64_t n_cut;            /* ranges whose end was not recorded */
    uint64_t n_paths_folded;   /* paths that were added to the row of all others */
    uint64_t n_searched;       /* recordings whose steps were looked for */
    uint64_t n_steps;          /* that the summary has of them */
    uint64_t n_steps_left_out; /* by max_steps */
    uint8_t boot_id[16]; /* of the machine, since it booted; zeros: not known, or they differ */
};

struct rf_summary_options {
    size_t size;        /* of this struct: RF_SUMMARY_OPTIONS_INIT sets it */
    const char *path;   /* of the recording, as the summary is to name it; NULL: as it was opened */
    const char *filter; /* what selected a part of it, in words; NULL: nothing */
    int64_t rank;       /* of the recording; RF_NO_TIME: what the recording says */
    uint32_t max_paths; /* those with most time are kept, and the others become one row per domain;
                         * 0: 1000 */
    int fold_numbers;   /* digits in the names of ranges become #: op_17 and op_18 are op_# */
    int without_steps;  /* steps are not looked for. They are not in a recording that was summed up
                         * as it was read, either */
    const char *step; /* the range that is the step, "MESSAGE[@DOMAIN]"; NULL: each thread's own */
    uint32_t max_steps;       /* the first of these are kept; 0: 10000 */
    const char *collective;   /* ranges that are collectives too: MESSAGE[@DOMAIN]; NULL: none */
    uint32_t max_collectives; /* the first ones of each recording are kept; 0: 10000 */
    uint32_t max_counters;    /* likewise */
    uint32_t max_tallies;     /* of each kind of tally (docs/summaries.md) the largest are kept, and
                               * the others become one per domain; 0: 100 */
    uint32_t max_kb; /* of these two no more are kept than fit into about so many kilobytes of a
                      * file for each process of the recording; 0: any */
};

#define RF_SUMMARY_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(struct rf_summary_options), NULL, NULL, RF_NO_TIME, 0, 0, 0, NULL, 0, NULL, 0, 0,   \
            0, 0                                                                                   \
    }

/* Makes an empty summary. *out is NULL on failure. */
RF_API int rf_summary_new(rf_summary **out, struct rf_err *err);
RF_API void rf_summary_free(rf_summary *summary);

/* Whether a file begins as a summary does: 1 or 0. */
RF_API int rf_is_summary(const char *path);

/* Sums up a recording, or the part of it that rf_filter() gave, as a new input. options may be
 * NULL. RF_ERR_EXISTS: the summary has this input already; nothing was added. */
RF_API int rf_summary_add(rf_summary *summary, const rf_recording *rec,
                          const struct rf_summary_options *options, struct rf_err *err);

/* Adds the inputs of a file. RF_ERR_EXISTS: the summary has some of them already; only the others
 * were added. */
RF_API int rf_summary_read(rf_summary *summary, const char *path, struct rf_err *err);

/* Adds those of the inputs that have one of these ranks, "0,8-15"; NULL: all. RF_ERR_USAGE: that is
 * no list of ranks. */
RF_API int rf_summary_read_ranks(rf_summary *summary, const char *path, const char *ranks,
                                 struct rf_err *err);

/* Adds the inputs of another summary. RF_ERR_EXISTS: as rf_summary_read(). */
RF_API int rf_summary_append(rf_summary *summary, const rf_summary *from, struct rf_err *err);

/* Those of them that have one of these ranks, "0,8-15"; NULL: all. RF_ERR_USAGE: that is no list of
 * ranks. */
RF_API int rf_summary_append_ranks(rf_summary *summary, const rf_summary *from, const char *ranks,
                                   struct rf_err *err);

/* Adds all inputs up to one. RF_ERR_UNSUPPORTED: a sum is too large for 63 bits. */
RF_API int rf_summary_merge(rf_summary *summary, struct rf_err *err);

/* Where there are several inputs, all of one recording, and none has a rank: gives them ranks from
 * 0 on, in the order of their paths, in which 2 is before 10. Reports then say so. Returns how many
 * have one by this; 0: none was given. */
RF_API uint32_t rf_summary_rank_by_path(rf_summary *summary);

/* Says which rank an input has, -1: none; its steps and collectives have it, too. RF_ERR_USAGE:
 * there is no such input, or it is of several recordings. */
RF_API int rf_summary_set_rank(rf_summary *summary, uint32_t input, int64_t rank,
                               struct rf_err *err);

/* The value of a setting of an input, such as an environment variable that says which rank it is;
 * NULL: it is not known, or processes differ. */
RF_API const char *rf_summary_setting(const rf_summary *summary, uint32_t input, const char *name);

/* Writes a file, which appears under its name when it is complete. */
RF_API int rf_summary_write(const rf_summary *summary, const char *path, int can_overwrite,
                            struct rf_err *err);

/* The inputs, in the order in which they were added; NULL past the last. */
RF_API uint32_t rf_summary_n_inputs(const rf_summary *summary);
RF_API const struct rf_summary_input *rf_summary_input_at(const rf_summary *summary, uint32_t i);

/* Program i, from 0, that an input is of: "heat", "python3 train.py"; several where recordings of
 * several were added up. NULL past the last, which may be the first: older files do not say. */
RF_API const char *rf_summary_program_at(const rf_summary *summary, uint32_t input, uint32_t i);

/* Whether summaries have what a report shows: 1 or 0. */
RF_API int rf_report_reads_summaries(const char *report);

/* Whether an input has nothing for a report, as rf_report_missing() says it of a recording: 1, and
 * why in text, or 0. text may be NULL. Of NULL: whether no summary has what the report shows. */
RF_API int rf_report_missing_in_summary(const rf_summary *summary, uint32_t input,
                                        const char *report, char *text, size_t size);

/* Whether a report is one table of several inputs, in which they are compared: 0: no; 1: of what
 * rf_summary_merge() makes of them; RF_COMPARES_JOB: of the inputs themselves, which are the ranks
 * of a job. */
#define RF_COMPARES_JOB 2
RF_API int rf_report_compares_inputs(const char *report);

/* Adds the rows of a report that is RF_COMPARES_JOB, of all inputs of a summary. No columns say
 * which input a row is of. RF_ERR_UNSUPPORTED: the inputs cannot be compared, and the text says
 * why.
 */
RF_API int rf_joined_report_add_job(rf_joined_report *joined, const rf_summary *summary,
                                    struct rf_err *err);

/* Adds the rows of an input to a report. RF_ERR_UNSUPPORTED: summaries have not what it shows. */
RF_API int rf_joined_report_add_summary(rf_joined_report *joined, const rf_summary *summary,
                                        uint32_t input, struct rf_err *err);

#ifdef __cplusplus
}
#endif

#endif
