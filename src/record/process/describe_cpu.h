/* SPDX-License-Identifier: Apache-2.0 */
/* Which processor this machine has, and how many of its threads the process may use. */
#ifndef RF_RECORD_DESCRIBE_CPU_H
#define RF_RECORD_DESCRIBE_CPU_H

#include <stddef.h>
#include <stdint.h>

/* The name of the processor without spaces around it; returns its size, 0: it is not known. */
size_t rf_cpu_name(char *name, size_t size);

/* 0: it is not known. */
uint32_t rf_n_cpus(void);

#endif
