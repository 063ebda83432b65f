/* SPDX-License-Identifier: Apache-2.0 */
/* What reports call work that is no kernel. */
#ifndef RF_STATS_WORK_LABELS_H
#define RF_STATS_WORK_LABELS_H

#include "rangefinder/rangefinder.h"

/* Codes of copies and sets, for groups. */
#define RF_MEMORY_CODE_SET 256u

/* A copy's kind, or RF_MEMORY_CODE_SET. op is a MEMCPY or MEMSET. */
uint32_t rf_memory_code(const rf_recording *rec, const struct rf_gpu_op *op);

/* "[CUDA memcpy HtoD]", "[CUDA memset]": text that lives as long as the program. */
const char *rf_memory_code_label(uint32_t code);

/* "Pageable", "Device", ...; "None" for what is not known. */
const char *rf_memory_kind_label(unsigned kind);

/* What is known of a copy or a set, or NULL. */
const struct rf_transfer *rf_transfer_of(const rf_recording *rec, const struct rf_gpu_op *op);

#endif
