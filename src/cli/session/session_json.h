/* SPDX-License-Identifier: Apache-2.0 */
/* A running session, as `rangefinder status --json` and `sessions list --json` print it. */
#ifndef RF_CLI_SESSION_SESSION_JSON_H
#define RF_CLI_SESSION_SESSION_JSON_H

struct json_out;
struct session_info;

/* Adds the members of the object that is open. */
void session_json_members(struct json_out *json, const struct session_info *session);

#endif
