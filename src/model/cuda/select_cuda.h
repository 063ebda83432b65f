/* SPDX-License-Identifier: Apache-2.0 */
/* What a filter keeps of calls and GPU work that are not kept in memory, as rf_filter() does it. */
#ifndef RF_MODEL_CUDA_SELECT_CUDA_H
#define RF_MODEL_CUDA_SELECT_CUDA_H

#include <stdbool.h>
#include <stdint.h>

struct rf_load;
struct rf_held_call;
struct rf_held_work;

/* Whether a call is kept, be it hidden or not. function: as its record has it. thread: index in
 * load->thread, or RF_NO_INDEX where it does not matter. */
bool rf_select_call(const struct rf_load *load, uint32_t process, uint32_t thread,
                    uint32_t function, const struct rf_held_call *call);

/* Whether calls are kept for the ranges around work alone. */
bool rf_select_hides_calls(const struct rf_load *load);

/* Whether a piece of work is kept. call: that which caused it, or NULL. */
bool rf_select_work(struct rf_load *load, const struct rf_held_work *work,
                    const struct rf_held_call *call);

/* Whether a filter keeps kernels with one of these names, strings. */
bool rf_select_kernel(struct rf_load *load, uint32_t short_name, uint32_t demangled);

#endif
