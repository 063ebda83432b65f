/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json_out.h"

#include <string.h>

#include "base/escape.h"
#include "rangefinder/rangefinder.h"

static int flush(void *context, const void *data, size_t size, struct rf_err *err)
{
    return rf_output_write(context, data, size, err);
}

int json_begin(struct json_out *json, struct rf_err *err)
{
    json->is_first = true;
    int status = rf_output_open(&json->output, "-", 0, err);
    if (status != RF_OK)
        return status;
    status = rf_sink_init(&json->sink, flush, &json->output, err);
    if (status == RF_OK)
        return RF_OK;
    rf_sink_release(&json->sink);
    rf_output_abandon(&json->output);
    return status;
}

int json_end(struct json_out *json, struct rf_err *err)
{
    rf_sink_char(&json->sink, '\n');
    int status = rf_sink_finish(&json->sink);
    rf_sink_release(&json->sink);
    if (status == RF_OK)
        return rf_output_commit(&json->output, err);
    rf_output_abandon(&json->output);
    return status;
}

void json_open(struct json_out *json, char bracket)
{
    rf_sink_char(&json->sink, bracket);
    json->is_first = true;
}

void json_close(struct json_out *json, char bracket)
{
    rf_sink_char(&json->sink, bracket);
    json->is_first = false;
}

void json_begin_element(struct json_out *json)
{
    if (!json->is_first)
        rf_sink_char(&json->sink, ',');
    json->is_first = false;
}

void json_begin_member(struct json_out *json, const char *name)
{
    json_begin_element(json);
    rf_sink_json(&json->sink, name, strlen(name));
    rf_sink_char(&json->sink, ':');
}

void json_u64(struct json_out *json, const char *name, uint64_t value)
{
    json_begin_member(json, name);
    rf_sink_u64(&json->sink, value);
}

void json_i64(struct json_out *json, const char *name, int64_t value)
{
    json_begin_member(json, name);
    rf_sink_i64(&json->sink, value);
}

void json_double(struct json_out *json, const char *name, double value)
{
    json_begin_member(json, name);
    rf_sink_double(&json->sink, value);
}

void json_time(struct json_out *json, const char *name, int64_t ns)
{
    json_begin_member(json, name);
    if (ns == RF_NO_TIME)
        rf_sink_text(&json->sink, "null");
    else
        rf_sink_i64(&json->sink, ns);
}

void json_bool(struct json_out *json, const char *name, bool is_true)
{
    json_begin_member(json, name);
    rf_sink_text(&json->sink, is_true ? "true" : "false");
}

void json_text(struct json_out *json, const char *name, const char *text)
{
    json_begin_member(json, name);
    if (text == NULL)
        rf_sink_text(&json->sink, "null");
    else
        rf_sink_json(&json->sink, text, strlen(text));
}
