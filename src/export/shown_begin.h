/* SPDX-License-Identifier: Apache-2.0 */
/* Where a recording's traces begin. */
#ifndef RF_EXPORT_SHOWN_BEGIN_H
#define RF_EXPORT_SHOWN_BEGIN_H

#include "rangefinder/rangefinder.h"

/* When the first of all that viewers show begins: annotations, calls, GPU work, counters, captures.
 * Names do not count. May be before the recording's time 0; 0 where there is nothing. */
int64_t rf_shown_begin_ns(const rf_recording *rec);

#endif
