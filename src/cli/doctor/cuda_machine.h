/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine has of CUDA, found without initialising it. */
#ifndef RF_CLI_DOCTOR_CUDA_MACHINE_H
#define RF_CLI_DOCTOR_CUDA_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cupti_library.h"

struct cuda_machine {
    /* libcuda.so.1 */
    bool has_driver;
    bool is_driver_broken; /* it is there and cannot be loaded */
    int driver;            /* cuDriverGetVersion(): 12020 for 12.2; 0: unknown */
    char driver_path[PATH_MAX];
    char driver_error[512]; /* why it cannot be loaded */
    /* libcupti, looked for only where there is libcuda.so.1 */
    bool has_cupti;
    struct rf_cupti_library cupti; /* its handle is of no use here */
};

/* Loads both libraries in a child process, where what they do to it, and to its output, harms
 * nobody. Returns 0, or -1: the child did not get to its end; driver_error then says how it ended.
 */
int cuda_machine_look(struct cuda_machine *machine);

/* What the kernel says: the version of NVIDIA's driver, "535.261.03"; "": there is none. */
void cuda_machine_kernel_driver(char *text, size_t size);

/* How many device nodes of GPUs there are, and of them how many this user may open. */
unsigned cuda_machine_count_nodes(unsigned *n_open);

/* Why nothing of CUDA was recorded of a program that was started here; never NULL. path: the
 * program. */
const char *cuda_machine_why_nothing(const char *path);

#endif
