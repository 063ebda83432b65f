/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the library, which handle no signals of the program. */
#ifndef RF_BASE_HELPER_THREADS_H
#define RF_BASE_HELPER_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define RF_MAX_THREADS 16

/* How many processors the program may use, at most RF_MAX_THREADS. */
uint32_t rf_n_processors(void);

/* All zero: none. */
struct rf_threads {
    pthread_t thread[RF_MAX_THREADS];
    uint32_t n;
};

/* Starts a thread. Returns whether there is one. */
bool rf_threads_start(struct rf_threads *threads, void *(*run)(void *), void *context);

/* Waits until all have ended. */
void rf_threads_join(struct rf_threads *threads);

/* Calls run(context, i) for i from 0 to n - 1, at most RF_MAX_THREADS, at a time, and waits for all
 * of them. They are not to wait for each other: there may be too few threads. */
void rf_in_threads(uint32_t n, void (*run)(void *context, uint32_t i), void *context);

#endif
