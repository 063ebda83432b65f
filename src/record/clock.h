/* SPDX-License-Identifier: Apache-2.0 */
/* The session's clock. */
#ifndef RF_RECORD_CLOCK_H
#define RF_RECORD_CLOCK_H

#include "log/ticks.h"
#include "record/recorder.h"

RF_INLINE uint64_t rf_now(void)
{
    if (RF_LIKELY(rf_recorder.clock_kind == RF_CLOCK_COUNTER))
        return rf_ticks_counter();
    return rf_ticks(RF_CLOCK_MONO);
}

#endif
