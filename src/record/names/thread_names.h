/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that resource objects name by their pthread_t. */
#ifndef RF_RECORD_NAMES_THREAD_NAMES_H
#define RF_RECORD_NAMES_THREAD_NAMES_H

#include "record/stream/writer.h"

/* The program named a pthread_t. text: as long as the process. */
void rf_thread_name_add(uint64_t pthread, const char *text, size_t size);

/* The calling thread has its first stream: records the name that it was given before, if any. */
void rf_thread_name_apply(struct rf_writer *writer);

#endif
