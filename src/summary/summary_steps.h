/* SPDX-License-Identifier: Apache-2.0 */
/* The steps in a summary: they are kept side by side, and never added up. */
#ifndef RF_SUMMARY_SUMMARY_STEPS_H
#define RF_SUMMARY_SUMMARY_STEPS_H

#include "summary/summary_data.h"

/* Adds a step, which has no children yet; RF_OK or RF_ERR_NO_MEMORY. */
int rf_summary_add_step(rf_summary *summary, const struct rf_summary_step *step);

/* Adds to the child of that path of a step, a new one if need be; RF_OK, RF_ERR_NO_MEMORY, or
 * RF_ERR_UNSUPPORTED where a sum is too large. The children of a step are added one behind the
 * other, and the step says where the first one is. */
int rf_summary_add_child_of(rf_summary *summary, struct rf_summary_step *step, uint32_t path,
                            uint64_t n, uint64_t total);

/* The same of the step that was added last. */
int rf_summary_add_step_child(rf_summary *summary, uint32_t path, uint64_t n, uint64_t total);

/* Adds a GPU of a step, by id. Those of a step are added one behind the other, too. RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_summary_add_step_gpu(rf_summary *summary, struct rf_summary_step *step,
                            const struct rf_summary_step_gpu *gpu);

/* The same of all GPUs of a step of another summary, to the step that was added last. */
int rf_summary_copy_step_gpus(rf_summary *to, const rf_summary *from,
                              const struct rf_summary_step *step);

/* The one order of steps: by input, rank, host, pid, tid, start, and then by what they hold. */
int rf_summary_compare_steps(const rf_summary *summary, const struct rf_summary_step *a,
                             const struct rf_summary_step *b);

/* Whether two steps are of one thread. */
bool rf_summary_is_same_thread(const struct rf_summary_step *a, const struct rf_summary_step *b);

/* Puts the steps into that order. */
void rf_summary_sort_steps(rf_summary *summary);

void rf_summary_release_steps(rf_summary *summary);

#endif
