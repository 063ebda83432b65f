/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of an interval as JSON. */
#ifndef RF_CLI_TOP_TOP_JSON_H
#define RF_CLI_TOP_TOP_JSON_H

#include "cli/json_out.h"
#include "cli/top/top_figures.h"

/* Writes one object. */
void top_json_write(struct json_out *json, const struct top_figures *figures, const char *title);

#endif
