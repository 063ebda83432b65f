/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json_out.h"

#include <string.h>

#include "base/escape.h"
#include "rangefinder/rangefinder.h"

int json_begin(struct json_out *json, struct rf_err *err)
{
    json->is_first = true;
    return text_begin(&json->out, err);
}

int json_end(struct json_out *json, struct rf_err *err)
{
    rf_sink_char(&json->out.sink, '\n');
    return text_end(&json->out, err);
}

void json_open(struct json_out *json, char bracket)
{
    rf_sink_char(&json->out.sink, bracket);
    json->is_first = true;
}

void json_close(struct json_out *json, char bracket)
{
    rf_sink_char(&json->out.sink, bracket);
    json->is_first = false;
}

void json_begin_element(struct json_out *json)
{
    if (!json->is_first)
        rf_sink_char(&json->out.sink, ',');
    json->is_first = false;
}

void json_begin_member(struct json_out *json, const char *name)
{
    json_begin_element(json);
    rf_sink_json(&json->out.sink, name, strlen(name));
    rf_sink_char(&json->out.sink, ':');
}

void json_u64(struct json_out *json, const char *name, uint64_t value)
{
    json_begin_member(json, name);
    rf_sink_u64(&json->out.sink, value);
}

void json_i64(struct json_out *json, const char *name, int64_t value)
{
    json_begin_member(json, name);
    rf_sink_i64(&json->out.sink, value);
}

void json_double(struct json_out *json, const char *name, double value)
{
    json_begin_member(json, name);
    rf_sink_double(&json->out.sink, value);
}

void json_time(struct json_out *json, const char *name, int64_t ns)
{
    json_begin_member(json, name);
    if (ns == RF_NO_TIME)
        rf_sink_text(&json->out.sink, "null");
    else
        rf_sink_i64(&json->out.sink, ns);
}

void json_bool(struct json_out *json, const char *name, bool is_true)
{
    json_begin_member(json, name);
    rf_sink_text(&json->out.sink, is_true ? "true" : "false");
}

void json_text(struct json_out *json, const char *name, const char *text)
{
    json_begin_member(json, name);
    if (text == NULL)
        rf_sink_text(&json->out.sink, "null");
    else
        rf_sink_json(&json->out.sink, text, strlen(text));
}
