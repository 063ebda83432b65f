/* SPDX-License-Identifier: Apache-2.0 */
#include "export/export_shares.h"

#include <string.h>

#include "base/error.h"
#include "base/helper_threads.h"
#include "export/gzip.h"

#define ITEMS_WORTH_A_THREAD 8192
#define MAX_SHARES           8

struct rf_shares {
    struct rf_sink *sink; /* of the export; empty while threads write */
    struct rf_gzip *gzip; /* that it writes to, or NULL */
    bool is_direct;       /* one thread, without batches */
    rf_share_fn *write;
    void *context;
    uint32_t n;
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    uint64_t turn; /* the batch that is written; under the lock, likewise below */
    int status;
    uint32_t failed; /* the share whose error that is */
    struct rf_share share[MAX_SHARES];
};

/* ---- Turns ---- */

/* Returns the status of all. */
static int wait_for_turn(struct rf_share *share)
{
    struct rf_shares *all = share->all;
    (void)pthread_mutex_lock(&all->lock);
    while (all->turn != share->batch && all->status == RF_OK)
        (void)pthread_cond_wait(&all->has_changed, &all->lock);
    const int status = all->status;
    (void)pthread_mutex_unlock(&all->lock);
    return status;
}

/* Ends the turn of a share, if it has it. Returns the status of all. */
static int end_turn(struct rf_share *share, bool has_turn, int status)
{
    struct rf_shares *all = share->all;
    (void)pthread_mutex_lock(&all->lock);
    all->turn += has_turn;
    if (all->status == RF_OK && status != RF_OK) {
        all->status = status;
        all->failed = share->number;
    }
    status = all->status;
    (void)pthread_cond_broadcast(&all->has_changed);
    (void)pthread_mutex_unlock(&all->lock);
    return status;
}

static int write_own(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct rf_share *share = context;
    struct rf_sink *to = share->all->sink;
    const int status = wait_for_turn(share);
    return status == RF_OK ? to->flush(to->context, data, size, err) : status;
}

/* Compressing takes longer than formatting: that, too, comes before the turn. */
static int compress_own(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct rf_share *share = context;
    int status = RF_OK;
    for (size_t n = 0; n < size && status == RF_OK;) {
        n += rf_gzip_pack(share->piece, (const char *)data + n, size - n);
        status = wait_for_turn(share);
        if (status == RF_OK)
            status = rf_gzip_put(share->all->gzip, share->piece, err);
    }
    return status;
}

static int swallow(void *context, const void *data, size_t size, struct rf_err *err)
{
    (void)context, (void)data, (void)size, (void)err;
    return RF_OK;
}

/* Writes the batch out, if it is this share's. */
static int end_batch(struct rf_share *share, int status)
{
    if (share->all->is_direct)
        return status != RF_OK ? status : rf_sink_status(share->sink);
    if (!share->is_mine)
        return status != RF_OK ? end_turn(share, false, status) : RF_OK;
    if (status == RF_OK)
        status = rf_sink_finish(&share->own);
    if (status == RF_OK)
        status = wait_for_turn(share); /* also where the batch has nothing */
    return end_turn(share, status == RF_OK, status);
}

static void begin_batch(struct rf_share *share)
{
    share->is_mine = share->batch % share->all->n == share->number;
    share->n_items = 0;
    if (!share->all->is_direct)
        share->sink = share->is_mine ? &share->own : &share->other;
}

int rf_share_next_batch(struct rf_share *share)
{
    const int status = end_batch(share, RF_OK);
    share->batch++;
    begin_batch(share);
    return status;
}

/* ---- Threads ---- */

static void *write_share(void *context)
{
    struct rf_share *share = context;
    begin_batch(share);
    share->status = share->all->write(share->all->context, share);
    share->status = end_batch(share, share->status);
    return NULL;
}

static int init_share(struct rf_shares *all, uint32_t number, const struct rf_export_job *job)
{
    struct rf_share *share = &all->share[number];
    *share = (struct rf_share){.all = all, .number = number, .job = *job, .options = *job->options};
    if (all->is_direct) {
        share->sink = all->sink;
        return RF_OK;
    }
    share->job.options = &share->options;
    share->job.err = &share->err;
    if (number > 0)
        share->options.progress = NULL;
    if (all->gzip != NULL && (share->piece = rf_gzip_piece_new()) == NULL)
        return rf_fail(&share->err, RF_ERR_NO_MEMORY, "out of memory");
    int status =
        rf_sink_init(&share->own, all->gzip != NULL ? compress_own : write_own, share, &share->err);
    if (status == RF_OK)
        status = rf_sink_init(&share->other, swallow, NULL, &share->err);
    share->own.is_raw = share->other.is_raw = all->sink->is_raw;
    return status;
}

static void release(struct rf_shares *all)
{
    for (uint32_t i = 0; i < all->n; i++) {
        rf_sink_release(&all->share[i].own);
        rf_sink_release(&all->share[i].other);
        rf_gzip_piece_free(all->share[i].piece);
    }
    (void)pthread_cond_destroy(&all->has_changed);
    (void)pthread_mutex_destroy(&all->lock);
}

/* All shares have to be at work at a time. If there are too few threads, those that have begun end
 * without having written anything: the first batch is the caller's. */
static bool run_shares(struct rf_shares *all)
{
    struct rf_threads threads = {.n = 0};
    bool are_all = true;
    for (uint32_t i = 1; i < all->n && are_all; i++)
        are_all = rf_threads_start(&threads, write_share, &all->share[i]);
    if (are_all)
        (void)write_share(&all->share[0]);
    else
        (void)end_turn(&all->share[0], false, RF_ERR_NO_MEMORY);
    rf_threads_join(&threads);
    return are_all;
}

/* Of several inputs the next one may be opened meanwhile, by the caller. */
static uint32_t count_shares(uint64_t n_items, bool is_merged)
{
    uint32_t n = rf_n_processors() - is_merged;
    if (n > MAX_SHARES)
        n = MAX_SHARES;
    return n_items / ITEMS_WORTH_A_THREAD < n ? (uint32_t)(n_items / ITEMS_WORTH_A_THREAD) : n;
}

/* Returns whether the export was written, or failed: *status. */
static bool write_in(uint32_t n, struct rf_export_job *job, struct rf_shares *all, int *status)
{
    bool is_done = false;
    all->n = n;
    all->is_direct = n == 1 && all->gzip == NULL;
    all->turn = 0;
    all->status = RF_OK;
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)pthread_cond_init(&all->has_changed, NULL);
    *status = RF_OK;
    for (uint32_t i = 0; i < n && *status == RF_OK; i++) {
        *status = init_share(all, i, job);
        all->failed = i;
    }
    if (*status == RF_OK)
        is_done = n == 1 ? write_share(&all->share[0]) == NULL : run_shares(all);
    if (is_done)
        *status = all->is_direct ? all->share[0].status : all->status;
    if (*status != RF_OK && !all->is_direct && job->err != NULL)
        *job->err = all->share[all->failed].err;
    job->n_done = is_done ? all->share[0].job.n_done : job->n_done;
    release(all);
    return is_done;
}

/* What is compressed depends on neither the number of threads nor, of several inputs, on which are
 * formatted at a time. */
static struct rf_gzip *compressed_by_shares(const struct rf_export_job *job,
                                            const struct rf_sink *sink, uint64_t n_items)
{
    return job->merging == NULL && n_items / ITEMS_WORTH_A_THREAD > 1 ? rf_gzip_of(sink) : NULL;
}

int rf_export_in_shares(struct rf_export_job *job, struct rf_sink *sink, uint64_t n_items,
                        rf_share_fn *write, void *context)
{
    struct rf_shares all = {.sink = sink,
                            .gzip = compressed_by_shares(job, sink, n_items),
                            .write = write,
                            .context = context};
    const uint32_t n = count_shares(n_items, job->merging != NULL);
    int status;
    if (n > 1 || all.gzip != NULL) {
        rf_sink_drain(sink);
        if (rf_sink_status(sink) != RF_OK)
            return rf_sink_status(sink);
    }
    if (n > 1 && write_in(n, job, &all, &status))
        return status;
    (void)write_in(1, job, &all, &status);
    return status;
}
