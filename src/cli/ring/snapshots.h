/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a flight recorder's snapshots become. Not for several threads at once. */
#ifndef RF_CLI_RING_SNAPSHOTS_H
#define RF_CLI_RING_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "log/layout.h"
#include "rangefinder/rangefinder.h"

struct cli_drain;
struct run_facts;

struct snapshots_config {
    struct rf_control *control; /* all that stands here outlives the snapshots */
    const char *dir;            /* of the session */
    struct cli_drain *drain;    /* which takes the time of a snapshot, or NULL */
    const char *base;           /* they are BASE.snapshot1.rf, ... */
    struct run_facts *facts;    /* of --summary-json, or NULL */
    bool can_overwrite;
    bool is_quiet;
    uint32_t most;  /* how many are taken; 0: any number */
    uint64_t quota; /* bytes that they may take; 0: any number. The oldest ones go */
};

/* Why one is taken. */
struct snapshot_reason {
    const char *text; /* of a person, the program or a rule; cut to 127 bytes */
    const char *rule; /* as --snapshot-on has it; "": none */
    int64_t value_ns; /* what the rule measured; -1: nothing */
    uint64_t ticks;   /* when it was asked for; 0: now */
};

/* A file that was written, and is still there. */
struct snapshot_file {
    uint32_t number;
    uint64_t size;
    dev_t device;
    ino_t inode;
};

/* All zero but for config: none was taken. */
struct snapshots {
    struct snapshots_config config;
    uint32_t n_taken, n_failed, n_removed;
    uint32_t number; /* of the last one */
    struct snapshot_file *file;
    size_t n_files, file_room;
};

/* Whether there may be no other. */
bool snapshots_are_over(const struct snapshots *snapshots);

/* Takes one. path (size bytes) gets its name: a number whose name is taken is passed over, unless
 * it may be overwritten. Nobody recycles parts of the session meanwhile. */
int snapshots_take(struct snapshots *snapshots, const struct snapshot_reason *reason, char *path,
                   size_t size, struct rf_err *err);

void snapshots_release(struct snapshots *snapshots);

#endif
