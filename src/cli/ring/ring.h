/* SPDX-License-Identifier: Apache-2.0 */
/* A flight recorder: a thread that recycles the oldest parts of the session where it holds more
 * than its ring, that looks for what the rules ask for, and that packs snapshots of what the ring
 * holds while the program runs. */
#ifndef RF_CLI_RING_RING_H
#define RF_CLI_RING_RING_H

#include "cli/ring/rules.h"
#include "cli/ring/snapshots.h"

struct cli_ring;
struct cli_gpu_sampler;

struct cli_ring_config {
    struct snapshots_config snapshots; /* its control has a ring whose size is not 0 */
    const struct rules *rules;         /* outlive the thread */
    int64_t after_ns;                  /* from what a rule finds to its snapshot */
    int64_t cool_down_ns;              /* from there to when rules find anything again */
};

/* NULL: out of memory or threads, which was said; nothing is recycled then. */
struct cli_ring *cli_ring_start(const struct cli_ring_config *config);

/* Takes a snapshot and waits until it is there. path (size bytes) gets its name. Any thread. */
int cli_ring_snapshot(struct cli_ring *ring, const struct snapshot_reason *reason, char *path,
                      size_t size, struct rf_err *err);

/* Whose samples a snapshot waits for; NULL: nobody's, from when this returns. */
void cli_ring_set_sampler(struct cli_ring *ring, const struct cli_gpu_sampler *sampler);

/* The key was pressed: takes a snapshot soon. Any thread; does not wait. */
void cli_ring_press(struct cli_ring *ring);

/* The program that the command line started has ended; status: as of waitpid(). NULL is accepted.
 */
void cli_ring_root_ended(struct cli_ring *ring, int status);

/* Takes the snapshot that is due, says what the rules came to, ends the thread and frees it. NULL
 * is accepted. */
void cli_ring_stop(struct cli_ring *ring);

#endif
