/* SPDX-License-Identifier: Apache-2.0 */
/* RF_OPEN_COUNTS: parts of pushes, pops and marks alone are counted and not decoded. */
#ifndef RF_MODEL_LOAD_COUNTING_H
#define RF_MODEL_LOAD_COUNTING_H

#include <stdbool.h>

#include "model/load/decode.h"

/* Takes the part that the cursor has just entered, and that has records of this thread alone, as
 * decoding it would. Returns false if it is to be decoded: nothing has happened then. */
bool rf_count_part(struct rf_decoder *d, struct rf_load_thread *thread,
                   struct rf_stream_cursor *cursor);

#endif
