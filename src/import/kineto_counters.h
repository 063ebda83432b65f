/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a trace: events of phase C, and the memory that PyTorch's allocators have. */
#ifndef RF_IMPORT_KINETO_COUNTERS_H
#define RF_IMPORT_KINETO_COUNTERS_H

#include "import/kineto_load.h"

/* Takes a sample of an event that has a time. Returns RF_OK or an error. */
int kineto_take_sample(struct kineto_load *load, const struct kineto_item *item,
                       const struct kineto_sample *sample);

/* Gives the samples to the recording, with times after load->first_ns. All processes are known.
 * Returns RF_OK or an error. */
int kineto_finish_counters(struct kineto_load *load);

/* Once processes have their places. */
void kineto_place_counters(struct kineto_load *load);

/* NULL is accepted. */
void kineto_counters_free(struct kineto_counters *counters);

#endif
