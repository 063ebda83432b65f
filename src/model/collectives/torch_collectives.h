/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives as PyTorch announces them: ranges record_param_comms, whose payload says what is
 * exchanged. NCCL's kernels are launched inside of them, and say only the operation. */
#ifndef RF_MODEL_COLLECTIVES_TORCH_COLLECTIVES_H
#define RF_MODEL_COLLECTIVES_TORCH_COLLECTIVES_H

#include <stdbool.h>

#include "model/collectives/collective_names.h"
#include "rangefinder/rangefinder.h"

/* The string that their name is; RF_NO_STRING: the recording has none. */
uint32_t rf_torch_collective_name(const rf_recording *rec);

/* The operation of such a range, "allreduce"; text NULL: it is none. The text is the recording's.
 */
struct rf_operation rf_torch_operation(const rf_recording *rec, const struct rf_event *event);

/* The innermost range of this name around a call of the thread; NULL: none. Few lie inside each
 * other: no more are looked at. */
const struct rf_event *rf_torch_collective_around(const rf_recording *rec, uint32_t name,
                                                  uint32_t thread, const struct rf_call *call);

#endif
