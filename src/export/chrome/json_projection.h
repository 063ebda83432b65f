/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as the GPU saw them. */
#ifndef RF_EXPORT_CHROME_JSON_PROJECTION_H
#define RF_EXPORT_CHROME_JSON_PROJECTION_H

#include "export/chrome/json_writer.h"

int json_put_projections(struct json_writer *to);

/* The range of a projection. */
const struct rf_event *json_projected_event(const struct json_writer *to,
                                            const struct rf_projection *projection);

/* The ranges over a piece of work, outermost first, as a member that follows others. */
void json_put_ranges_member(struct json_writer *to, uint32_t op);

#endif
