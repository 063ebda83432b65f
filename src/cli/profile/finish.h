/* SPDX-License-Identifier: Apache-2.0 */
/* What `profile` does when the program or a capture has ended: it packs the session directory into
 * one file, and writes the exports and statistics that were asked for. */
#ifndef RF_CLI_PROFILE_FINISH_H
#define RF_CLI_PROFILE_FINISH_H

#include <stdbool.h>

#include "cli/profile/profile_options.h"
#include "log/pack.h"

struct finish_request {
    const struct profile_options *options;
    const char *base; /* output without its ending */
    const char *dir;  /* session directory */
    bool can_overwrite;
    bool is_capture; /* one capture of a focused run; false: the whole directory */
    struct rf_control
        *piece_of;            /* NULL, or the page of a session of which the next piece is made */
    const char *piece_before; /* of the last one; NULL: there is none */
    bool is_retry;            /* that a piece cannot be written was said */
    uint32_t window;          /* number of the capture, from 0 */
    struct rf_captures *captures; /* those before it, or NULL */
    const char *app_path;         /* the program */
    const struct rf_control *control;
    bool ended_in_tool;      /* a process ended while a tool of --chain was beginning */
    struct rf_packed packed; /* set: the file */
};

/* Writes the file, prints its summary, and writes the exports and statistics. path: the name of the
 * file; "" where it could not be written, or a piece would be empty. Returns CLI_OK or
 * CLI_PROFILE_FAILED. */
int finish_recording(struct finish_request *request, char *path, size_t size);

#endif
