/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto/export_perfetto_turns.h"

#include <string.h>

bool pf_turns_init(struct pf_turns *turns)
{
    memset(turns, 0, sizeof(*turns));
    (void)pthread_mutex_init(&turns->lock, NULL);
    (void)pthread_cond_init(&turns->has_changed, NULL);
    return rf_proto_init(&turns->block);
}

void pf_turns_release(struct pf_turns *turns)
{
    rf_proto_release(&turns->block);
    (void)pthread_cond_destroy(&turns->has_changed);
    (void)pthread_mutex_destroy(&turns->lock);
}

/* ---- The second half ---- */

/* Waits until the block before was written, and gives this one for its memory. */
static int hand_over(struct pf_writer *to)
{
    struct pf_turns *turns = to->turns;
    (void)pthread_mutex_lock(&turns->lock);
    while (turns->is_full && turns->status == RF_OK)
        (void)pthread_cond_wait(&turns->has_changed, &turns->lock);
    const int status = turns->status;
    if (status == RF_OK) {
        const struct rf_proto block = turns->block;
        turns->block = to->packet;
        to->packet = block;
        turns->is_full = true;
        (void)pthread_cond_signal(&turns->has_changed);
    }
    (void)pthread_mutex_unlock(&turns->lock);
    return status;
}

/* ---- The first half ---- */

/* Waits for the next block of the second half. Returns whether there is one. */
static bool take_over(struct pf_turns *turns)
{
    (void)pthread_mutex_lock(&turns->lock);
    while (!turns->is_full && !turns->is_done && turns->status == RF_OK)
        (void)pthread_cond_wait(&turns->has_changed, &turns->lock);
    const bool is_there = turns->is_full && turns->status == RF_OK;
    (void)pthread_mutex_unlock(&turns->lock);
    return is_there;
}

static int note(struct pf_turns *turns, int half, bool is_taken, bool is_done, int status)
{
    (void)pthread_mutex_lock(&turns->lock);
    if (is_taken)
        turns->is_full = false;
    turns->is_done |= is_done;
    if (turns->status == RF_OK && status != RF_OK) {
        turns->status = status;
        turns->failed = half;
    }
    status = turns->status;
    (void)pthread_cond_signal(&turns->has_changed);
    (void)pthread_mutex_unlock(&turns->lock);
    return status;
}

static int write_bytes(struct pf_writer *to, const struct rf_proto *block)
{
    rf_sink_bytes(to->sink, block->data, block->used);
    return rf_sink_status(to->sink);
}

/* Returns the status of both. */
static int write_taken(struct pf_writer *to)
{
    return note(to->turns, 0, true, false, write_bytes(to, &to->turns->block));
}

static int write_two(struct pf_writer *to)
{
    int status = note(to->turns, 0, false, false, write_bytes(to, &to->packet));
    if (status == RF_OK && take_over(to->turns))
        status = write_taken(to);
    return status;
}

/* ---- Both ---- */

int pf_write_block(struct pf_writer *to)
{
    if (to->turns == NULL)
        return write_bytes(to, &to->packet);
    return to->half == 0 ? write_two(to) : hand_over(to);
}

int pf_end_turns(struct pf_writer *to)
{
    int status = note(to->turns, to->half, false, to->half == 1, to->status);
    while (to->half == 0 && status == RF_OK && take_over(to->turns))
        status = write_taken(to);
    return status;
}
