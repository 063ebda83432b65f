/* SPDX-License-Identifier: Apache-2.0 */
/* The two threads that write a trace write their full blocks in turns, as long as both have any: so
 * the file is the same every time, no thread writes while the other one does, and neither is ahead
 * by more than a block. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_TURNS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_TURNS_H

#include <pthread.h>

#include "export/perfetto/export_perfetto.h"

struct pf_turns {
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    int turn;
    bool is_done[2];
    int status; /* the first error of either, */
    int failed; /* and whose it was */
};

void pf_turns_init(struct pf_turns *turns);
void pf_turns_release(struct pf_turns *turns);

/* Ends the turn of a half. is_done: it has nothing more to write. */
void pf_pass_turn(struct pf_turns *turns, int half, bool is_done, int status);

/* Writes what is in the packet buffer, when it is this half's turn. Returns 0 or a negative enum
 * rf_error, of either half. */
int pf_write_block(struct pf_writer *to);

#endif
