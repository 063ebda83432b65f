/* SPDX-License-Identifier: Apache-2.0 */
/* How large a trace is for a viewer, said before it is written. */
#ifndef RF_CLI_VIEW_TRACE_SIZE_H
#define RF_CLI_VIEW_TRACE_SIZE_H

#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* A size that the trace of a recording is not below, in Perfetto's format and in Fuchsia's. It
 * looks at every event; real traces have several times as much. */
uint64_t trace_size_at_least(const rf_recording *rec);

#endif
