/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of the program's, by dlopen(). */
#ifndef RF_CUDA_CUDA_LIBRARY_H
#define RF_CUDA_CUDA_LIBRARY_H

#include "record/platform.h"

/* The handle of a library that the program has mapped, or NULL; it stays open. */
void *rf_library_open_mapped(const char *name);

/* NULL: it has none of this name. */
void *rf_library_symbol(void *library, const char *name);

/* Starts a detached thread with all signals blocked but those that the system and libc send to a
 * thread. False: there could be none. */
bool rf_library_start_thread(void *(*function)(void *));

#endif
