/* SPDX-License-Identifier: Apache-2.0 */
/* Where a range is in a trace of several recordings. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_VIEW_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_VIEW_H

#include <stdbool.h>

#include "export/merging.h"
#include "rangefinder/rangefinder.h"

/* As rf_find_view(). rec is the last one of merging, and is written; NULL: the trace has no other.
 */
int pf_find_view(const rf_recording *rec, struct rf_merging *merging, const char *range,
                 bool by_category, struct rf_trace_view *out, struct rf_err *err);

#endif
