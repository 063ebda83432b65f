/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and GPU work in the flavor of PyTorch's profiler. */
#ifndef RF_EXPORT_CHROME_JSON_KINETO_WORK_H
#define RF_EXPORT_CHROME_JSON_KINETO_WORK_H

#include "export/chrome/json_writer.h"

/* The args of a call and of GPU work. */
void json_kineto_put_call_args(struct json_writer *to, const void *item);
void json_kineto_put_op_args(struct json_writer *to, const void *item);

/* All streams with their work, and the ranges as the GPU saw them. */
int json_kineto_put_streams(struct json_writer *to);

#endif
