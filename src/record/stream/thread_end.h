/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_RECORD_STREAM_THREAD_END_H
#define RF_RECORD_STREAM_THREAD_END_H

/* The destructor of the thread's pthread key: ends the thread's stream. Events of destructors that
 * run later acquire a stream again, and are followed by another call of this. */
void rf_writer_thread_exit(void *writer);

#endif
