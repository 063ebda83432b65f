/* SPDX-License-Identifier: Apache-2.0 */
/* What reports call a range, and which domains they take for one. */
#ifndef RF_STATS_RANGE_LABELS_H
#define RF_STATS_RANGE_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* Per domain the first one of its name, whichever process it is of. The caller frees it. NULL: out
 * of memory. */
uint32_t *rf_same_domains(const rf_recording *rec);

/* "domain:message"; ":message" in the default domain, "message" in one that has no name; "(null)"
 * for a message that was not given. The caller frees it. NULL: out of memory. */
char *rf_range_label(const rf_recording *rec, uint32_t domain, uint32_t name, size_t *size);

/* Of a range that ended on another thread and covers its whole process; with the kind. */
#define RF_STYLE_BY_PROCESS 256

/* "PushPop" or "StartEnd"; "StartEnd (process)". */
const char *rf_range_style(int kind);

#endif
