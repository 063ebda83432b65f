/* SPDX-License-Identifier: Apache-2.0 */
/* JSON on standard output, or in a file: what verbs print with --json. docs/scripting.md says what
 * later versions may change; docs/json has a schema of each document. */
#ifndef RF_CLI_JSON_OUT_H
#define RF_CLI_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/text_out.h"

/* The member schema_version of every document. It is raised when a member is removed, renamed or
 * gets another meaning or type, not when one is added. */
#define JSON_SCHEMA_VERSION 1

/* The row of --json in a verb's table of options. */
#define JSON_OPTION(id)                                                                            \
    {                                                                                              \
        id, '\0', "json", CLI_ARG_BOOL, NULL, "Print one JSON object.", NULL                       \
    }

struct json_out {
    struct text_out out;
    struct rf_sink *sink; /* that of out, or the caller's */
    struct rf_err err;    /* of json_start() and json_finish() */
    bool is_first;        /* otherwise a comma is written when a member or element begins */
};

/* err outlives the document.
 *
 * Begins a document on standard output: an object whose first members are its version and the name
 * of its schema, docs/json/SCHEMA.schema.json. More members may follow.
 * Returns RF_OK; then json_end() or json_abandon() has to follow. json_end() closes the object,
 * writes a newline, and fails if anything could not be written. */
int json_begin(struct json_out *json, const char *schema, struct rf_err *err);
int json_end(struct json_out *json, struct rf_err *err);

/* The same in a file, which appears when it is complete. path "-" is standard output. */
int json_begin_file(struct json_out *json, const char *schema, const char *path, bool can_overwrite,
                    struct rf_err *err);

/* The same into a sink of the caller's; json_close() ends it. */
void json_begin_within(struct json_out *json, const char *schema, struct rf_sink *sink);

/* The same as json_begin() and json_end(), with a message. Return CLI_OK or CLI_FAILED. */
int json_start(struct json_out *json, const char *schema);
int json_finish(struct json_out *json);

/* Leaves no file; what is already on standard output stays. */
void json_abandon(struct json_out *json);

/* bracket: '{' or '[' to open, '}' or ']' to close. */
void json_open(struct json_out *json, char bracket);
void json_close(struct json_out *json, char bracket);
void json_begin_element(struct json_out *json);
void json_begin_member(struct json_out *json, const char *name);
void json_open_element(struct json_out *json, char bracket);
void json_open_member(struct json_out *json, const char *name, char bracket);

/* Members. json_time(): RF_NO_TIME is null. json_text(): NULL is null. json_texts(): an array. */
void json_u64(struct json_out *json, const char *name, uint64_t value);
void json_i64(struct json_out *json, const char *name, int64_t value);
void json_double(struct json_out *json, const char *name, double value);
void json_time(struct json_out *json, const char *name, int64_t ns);
void json_bool(struct json_out *json, const char *name, bool is_true);
void json_null(struct json_out *json, const char *name);
void json_text(struct json_out *json, const char *name, const char *text);
/* "next": the command that comes next. */
void json_next(struct json_out *json, const char *verb, const char *path);
void json_texts(struct json_out *json, const char *name, const char *const *texts, size_t n);

#endif
