/* SPDX-License-Identifier: Apache-2.0 */
/* How a table names kernels: rf_table.kernel_naming and with_ranges. */
#ifndef RF_STATS_KERNEL_NAMES_H
#define RF_STATS_KERNEL_NAMES_H

#include "stats/table.h"

struct rf_kernel_names;

/* Begins; *out belongs to the table. Returns RF_OK, or another status after a message. */
int rf_kernel_names_begin(const rf_recording *rec, struct rf_table *table,
                          struct rf_kernel_names **out, struct rf_err *err);

/* Gives the number of a kernel's name, the same for the same name. op is one of rf_gpu_ops().
 * false: out of memory. */
bool rf_kernel_names_find(struct rf_kernel_names *names, const struct rf_gpu_op *op,
                          uint32_t *name);

/* Sets a cell of type WORD to the name with this number. */
void rf_kernel_names_set(const struct rf_kernel_names *names, struct rf_cell *cell, uint32_t name);

#endif
