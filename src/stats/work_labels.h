/* SPDX-License-Identifier: Apache-2.0 */
/* How reports name calls and GPU work. */
#ifndef RF_STATS_WORK_LABELS_H
#define RF_STATS_WORK_LABELS_H

#include "stats/table.h"

/* A function's name without the ending _vNNNN. */
void rf_cell_set_function(struct rf_cell *cell, const rf_recording *rec, uint32_t name);

/* The string that names a kernel: its demangled name, or else a shorter one; RF_NO_STRING. */
uint32_t rf_kernel_label(const rf_recording *rec, const struct rf_gpu_op *op);

/* The recorded details of a kernel, or NULL. */
const struct rf_kernel *rf_kernel_of(const rf_recording *rec, const struct rf_gpu_op *op);

/* The recorded details of a copy or a set, or NULL. */
const struct rf_transfer *rf_transfer_of(const rf_recording *rec, const struct rf_gpu_op *op);

/* The kind of a MEMCPY, or RF_MEMORY_CODE_SET for a MEMSET. */
#define RF_MEMORY_CODE_SET 256u
uint32_t rf_memory_code(const rf_recording *rec, const struct rf_gpu_op *op);

/* "[CUDA memcpy HtoD]", "[CUDA memset]". */
const char *rf_memory_code_label(uint32_t code);

/* "Pageable", "Device", ...; "None" for an unknown kind. */
const char *rf_memory_kind_label(unsigned kind);

#endif
