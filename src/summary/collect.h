/* SPDX-License-Identifier: Apache-2.0 */
/* Summing up a recording: what the functions that add rows share. Each returns at the first failure
 * of any of them, which stands in status. */
#ifndef RF_SUMMARY_COLLECT_H
#define RF_SUMMARY_COLLECT_H

#include <stdbool.h>

#include "summary/steps.h"
#include "summary/summary_data.h"

struct rf_sum;
struct rf_value_counts;
struct rf_sums;

#define RF_COLLECT_RECENT 64u

struct rf_collecting {
    const rf_recording *rec;
    rf_summary *summary;
    struct rf_summary_options options;
    uint32_t *name; /* by string of the recording: of the summary; RF_NO_STRING: not yet there */
    uint32_t *folded;
    rf_projections *projections; /* for the ranges around each range */
    uint32_t **path;             /* by thread, by event: of ranges; set by rf_collect_ranges();
                                  * NULL: the recording has no events */
    struct rf_steps steps;
    uint32_t *step_place; /* by step: in the summary; RF_NO_INDEX: left out. NULL: steps were not
                           * looked for */
    struct {
        const char *text; /* of the recording; NULL: none */
        size_t size;
        uint32_t path;
    } recent[RF_COLLECT_RECENT]; /* paths of one name: most calls and work have few */
    int status;
    struct rf_err *err; /* for those that fill it themselves */
};

/* rf_summary_add(). add_tallies: NULL, or adds what reports show beside rows. */
int rf_summary_collect(rf_summary *summary, const rf_recording *rec,
                       const struct rf_summary_options *options,
                       void (*add_tallies)(struct rf_collecting *c), struct rf_err *err);

/* Keeps the first status that is not RF_OK. Returns false. */
bool rf_collect_fail(struct rf_collecting *c, int status);

/* A string of the recording in the summary: RF_NO_STRING for itself. */
uint32_t rf_collect_string(struct rf_collecting *c, uint32_t string);

/* The same of the name of a range, folded if the options say so. */
uint32_t rf_collect_range_name(struct rf_collecting *c, uint32_t string);

/* The name of a domain: "" for the default domain; a handle that is not valid is its name. */
uint32_t rf_collect_domain(struct rf_collecting *c, uint32_t index);

/* Nanoseconds since 1970 of a time of the recording, as far as int64_t goes. */
int64_t rf_collect_utc(const struct rf_collecting *c, int64_t ns);

/* A value that began on a thread then. */
struct rf_summary_place rf_collect_place(const struct rf_collecting *c, uint32_t thread,
                                         int64_t start_ns, uint64_t value);

/* The rank of a process, or what the caller says of the recording where that is another one. */
int64_t rf_collect_rank(const struct rf_collecting *c, int64_t own);

/* Adds a value to the row of a path and kind. */
bool rf_collect_add(struct rf_collecting *c, uint32_t path, uint32_t kind,
                    const struct rf_summary_place *place);

/* Adds to the self time, or the GPU work, of a row that has a value. */
bool rf_collect_add_self(struct rf_collecting *c, uint32_t path, uint32_t kind, uint64_t ns);
bool rf_collect_add_gpu(struct rf_collecting *c, uint32_t path, uint32_t kind, uint64_t ns);

/* Adds a piece of work, whose number is i, to the innermost range around its call, if any. */
void rf_collect_work_of_range(struct rf_collecting *c, const struct rf_gpu_op *op, uint32_t i);

/* Adds ranges that were added up by those around them. path: room for that of each sum. */
void rf_collect_paths(struct rf_collecting *c, const struct rf_sums *sums, uint32_t *path);

/* Adds a sum to the row of a path and kind. */
void rf_collect_sum(struct rf_collecting *c, const struct rf_sum *sum, uint32_t path,
                    uint32_t kind);

/* The order of sums by what was first; the caller frees it. NULL: out of memory. */
uint32_t *rf_collect_order(const struct rf_sums *sums);

/* Adds to a tally of the recording: values, and sums. key: its input is set. */
void rf_collect_tally(struct rf_collecting *c, const struct rf_tally_key *key, uint64_t value);
void rf_collect_tally_counts(struct rf_collecting *c, const struct rf_tally_key *key,
                             const struct rf_value_counts *counts);
void rf_collect_tally_sum(struct rf_collecting *c, const struct rf_tally_key *key, unsigned i,
                          uint64_t value);

/* The string of a text. */
uint32_t rf_collect_text(struct rf_collecting *c, const char *text);

/* Adds how much of the GPU work lies under ranges, and how many something is of: the one tally of a
 * kind. */
void rf_collect_coverage(struct rf_collecting *c, uint32_t kind,
                         const struct rf_coverage *coverage);
void rf_collect_note(struct rf_collecting *c, uint32_t kind, uint64_t n);

/* Says that the recording was searched for tallies of a kind. */
void rf_collect_searched(struct rf_collecting *c, uint32_t kind);

/* The functions that add rows, each of one subject; collect.c has the list. */
void rf_collect_ranges(struct rf_collecting *c);
void rf_collect_calls(struct rf_collecting *c);
void rf_collect_work(struct rf_collecting *c);
void rf_collect_steps(struct rf_collecting *c);
void rf_collect_collectives(struct rf_collecting *c);
void rf_collect_counters(struct rf_collecting *c);
void rf_collect_settings(struct rf_collecting *c);

#endif
