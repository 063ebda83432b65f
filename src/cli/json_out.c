/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json_out.h"

#include <string.h>

#include "base/escape.h"
#include "cli/command.h"
#include "cli/next.h"
#include "cli/say.h"
#include "rangefinder/rangefinder.h"

void json_begin_within(struct json_out *json, const char *schema, struct rf_sink *sink)
{
    json->sink = sink;
    json_open(json, '{');
    json_u64(json, "schema_version", JSON_SCHEMA_VERSION);
    json_text(json, "schema", schema);
}

int json_begin_file(struct json_out *json, const char *schema, const char *path, bool can_overwrite,
                    struct rf_err *err)
{
    int status = text_begin_file(&json->out, path, can_overwrite, err);
    if (status == RF_OK)
        json_begin_within(json, schema, &json->out.sink);
    return status;
}

int json_begin(struct json_out *json, const char *schema, struct rf_err *err)
{
    return json_begin_file(json, schema, "-", false, err);
}

int json_end(struct json_out *json, struct rf_err *err)
{
    json_close(json, '}');
    rf_sink_char(json->sink, '\n');
    return text_end(&json->out, err);
}

static int say(int status, const struct rf_err *err)
{
    if (status == RF_OK)
        return CLI_OK;
    cli_say("%s", err->text);
    return CLI_FAILED;
}

int json_start(struct json_out *json, const char *schema)
{
    return say(json_begin(json, schema, &json->err), &json->err);
}

int json_finish(struct json_out *json)
{
    return say(json_end(json, &json->err), &json->err);
}

void json_abandon(struct json_out *json)
{
    text_abandon(&json->out);
}

void json_open(struct json_out *json, char bracket)
{
    rf_sink_char(json->sink, bracket);
    json->is_first = true;
}

void json_close(struct json_out *json, char bracket)
{
    rf_sink_char(json->sink, bracket);
    json->is_first = false;
}

void json_begin_element(struct json_out *json)
{
    if (!json->is_first)
        rf_sink_char(json->sink, ',');
    json->is_first = false;
}

void json_begin_member(struct json_out *json, const char *name)
{
    json_begin_element(json);
    rf_sink_json(json->sink, name, strlen(name));
    rf_sink_char(json->sink, ':');
}

void json_open_element(struct json_out *json, char bracket)
{
    json_begin_element(json);
    json_open(json, bracket);
}

void json_open_member(struct json_out *json, const char *name, char bracket)
{
    json_begin_member(json, name);
    json_open(json, bracket);
}

void json_u64(struct json_out *json, const char *name, uint64_t value)
{
    json_begin_member(json, name);
    rf_sink_u64(json->sink, value);
}

void json_i64(struct json_out *json, const char *name, int64_t value)
{
    json_begin_member(json, name);
    rf_sink_i64(json->sink, value);
}

void json_double(struct json_out *json, const char *name, double value)
{
    json_begin_member(json, name);
    rf_sink_double(json->sink, value);
}

void json_null(struct json_out *json, const char *name)
{
    json_begin_member(json, name);
    rf_sink_text(json->sink, "null");
}

void json_time(struct json_out *json, const char *name, int64_t ns)
{
    if (ns == RF_NO_TIME)
        json_null(json, name);
    else
        json_i64(json, name, ns);
}

void json_bool(struct json_out *json, const char *name, bool is_true)
{
    json_begin_member(json, name);
    rf_sink_text(json->sink, is_true ? "true" : "false");
}

static void put_text(struct json_out *json, const char *text)
{
    rf_sink_json(json->sink, text, strlen(text));
}

void json_text(struct json_out *json, const char *name, const char *text)
{
    if (text == NULL) {
        json_null(json, name);
        return;
    }
    json_begin_member(json, name);
    put_text(json, text);
}

void json_next(struct json_out *json, const char *verb, const char *path)
{
    char line[CLI_NEXT_SIZE];
    json_text(json, "next", cli_next_about(line, verb, NULL, path) ? line : NULL);
}

void json_texts(struct json_out *json, const char *name, const char *const *texts, size_t n)
{
    json_open_member(json, name, '[');
    for (size_t i = 0; i < n; i++) {
        json_begin_element(json);
        put_text(json, texts[i]);
    }
    json_close(json, ']');
}
