/* SPDX-License-Identifier: Apache-2.0 */
/* What was not right about CUDA records, GPU metrics and NVTX's counters: rf_skipped_at(). */
#ifndef RF_MODEL_CUDA_CUDA_NOTES_H
#define RF_MODEL_CUDA_CUDA_NOTES_H

#include <stdbool.h>
#include <stdint.h>

struct rf_load;

/* Notes what is wrong with the times of a piece of GPU work, or a call, by its flags. */
void rf_cuda_note_work(struct rf_load *load, uint8_t flags);
void rf_cuda_note_call(struct rf_load *load, uint8_t flags);

bool rf_cuda_has_notes(const struct rf_load *load);

/* Gives all notes to the recording. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_cuda_list_notes(struct rf_load *load);

#endif
