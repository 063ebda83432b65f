/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA in the processes of a session: what they still have to hand over, and whether they did. */
#ifndef RF_CLI_PROFILE_CUDA_RUN_H
#define RF_CLI_PROFILE_CUDA_RUN_H

#include <stdbool.h>

#include "log/layout.h"

#define CUDA_RUN_MAX_LATE 64

/* Processes that did not hand over in time. Zeroed: none. */
struct cuda_late {
    struct {
        uint32_t process, phase;
    } at[CUDA_RUN_MAX_LATE];
    uint32_t n;
};

/* Waits after the end of a capture (number from 0) until all processes that use CUDA have handed
 * over its GPU work, which arrives later; five seconds at most. Prints which did not. A process
 * that was late is not waited for again until it hands something over. */
void cuda_run_wait(struct cuda_late *late, const struct rf_control *control, const char *dir,
                   uint32_t number);

/* What a snapshot waits for. Zeroed: it has not begun. */
struct cuda_wait {
    uint64_t ticks;
    int64_t until_ns; /* CLOCK_MONOTONIC */
    int64_t real_ns;  /* CLOCK_REALTIME of ticks */
};

/* Whether the work of GPUs that had ended at the first call is in the logs of all processes that
 * run; after two seconds it returns true in any case, and prints which did not hand it over. Does
 * not wait. */
bool cuda_run_has_come(struct cuda_wait *wait, const struct rf_control *control, const char *dir);

/* How the processes of a run used CUDA. */
struct cuda_run {
    uint32_t n_used;   /* initialised it */
    uint32_t n_killed; /* and ended without handing over the last of it */
};

/* Called after the run, before its directory is removed. */
void cuda_run_count(struct cuda_run *run, const struct rf_control *control, const char *dir);

/* How much of a killed process's last work may be missing. */
uint32_t cuda_run_flush_ms(const struct rf_control *control);

#endif
