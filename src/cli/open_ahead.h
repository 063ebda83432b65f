/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a recording on another thread while the one before it is used. Two recordings are in
 * memory then, so only files that are not too large are opened so. */
#ifndef RF_CLI_OPEN_AHEAD_H
#define RF_CLI_OPEN_AHEAD_H

#include <stdbool.h>

#include "base/helper_threads.h"
#include "rangefinder/clocks.h"
#include "rangefinder/rangefinder.h"

/* What rf_open_selected() is asked for. */
struct cli_opening {
    const char *path;
    unsigned flags;
    const struct rf_alignment *alignment;    /* NULL: as the recording has its times */
    const struct rf_filter_options *options; /* of a filter that follows; NULL: of none */
};

/* All zero: nothing was begun. */
struct cli_open_ahead {
    struct rf_threads thread;
    struct cli_opening of; /* its alignment and options are those below, or NULL */
    struct rf_alignment alignment;
    struct rf_filter_options options;
    rf_recording *rec;
    int status;
    struct rf_err err;
};

/* Begins to open a recording, if that is worth it. What of->path and the options point to has to
 * stay. Releases what was begun before. */
void cli_open_ahead_begin(struct cli_open_ahead *ahead, const struct cli_opening *of);

/* rf_open_selected() of what was begun last: waits for it. Where nothing was begun, or ahead is
 * NULL, opens it now. */
int cli_open_ahead_take(struct cli_open_ahead *ahead, const struct cli_opening *of,
                        rf_recording **out, struct rf_err *err);

/* Closes what was not taken. */
void cli_open_ahead_release(struct cli_open_ahead *ahead);

#endif
