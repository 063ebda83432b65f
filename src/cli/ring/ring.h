/* SPDX-License-Identifier: Apache-2.0 */
/* A flight recorder: a thread that recycles the oldest parts of the session where it holds more
 * than its ring, and that packs snapshots of what it holds, while the program runs. */
#ifndef RF_CLI_RING_RING_H
#define RF_CLI_RING_RING_H

#include <stdbool.h>

#include "log/layout.h"
#include "rangefinder/rangefinder.h"

struct cli_drain;
struct cli_ring;

struct cli_ring_config {
    struct rf_control *control; /* its ring.size is not 0; it outlives the thread, likewise below */
    const char *dir;            /* of the session */
    struct cli_drain *drain;    /* which takes the time of a snapshot, or NULL */
    const char *base;           /* snapshots are BASE.snapshot1.rf, ... */
    bool can_overwrite;
    bool is_quiet;
    uint32_t max_snapshots; /* 0: any number */
};

/* NULL: out of memory or threads, which was said; nothing is recycled then. */
struct cli_ring *cli_ring_start(const struct cli_ring_config *config);

/* Why a snapshot is taken. */
struct cli_ring_reason {
    const char *text; /* of a person or the program; cut to 127 bytes */
    const char *rule; /* as --snapshot-on has it; "": none */
    int64_t value_ns; /* what the rule measured; -1: nothing */
};

/* Takes a snapshot and waits until it is there. path (size bytes) gets its name. Any thread. */
int cli_ring_snapshot(struct cli_ring *ring, const struct cli_ring_reason *reason, char *path,
                      size_t size, struct rf_err *err);

/* Ends the thread and frees it. NULL is accepted. */
void cli_ring_stop(struct cli_ring *ring);

#endif
