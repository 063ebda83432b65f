/* SPDX-License-Identifier: Apache-2.0 */
/* A long run: a thread that writes what was recorded to files one after another, while the program
 * runs, and removes the oldest of them where there may not be more. */
#ifndef RF_CLI_SPLIT_SPLIT_H
#define RF_CLI_SPLIT_SPLIT_H

#include <stdbool.h>

#include "cli/profile/profile_options.h"

struct cli_drain;
struct cli_split;
struct rf_packed;

struct cli_split_config {
    const struct profile_options *options;
    struct rf_control *control;
    const char *dir;         /* of the session */
    struct cli_drain *drain; /* which takes the time of a piece, or NULL */
    const char *base;        /* pieces are BASE.1.rf, ... */
    const char *app_path;
};

/* Looks for pieces of earlier runs, which `stats BASE.*.rf` would mix with those of this one.
 * Returns CLI_OK, or CLI_PROFILE_FAILED after a message where they may not be overwritten. */
int cli_split_check_names(const char *base, bool can_overwrite);

/* What config points to outlives the thread. NULL: out of memory or threads, which was said. */
struct cli_split *cli_split_start(const struct cli_split_config *config);

/* Ends the thread, and makes room for the last piece, which is written like any other recording.
 * NULL is accepted, likewise below. */
void cli_split_stop(struct cli_split *split);

/* The piece that was written last, unless there is none; it stays valid until the next function. */
const char *cli_split_last(const struct cli_split *split);

/* The last piece was written (path and *packed; "": it was not): removes what is too much, says
 * what was removed, and frees all. */
void cli_split_finish(struct cli_split *split, const char *path, const struct rf_packed *packed);

#endif
