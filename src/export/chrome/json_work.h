/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, GPU work, and the tracks of streams. */
#ifndef RF_EXPORT_CHROME_JSON_WORK_H
#define RF_EXPORT_CHROME_JSON_WORK_H

#include "export/chrome/json_writer.h"

/* The list of GPUs, as a member. */
void json_put_gpus(struct json_writer *to);

/* A call on the current thread's track, and the flows from it. */
int json_put_call(struct json_writer *to, const struct rf_call *call);

/* A piece of GPU work on the current track, and the flow to it. */
int json_put_op(struct json_writer *to, const struct rf_gpu_op *op, uint32_t index);

/* All streams with their work. */
int json_put_streams(struct json_writer *to);

#endif
