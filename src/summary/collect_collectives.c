/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives of a recording: the first ones by start. */
#include "model/collectives/collectives.h"
#include "summary/collect.h"

/* Where its process has none it is that of the recording. */
static int64_t rank_of(const struct rf_collecting *c, const struct rf_collective *item)
{
    const int64_t rank = rf_collect_rank(c, item->rank);
    return rank >= 0 ? rank : c->summary->input[0].rank;
}

static void add(struct rf_collecting *c, const struct rf_collective *item)
{
    const struct rf_process *process = rf_process_at(c->rec, item->process);
    const struct rf_thread *thread = rf_thread_at(c->rec, item->thread);
    const struct rf_gpu_track *track = rf_gpu_track_at(c->rec, item->track);
    const struct rf_summary_collective own = {
        .operation = rf_strings_add(&c->summary->strings, item->operation, item->operation_size),
        .kind = item->kind,
        .start_utc_ns = rf_collect_utc(c, item->start_ns),
        .end_utc_ns = rf_collect_utc(c, item->end_ns),
        .number = item->number,
        .communicator = item->has_communicator ? (int64_t)item->communicator : -1,
        .bytes = item->has_bytes ? (int64_t)item->bytes : -1,
        .rank = rank_of(c, item),
        .pid = process != NULL ? (int64_t)process->pid : -1,
        .tid = thread != NULL ? (int64_t)thread->tid : -1,
        .device = track != NULL ? (int64_t)track->device : -1,
        .stream = track != NULL ? (int64_t)track->stream : -1,
    };
    (void)rf_collect_fail(c, own.operation != RF_NO_STRING
                                 ? rf_summary_collective_add(c->summary, &own)
                                 : RF_ERR_NO_MEMORY);
}

void rf_collect_collectives(struct rf_collecting *c)
{
    struct rf_collectives found;
    struct rf_searched *searched = rf_searched_at(&c->summary->collectives.searched, 0);
    int status = rf_collectives_find(c->rec, c->options.collective, &found, c->err);
    const size_t max = c->options.max_collectives;
    (void)rf_collect_fail(c, searched != NULL ? status : RF_ERR_NO_MEMORY);
    for (size_t i = 0; i < found.n && i < max && c->status == RF_OK; i++)
        add(c, &found.item[i]);
    if (c->status == RF_OK) {
        searched->n_searched = found.is_searched;
        searched->n_left_out = (found.n > max ? found.n - max : 0) + found.n_more;
    }
    rf_collectives_release(&found);
}
