/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session/session_json.h"

#include "cli/json_out.h"
#include "cli/session/session_client.h"

/* Of a session that does not answer only the pid of its command line is known. */
void session_json_members(struct json_out *json, const struct session_info *session)
{
    json_text(json, "name", session->name);
    json_bool(json, "answers", !session->is_silent);
    json_text(json, "verb", session->verb);
    json_text(json, "state", session->state);
    json_text(json, "status", session->text);
    json_i64(json, "id", session->owner_pid);
    json_i64(json, "pid", session->program_pid);
    json_i64(json, "age_ms", session->age_ms);
    json_text(json, "program", session->program);
    json_text(json, "directory", session->dir);
}
