/* SPDX-License-Identifier: Apache-2.0 */
/* Which process of a job a process is. */
#ifndef RF_MODEL_RANKS_H
#define RF_MODEL_RANKS_H

#include "model/recording.h"

/* Sets rank, local_rank and world_size of the processes from what was recorded of them: what their
 * launcher put into their environment, or the table MPI_RANKS of nsys. */
void rf_find_ranks(rf_recording *rec);

/* Sets those of the recording: what all its processes that have one agree on. */
void rf_agree_on_rank(rf_recording *rec);

#endif
