/* SPDX-License-Identifier: Apache-2.0 */
/* What `profile` does when the program or a capture has ended: one file from the session directory,
 * and what was asked to be made of it. */
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
    uint32_t window;      /* that capture's number, from 0 */
    const char *app_path; /* the program */
    const struct rf_control *control;
};

/* Makes the file, says what is in it, and makes what else was asked for. path: the name that it
 * got; "" where it could not be made. Returns CLI_OK or CLI_PROFILE_FAILED. */
int finish_recording(const struct finish_request *request, char *path, size_t size);

#endif
