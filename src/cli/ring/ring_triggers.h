/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a flight recorder take a snapshot by itself, and when: rules, the program and the key.
 * All functions are called by one thread at a time. */
#ifndef RF_CLI_RING_RING_TRIGGERS_H
#define RF_CLI_RING_RING_TRIGGERS_H

#include "cli/profile/cuda_run.h"
#include "cli/ring/rule_watch.h"
#include "cli/ring/snapshots.h"

struct cli_ring_config;
struct cli_gpu_sampler;

#define RING_LOOK_NS 50000000LL /* between looks at what was recorded */

/* A snapshot that is to be taken. */
struct ring_due {
    bool is_wanted;
    int64_t due_ns;
    struct rule_firing why;
    uint64_t ticks;
    struct cuda_wait gpu;
};

struct ring_triggers {
    struct snapshots snapshots;
    const struct rules *rules;
    const struct cli_gpu_sampler *sampler; /* or NULL */
    int64_t after_ns, cool_down_ns;
    struct rule_watch *watch; /* NULL: nobody has asked for anything yet */
    struct ring_due due;
    int64_t next_ns;      /* when to look again */
    int64_t quiet_ns;     /* until when rules find nothing */
    int64_t end_quiet_ns; /* likewise those that are about ends of processes */
    uint64_t n_cooled;    /* what was found meanwhile */
    struct cuda_wait key; /* since it was pressed */
    bool has_said_over, has_said_failure, has_no_memory;

    bool is_pressed; /* atomic, likewise below */
    bool has_root_ended;
    int root_status; /* stored before */
};

void ring_triggers_init(struct ring_triggers *triggers, const struct cli_ring_config *config);

/* Is what GPUs had done at the first call in the logs, and are the samples up to then? */
bool ring_triggers_has_gpu_work(const struct ring_triggers *triggers, struct cuda_wait *wait);

/* Looks at what was recorded since, and takes the snapshot that is due. */
void ring_triggers_run(struct ring_triggers *triggers);

/* Only looks, now. Returns whether there is more to look at. */
bool ring_triggers_look(struct ring_triggers *triggers);

/* The program has ended: takes the snapshot that is to come, and says what there was. */
void ring_triggers_finish(struct ring_triggers *triggers);

void ring_triggers_release(struct ring_triggers *triggers);

#endif
