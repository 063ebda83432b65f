/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads write the trace at once: one what happened on the CPU, the other what happened on the
 * GPU. Each half is a sequence of packets of its own, with numbers of its own. */
#include "export/perfetto/export_perfetto_parallel.h"

#include <pthread.h>
#include <string.h>

#include "export/perfetto/export_perfetto_turns.h"
#include "export/perfetto/export_perfetto_calls.h"
#include "export/perfetto/export_perfetto_counters.h"
#include "export/perfetto/export_perfetto_gpu.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_projection.h"
#include "export/perfetto/export_perfetto_start_end.h"
#include "export/perfetto/export_perfetto_threads.h"

/* Tracks of the second half are numbered from here. */
#define SECOND_UUIDS ((uint64_t)1 << 32)

static void write_half(struct pf_writer *to)
{
    if (to->half == 0) {
        (void)pf_write_threads(to);
        (void)pf_write_start_ends(to);
        (void)pf_write_calls(to);
    } else {
        (void)pf_write_gpu(to);
        (void)pf_write_projections(to);
        (void)pf_write_counters(to);
    }
    if (to->status == RF_OK)
        (void)pf_flush(to);
    pf_pass_turn(to->turns, to->half, 1, to->status);
}

static void *run_second(void *second)
{
    write_half(second);
    return NULL;
}

/* The second half has its own memory, errors, and no part in the progress. */
static int begin_second(struct pf_writer *second, const struct pf_writer *first,
                        struct rf_export_job *job)
{
    *second = *first;
    memset(&second->packet, 0, sizeof(second->packet));
    memset(&second->interned, 0, sizeof(second->interned));
    memset(&second->known, 0, sizeof(second->known));
    memset(&second->words, 0, sizeof(second->words));
    second->job = job;
    second->half = 1;
    second->next_uuid = SECOND_UUIDS;
    return pf_packets_init(second);
}

int pf_write_in_parallel(struct pf_writer *to)
{
    pthread_t thread;
    struct pf_writer second;
    struct rf_err err = {0};
    struct rf_export_options options = *to->job->options;
    struct rf_export_job job = *to->job;
    struct pf_turns turns;
    options.progress = NULL;
    job.options = &options;
    job.err = &err;
    if (to->status != RF_OK || pf_flush(to) != RF_OK)
        return to->status;
    pf_turns_init(&turns);
    to->turns = &turns;
    (void)pf_fail(&second, begin_second(&second, to, &job));
    turns.failed = second.status != RF_OK;
    int has_thread =
        second.status == RF_OK && pthread_create(&thread, NULL, run_second, &second) == 0;
    if (!has_thread)
        turns.is_done[1] = 1; /* then one comes after the other */
    write_half(to);
    if (has_thread)
        (void)pthread_join(thread, NULL);
    else if (second.status == RF_OK)
        write_half(&second);
    if (turns.failed == 1 && err.code != RF_OK && to->job->err != NULL)
        *to->job->err = err; /* one of the sink is there already */
    (void)pf_fail(to, second.status);
    pf_packets_release(&second);
    to->turns = NULL;
    pf_turns_release(&turns);
    return to->status;
}
