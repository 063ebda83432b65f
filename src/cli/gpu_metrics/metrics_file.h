/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.log of a session directory, which the samples of GPU metrics go to. */
#ifndef RF_CLI_GPU_METRICS_METRICS_FILE_H
#define RF_CLI_GPU_METRICS_METRICS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "session/session_dir.h"

struct metrics_file {
    int fd;                     /* -1: it is not open */
    struct rf_control *control; /* of the session */
    uint32_t clock_kind;
    bool has_reported_full; /* atomic */
};

/* Returns 0, or -1 after a message. */
int metrics_file_open(struct metrics_file *file, const struct session_dir *session);
void metrics_file_close(struct metrics_file *file);

/* Appends a whole chunk with one call. Any thread. Returns 0; or -1, after a message the first
 * time. */
int metrics_file_append(struct metrics_file *file, const void *data, size_t size);

#endif
