/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the stand-in for libcuda. */
#ifndef RF_TESTS_DOUBLE_DRIVER_H
#define RF_TESTS_DOUBLE_DRIVER_H

#include "double.h"

enum { CUDA_INVALID_VALUE = 1, CUDA_NOT_INITIALIZED = 3, CUDA_NO_DEVICE = 100 };

#define DRIVER_MAX_DEVICES 8

/* driver_init.c: cuInit() has succeeded in this process. */
bool driver_is_initialized(void);
bool driver_is_exiting(void);
uint32_t driver_n_devices(void);

/* driver_gpu.c */
uint64_t driver_now(void);
uint32_t driver_correlation(void);
struct double_context *driver_context(uint32_t device);
struct double_context *driver_make_context(uint32_t device);
const struct double_hooks *driver_hooks(void);
extern const struct double_gpu driver_gpu;

/* driver_truth.c: one line each, written at once. */
void driver_note_call(const struct double_call *call);
void driver_note_op(const struct double_op *op);
void driver_note_refusal(void); /* InitializeInjection() returned 0 */

#endif
