/* SPDX-License-Identifier: Apache-2.0 */
/* Streams in the flavor of PyTorch's profiler, with the ranges as the GPU saw them. */
#ifndef RF_EXPORT_CHROME_JSON_ANNOTATIONS_H
#define RF_EXPORT_CHROME_JSON_ANNOTATIONS_H

#include "export/chrome/json_writer.h"

int json_kineto_put_streams(struct json_writer *to);

#endif
