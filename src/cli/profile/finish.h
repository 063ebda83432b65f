/* SPDX-License-Identifier: Apache-2.0 */
/* What `profile` does when the program or a capture has ended: it packs the session directory into
 * one file, and writes the exports and statistics that were asked for. */
#ifndef RF_CLI_PROFILE_FINISH_H
#define RF_CLI_PROFILE_FINISH_H

#include <stdbool.h>

#include "cli/profile/profile_options.h"

struct finish_request {
    const struct profile_options *options;
    const char *base; /* output without its ending */
    const char *dir;  /* session directory */
    bool can_overwrite;
    bool is_capture;      /* one capture of a focused run; false: the whole directory */
    uint32_t window;      /* number of the capture, from 0 */
    const char *app_path; /* the program */
    const struct rf_control *control;
};

/* Writes the file, prints its summary, and writes the exports and statistics. path: the name of the
 * file; "" where it could not be written. Returns CLI_OK or CLI_PROFILE_FAILED. */
int finish_recording(const struct finish_request *request, char *path, size_t size);

#endif
