/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that the program has loaded. */
#ifndef RF_CUDA_CUDA_LIBRARY_H
#define RF_CUDA_CUDA_LIBRARY_H

#include "record/platform.h"

/* The handle of a library that the program has mapped, or NULL; it stays open. */
void *rf_library_open_mapped(const char *name);

/* NULL: the library has no such symbol. */
void *rf_library_symbol(void *library, const char *name);

/* Starts a detached thread with all signals blocked except those that the kernel and libc send
 * to a thread. False: no thread could be started. */
bool rf_library_start_thread(void *(*function)(void *));

#endif
