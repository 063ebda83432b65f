/* SPDX-License-Identifier: Apache-2.0 */
/* The full blocks of the two halves of a trace stand in turns, as long as both have any: so the
 * file is the same every time, and neither is ahead by more than two blocks. The first half writes
 * them all, since the second one has more to format. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_TURNS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_TURNS_H

#include <pthread.h>

#include "export/perfetto/export_perfetto.h"

struct pf_turns {
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    struct rf_proto block; /* of the second half, for the first one: while is_full is set */
    bool is_full;          /* under the lock, likewise below */
    bool is_done;          /* the second half hands over no more */
    int status;            /* the first error of either, */
    int failed;            /* and whose it was */
};

/* Returns false where there is no memory. To be released in any case. */
bool pf_turns_init(struct pf_turns *turns);
void pf_turns_release(struct pf_turns *turns);

/* The end of a half: of the second one, when it has handed over all; of the first one, which then
 * writes what the second one still hands over. Returns the status of both. */
int pf_end_turns(struct pf_writer *to);

/* Writes what is in the packet buffer, or has it written. Returns 0 or a negative enum rf_error, of
 * either half. */
int pf_write_block(struct pf_writer *to);

#endif
