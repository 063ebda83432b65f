/* SPDX-License-Identifier: Apache-2.0 */
/* JSON on standard output. */
#ifndef RF_CLI_JSON_OUT_H
#define RF_CLI_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/text_out.h"

struct json_out {
    struct text_out out;
    bool is_first; /* otherwise a comma is written when a member or element begins */
};

/* Returns RF_OK; then json_end() has to follow, which fails if anything could not be written, and
 * writes a newline. */
int json_begin(struct json_out *json, struct rf_err *err);
int json_end(struct json_out *json, struct rf_err *err);

void json_open(struct json_out *json, char bracket);
void json_close(struct json_out *json, char bracket);
void json_begin_element(struct json_out *json);
void json_begin_member(struct json_out *json, const char *name);

/* Members. json_time(): RF_NO_TIME is null. json_text(): NULL is null. */
void json_u64(struct json_out *json, const char *name, uint64_t value);
void json_i64(struct json_out *json, const char *name, int64_t value);
void json_double(struct json_out *json, const char *name, double value);
void json_time(struct json_out *json, const char *name, int64_t ns);
void json_bool(struct json_out *json, const char *name, bool is_true);
void json_text(struct json_out *json, const char *name, const char *text);

#endif
