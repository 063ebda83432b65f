/* SPDX-License-Identifier: Apache-2.0 */
/* What a call waited for, moment by moment, from its return backwards: the work in its scope that
 * ended last; before the start of that, the work that had ended last until then; and so on. */
#ifndef RF_STATS_WAIT_CHAINS_H
#define RF_STATS_WAIT_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"
#include "stats/wait_scopes.h"

struct rf_work_end {
    int64_t end_ns;
    uint32_t process, op;
};

struct rf_one_wait {
    uint32_t thread;
    int64_t start_ns, end_ns;
};

struct rf_wait_chains {
    const rf_recording *rec;
    struct rf_work_end *end; /* by process, time */
    size_t n, room;
    uint64_t n_visits; /* pieces of work that may still be looked at */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_wait_chains_init(struct rf_wait_chains *chains, const rf_recording *rec);
void rf_wait_chains_release(struct rf_wait_chains *chains);

/* Tells add() of each piece of a wait, which add up to it, the last one first. op: NULL:
 * nothing in the scope ran that the call waited for. Returns RF_OK, or what add() returned.
 * *is_cut: too many waits overlap too much work, and nothing was told of this one. */
int rf_wait_chain_find(struct rf_wait_chains *chains, const struct rf_wait_scope *scope,
                       const struct rf_one_wait *wait,
                       int (*add)(void *context, const struct rf_gpu_op *op, uint64_t ns),
                       void *context, bool *is_cut);

#endif
