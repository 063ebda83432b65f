/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_NVTX_H
#define RF_IMPORT_NSYS_NVTX_H

#include "import/nsys_load.h"

int nsys_load_nvtx(struct nsys_load *load);

/* The index of a domain of a process, which is added if it is new; RF_NO_INDEX: out of memory. */
uint32_t nsys_find_domain(struct nsys_load *load, uint32_t process, uint64_t id);

/* Adds an event to a thread of load, in any order. */
int nsys_add_event(struct nsys_load *load, uint32_t thread, const struct rf_event *event);

/* Gives every process the default domain. */
int nsys_add_default_domains(struct nsys_load *load);

#endif
