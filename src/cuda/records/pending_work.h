/* SPDX-License-Identifier: Apache-2.0 */
/* GPU work that was launched in a capture, and whose records have not come. */
#ifndef RF_CUDA_RECORDS_PENDING_WORK_H
#define RF_CUDA_RECORDS_PENDING_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* A call that launches work; work that was done. In any order. */
void rf_cuda_note_launch(uint32_t correlation, uint64_t start);
void rf_cuda_note_work(uint32_t correlation);

/* A capture begins, or has ended: work launched from then on is not waited for. */
void rf_cuda_note_capture(bool is_on);

/* Was work launched in the capture that has not come? */
bool rf_cuda_is_work_pending(void);
void rf_cuda_forget_launches(void);

#endif
