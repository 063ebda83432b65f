/* SPDX-License-Identifier: Apache-2.0 */
/* What calls and GPU work are called. */
#ifndef RF_SUMMARY_WORK_NAMES_H
#define RF_SUMMARY_WORK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* The size of a function's name without the ending _vNNNN. */
size_t rf_function_size(const char *text, size_t size);

/* The string that names a kernel: its demangled name, or else a shorter one; RF_NO_STRING. */
uint32_t rf_kernel_label(const rf_recording *rec, const struct rf_gpu_op *op);

/* The recorded details of a kernel, or NULL. */
const struct rf_kernel *rf_kernel_of(const rf_recording *rec, const struct rf_gpu_op *op);

/* The recorded details of a copy or a set, or NULL. */
const struct rf_transfer *rf_transfer_of(const rf_recording *rec, const struct rf_gpu_op *op);

/* Whether it is a copy of unified memory between host and device. */
bool rf_is_migration(const rf_recording *rec, const struct rf_gpu_op *op);
#define RF_MIGRATION_TO_DEVICE 11 /* CUPTI's numbers of the kinds of copies */
#define RF_MIGRATION_TO_HOST   12

/* The kind of a MEMCPY, or RF_MEMORY_CODE_SET for a MEMSET. */
#define RF_MEMORY_CODE_SET 256u
uint32_t rf_memory_code(const rf_recording *rec, const struct rf_gpu_op *op);

/* "[CUDA memcpy HtoD]", "[CUDA memset]". */
const char *rf_memory_code_label(uint32_t code);

/* "Pageable", "Device", ...; "None" for an unknown kind. */
const char *rf_memory_kind_label(unsigned kind);

#endif
