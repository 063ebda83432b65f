/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of a process in the mapping that it shares with the command line. */
#ifndef RF_RECORD_STREAM_POOL_H
#define RF_RECORD_STREAM_POOL_H

#include "record/stream/writer.h"

/* given_fd: the pool's file, of its full size, with blocks for its headers; -1: the file is to be
 * made. */
bool rf_pool_create(int given_fd);

/* A stream that no thread writes to, for this thread; NULL: no room. It is parked: end is NULL. */
struct rf_writer *rf_pool_acquire(uint32_t tid, uint32_t serial);
void rf_pool_release(struct rf_writer *writer);

/* In standby: the thread's own stream in the session that is on. */
struct rf_writer *rf_pool_reopen(struct rf_writer *writer, uint32_t serial);

/* In standby: any thread may acquire this stream, which belongs to an earlier session. */
void rf_pool_mark_free(const struct rf_writer *writer);

#endif
