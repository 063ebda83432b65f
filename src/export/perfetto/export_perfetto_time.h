/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_TIME_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_TIME_H

#include "rangefinder/rangefinder.h"

/* The trace's time at time 0 of the recording. begin_ns: rf_shown_begin_ns(). */
int64_t pf_base_ns(const rf_recording *rec, int64_t begin_ns);

#endif
