/* SPDX-License-Identifier: Apache-2.0 */
/* Projections as they are shown: on a track for each thread, what encloses before what it encloses.
 */
#ifndef RF_EXPORT_PROJECTION_ORDER_H
#define RF_EXPORT_PROJECTION_ORDER_H

#include "rangefinder/rangefinder.h"

/* All of them in that order, *n in number; the caller frees *out. projections may be NULL. */
int rf_order_projections(const rf_projections *projections, const struct rf_projection ***out,
                         size_t *n, struct rf_err *err);

#endif
