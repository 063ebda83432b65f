/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of Nsight Systems that are not made. */
#ifndef RF_STATS_REPORT_REFUSALS_H
#define RF_STATS_REPORT_REFUSALS_H

#include <stddef.h>

/* Why a report of nsys is not made, by its name without underscores or an older one; NULL: nsys has
 * no such report, or it is made. */
const char *rf_report_refusal(const char *name);

/* The i-th of these reports, its older name (or NULL) and why it is not made; NULL past the last.
 */
const char *rf_report_refusal_at(size_t i, const char **alias, const char **why);

#endif
