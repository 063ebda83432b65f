/* SPDX-License-Identifier: Apache-2.0 */
/* What reports call a kernel. */
#ifndef RF_STATS_KERNEL_LABELS_H
#define RF_STATS_KERNEL_LABELS_H

#include "stats/table.h"

/* The string that names a kernel: its demangled name, or else a shorter one; RF_NO_STRING. */
uint32_t rf_kernel_label(const rf_recording *rec, const struct rf_gpu_op *op);

/* A string of the recording, "(null)" for RF_NO_STRING; returns 0 when out of memory. */
int rf_cell_set_string(struct rf_cell *cell, const rf_recording *rec, uint32_t string);

#endif
