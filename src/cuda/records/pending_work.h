/* SPDX-License-Identifier: Apache-2.0 */
/* GPU work that was launched in a capture, and whose records have not come. */
#ifndef RF_CUDA_RECORDS_PENDING_WORK_H
#define RF_CUDA_RECORDS_PENDING_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* A call that launches work; work that was done. In any order. is_graph: a whole graph. */
void rf_cuda_note_launch(uint32_t correlation, uint64_t start, bool is_graph);
void rf_cuda_note_work(uint32_t correlation, bool is_graph);

/* A capture begins, or has ended: work launched from then on is not waited for. */
void rf_cuda_note_capture(bool is_on);

/* What was launched in the capture, and has not come. n_uncorrelated: graphs that came without the
 * correlation id of a call. */
struct rf_cuda_pending {
    uint32_t n_graphs, n_others, n_uncorrelated;
};
struct rf_cuda_pending rf_cuda_count_pending(void);
bool rf_cuda_is_work_pending(void);
void rf_cuda_forget_launches(void);

#endif
