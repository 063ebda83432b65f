/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_RECORD_STREAM_THREAD_RECORD_H
#define RF_RECORD_STREAM_THREAD_RECORD_H

#include "record/stream/writer.h"

/* Writes a THREAD or THREAD_END record with the system's name of the calling thread. */
void rf_write_thread_record(struct rf_writer *writer, uint32_t type);

#endif
