/* SPDX-License-Identifier: Apache-2.0 */
/* The trace is written in two halves at once, by two threads: what happened on the CPU, and what
 * did on the GPU. Each is a sequence of packets of its own, with numbers of its own. Full blocks
 * are written in turns, as long as both have any: so the file is the same every time, no thread
 * writes while the other one does, and neither is ahead by more than a block. */
#include <pthread.h>
#include <string.h>

#include "export/perfetto/export_perfetto.h"

/* Tracks of the second half are numbered from here. */
#define SECOND_UUIDS ((uint64_t)1 << 32)

struct pf_turns {
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    int turn;
    int is_done[2];
    int status; /* the first error of either, */
    int failed; /* and whose it was */
};

/* Waits for the turn. Returns the status of both. */
static int take_turn(struct pf_turns *turns, int half)
{
    (void)pthread_mutex_lock(&turns->lock);
    while (turns->turn != half && !turns->is_done[!half])
        (void)pthread_cond_wait(&turns->has_changed, &turns->lock);
    int status = turns->status;
    (void)pthread_mutex_unlock(&turns->lock);
    return status;
}

static void pass_turn(struct pf_turns *turns, int half, int is_done, int status)
{
    (void)pthread_mutex_lock(&turns->lock);
    turns->turn = !half;
    turns->is_done[half] = is_done;
    if (turns->status == RF_OK && status != RF_OK) {
        turns->status = status;
        turns->failed = half;
    }
    (void)pthread_cond_signal(&turns->has_changed);
    (void)pthread_mutex_unlock(&turns->lock);
}

int pf_write_block(struct pf_writer *to)
{
    int status = to->turns != NULL ? take_turn(to->turns, to->half) : RF_OK;
    if (status == RF_OK) {
        rf_sink_bytes(to->sink, to->packet.data, to->packet.used);
        status = rf_sink_status(to->sink);
    }
    if (to->turns != NULL)
        pass_turn(to->turns, to->half, 0, status);
    return status;
}

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
    pass_turn(to->turns, to->half, 1, to->status);
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

int pf_write_halves(struct pf_writer *to)
{
    pthread_t thread;
    struct pf_writer second;
    struct rf_err err = {0};
    struct rf_export_options options = *to->job->options;
    struct rf_export_job job = *to->job;
    struct pf_turns turns = {.turn = 0};
    options.progress = NULL;
    job.options = &options;
    job.err = &err;
    if (to->status != RF_OK || pf_flush(to) != RF_OK)
        return to->status;
    (void)pthread_mutex_init(&turns.lock, NULL);
    (void)pthread_cond_init(&turns.has_changed, NULL);
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
    (void)pthread_cond_destroy(&turns.has_changed);
    (void)pthread_mutex_destroy(&turns.lock);
    return to->status;
}
