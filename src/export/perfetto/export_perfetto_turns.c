/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto/export_perfetto_turns.h"

#include <string.h>

void pf_turns_init(struct pf_turns *turns)
{
    memset(turns, 0, sizeof(*turns));
    (void)pthread_mutex_init(&turns->lock, NULL);
    (void)pthread_cond_init(&turns->has_changed, NULL);
}

void pf_turns_release(struct pf_turns *turns)
{
    (void)pthread_cond_destroy(&turns->has_changed);
    (void)pthread_mutex_destroy(&turns->lock);
}

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

void pf_pass_turn(struct pf_turns *turns, int half, bool is_done, int status)
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
        pf_pass_turn(to->turns, to->half, false, status);
    return status;
}
