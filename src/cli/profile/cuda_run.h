/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA in the processes of a session: what they have yet to hand over, and what became of it. */
#ifndef RF_CLI_PROFILE_CUDA_RUN_H
#define RF_CLI_PROFILE_CUDA_RUN_H

#include "log/layout.h"

#define CUDA_RUN_MAX_LATE 64

/* Processes that were waited for in vain. Zeroed: none. */
struct cuda_late {
    struct {
        uint32_t process, phase;
    } at[CUDA_RUN_MAX_LATE];
    uint32_t n;
};

/* A capture (number from 0) has ended: what the GPU did in it comes a moment later. Waits until
 * all processes that use CUDA have handed it over, five seconds at most, and says which did not.
 * One that was late stays so until it is heard of again, and is not waited for twice. */
void cuda_run_wait(struct cuda_late *late, const struct rf_control *control, const char *dir,
                   uint32_t number);

/* What the processes of a run made of CUDA. */
struct cuda_run {
    uint32_t n_used;   /* initialised it */
    uint32_t n_killed; /* and ended without handing over the last of it */
};

/* After the run, with its directory still there. */
void cuda_run_look(struct cuda_run *run, const struct rf_control *control, const char *dir);

/* How much of the last work of a process that was killed may be missing. */
uint32_t cuda_run_flush_ms(const struct rf_control *control);

#endif
