/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of CUDA on this machine, found without initialising it. */
#ifndef RF_CLI_DOCTOR_CUDA_MACHINE_H
#define RF_CLI_DOCTOR_CUDA_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cupti_library.h"

struct cuda_machine {
    /* libcuda.so.1 */
    bool has_driver;
    bool is_driver_broken; /* it exists and cannot be loaded */
    int driver;            /* cuDriverGetVersion(): 12020 for 12.2; 0: unknown */
    char driver_path[PATH_MAX];
    char driver_error[512]; /* why it cannot be loaded */
    /* libcupti, looked for only where there is libcuda.so.1 */
    bool has_cupti;
    struct rf_cupti_library cupti; /* its handle is not valid in this process */
};

/* Loads both libraries in a child process, so that a crash or output of theirs does no harm.
 * Returns 0; or -1 where the child did not finish, with the reason in driver_error. */
int cuda_machine_probe(struct cuda_machine *machine);

/* Writes the version of NVIDIA's driver as the kernel reports it, "535.261.03"; "": no driver. */
void cuda_machine_kernel_driver(char *text, size_t size);

/* Counts the device nodes of GPUs, and how many of them this user may open. */
unsigned cuda_machine_count_nodes(unsigned *n_open);

/* Why no CUDA was recorded for the program `path` on this machine; never NULL. */
const char *cuda_machine_why_nothing(const char *path);

#endif
