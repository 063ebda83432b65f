/* SPDX-License-Identifier: Apache-2.0 */
/* A small recording with everything in it that an exporter has to mind. */
#ifndef TESTS_EXPORT_SAMPLE_H
#define TESTS_EXPORT_SAMPLE_H

#include "fake_model.h"

rf_recording *sample_new(void);

/* Two captures, and ranges that are cut by them. */
rf_recording *sample_focused_new(void);

/* Two processes on two GPUs: calls, kernels, copies, sets, a graph and waits; work that crosses on
 * a stream, ranges that cross on the GPU, calls that cross ranges. */
rf_recording *sample_gpu_new(void);

struct rfw;

/* Payloads of several schemas; w: frees what it is read from. */
rf_recording *sample_payloads_new(struct rfw *w);

#endif
