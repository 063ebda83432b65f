/* SPDX-License-Identifier: Apache-2.0 */
/* Which kinds of records CUPTI makes. */
#ifndef RF_CUDA_CUPTI_SWITCH_KINDS_H
#define RF_CUDA_CUPTI_SWITCH_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/* Enables records of devices, contexts and streams, until all is disabled. is_late: also of those
 * that exist already. */
void rf_cuda_enable_objects(bool is_late);

/* Enables the kinds that cost, if a capture is on, or all of the run is recorded. Any thread; may
 * wait for another thread that switches, but not for long. */
void rf_cuda_follow_capture(void);

/* Disables them when the work that the captures up to this phase launched has come, or is no longer
 * waited for (is_forced: CUPTI gives its records as they are), unless another capture has begun. On
 * our thread. */
void rf_cuda_end_captures(uint32_t phase, bool is_forced);

/* Are kinds that cost enabled? */
bool rf_cuda_is_recording(void);

/* At the end of a session. */
void rf_cuda_disable_all(void);

#endif
