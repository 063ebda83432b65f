/* SPDX-License-Identifier: Apache-2.0 */
/* What `info` says of a recording's clocks. */
#ifndef RF_CLI_VERBS_INFO_CLOCKS_H
#define RF_CLI_VERBS_INFO_CLOCKS_H

#include "cli/json_out.h"
#include "rangefinder/rangefinder.h"

/* The member "clocks". */
void info_clocks_json(struct json_out *json, const rf_recording *rec);

/* A line about what is unusual in them, or "". Returns text. */
const char *info_clocks_note(const rf_recording *rec, char *text, size_t size);

#endif
