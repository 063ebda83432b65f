/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_CALLS_H
#define RF_IMPORT_NSYS_CALLS_H

#include "import/nsys_load.h"

/* Calls of CUDA and of the operating system's libraries. */
int nsys_load_calls(struct nsys_load *load);

/* The only process with a call of a correlation id; RF_NO_INDEX: none or several have one. Returns
 * 0 or RF_ERR_NO_MEMORY. After nsys_load_calls(). */
int nsys_only_process(struct nsys_load *load, uint32_t correlation, uint32_t *process);

#endif
