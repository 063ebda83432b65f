/* SPDX-License-Identifier: Apache-2.0 */
/* Formatting an export in several threads. What comes where depends on everything before it, but
 * finding that out takes little of the time. So each thread goes through all items with a writer of
 * its own, and formats every n-th batch of them; what it writes of other batches is swallowed.
 * Batches reach the output in their order, and no thread holds more than a sink does. Where the
 * output is compressed, each thread compresses what it formats. */
#ifndef RF_EXPORT_EXPORT_SHARES_H
#define RF_EXPORT_EXPORT_SHARES_H

#include "export/export.h"

struct rf_shares;

/* What one thread has. */
struct rf_share {
    struct rf_shares *all;
    uint32_t number;
    struct rf_export_job job; /* the thread's own: the first one's has a part in the progress */
    struct rf_export_options options;
    struct rf_err err;
    struct rf_sink own, other;   /* of its batches, and of all others */
    struct rf_gzip_piece *piece; /* where the output is compressed */
    struct rf_sink *sink;        /* of the batch that has begun */
    bool is_mine;                /* that batch: nothing else needs to be formatted */
    uint32_t n_items;            /* of that batch */
    uint64_t batch;
    int status;
};

/* Writes the whole export to share->sink, which changes from item to item, by share->job. */
typedef int rf_share_fn(void *context, struct rf_share *share);

/* Calls write in as many threads as so many items are worth. Returns 0 or the error that came
 * first, which is in job->err. */
int rf_export_in_shares(struct rf_export_job *job, struct rf_sink *sink, uint64_t n_items,
                        rf_share_fn *write, void *context);

/* Some 200 kB of JSON: a sink holds it, so that no thread waits for its turn within a batch.
 * Threads that hand over more often take longer, and so does the kernel, which gives small writes
 * small pages. */
#define RF_ITEMS_OF_A_BATCH 512

int rf_share_next_batch(struct rf_share *share);

/* To be called after each item: the next one may be another thread's. Returns 0, or an error: there
 * is no need to go on. */
static inline int rf_share_next(struct rf_share *share)
{
    return ++share->n_items < RF_ITEMS_OF_A_BATCH ? rf_sink_status(share->sink)
                                                  : rf_share_next_batch(share);
}

#endif
