/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of Nsight Systems that are not made. */
#ifndef RF_STATS_REPORT_REFUSALS_H
#define RF_STATS_REPORT_REFUSALS_H

/* Why a report of nsys is not made, by its name without underscores or an older one; NULL: nsys has
 * no such report, or it is made. */
const char *rf_report_refusal(const char *name);

#endif
