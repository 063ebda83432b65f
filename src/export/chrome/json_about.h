/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about a recording. */
#ifndef RF_EXPORT_CHROME_JSON_ABOUT_H
#define RF_EXPORT_CHROME_JSON_ABOUT_H

#include "export/chrome/json_writer.h"

/* Members of an object, the first without comma: where it comes from, its clock, and its losses. */
void json_put_trace_info(struct json_writer *to);

/* The same, and its processes, captures and GPUs. */
void json_put_about(struct json_writer *to);

#endif
