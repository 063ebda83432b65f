/* SPDX-License-Identifier: Apache-2.0 */
/* What `profile` does when the program has ended: one file from the session directory, and what was
 * asked to be made of it. */
#ifndef RF_CLI_FINISH_H
#define RF_CLI_FINISH_H

#include "cli/profile_options.h"

struct finish_request {
    const struct profile_options *options;
    const char *base;     /* output without its ending */
    const char *dir;      /* session directory; removed when it is packed */
    const char *app_path; /* the program */
    uint32_t n_processes; /* how many loaded the recorder */
};

/* Returns CLI_OK or CLI_PROFILE_FAILED. When packing fails the directory stays. */
int finish_recording(const struct finish_request *request);

/* The file name ending of an export format: its name, or "txt". */
const char *finish_extension(const char *format);

#endif
