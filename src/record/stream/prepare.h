/* SPDX-License-Identifier: Apache-2.0 */
/* Gives an event the writer of its thread. */
#ifndef RF_RECORD_STREAM_PREPARE_H
#define RF_RECORD_STREAM_PREPARE_H

#include "record/stream/writer.h"

/* Called when the thread's writer has no room: gives the thread a writer, a new part, or, in a
 * signal handler that interrupted a record, the nested writer. NULL: not recorded (counted). */
struct rf_writer *rf_writer_prepare(void);

/* Begins another part if the writer's is full. The writer must not be busy. */
void rf_writer_make_room(struct rf_writer *writer);

/* In standby: releases a busy writer whose session is over, and begins the writer of the session
 * that is on, if there is one. */
struct rf_writer *rf_writer_check_session(struct rf_writer *writer, uint8_t **end);

/* Begins the thread's writer, with room for a short record; its end goes to *end. NULL: the event
 * is not recorded. rf_publish() ends it. */
RF_INLINE struct rf_writer *rf_begin(uint8_t **end)
{
    struct rf_writer *writer = rf_tls_writer;
    if (RF_UNLIKELY(!rf_writer_has_room(writer))) {
        writer = rf_writer_prepare();
        if (writer == NULL)
            return NULL;
    }
    *end = rf_writer_begin(writer);
    return RF_UNLIKELY(rf_recorder.is_standby) ? rf_writer_check_session(writer, end) : writer;
}

/* As rf_begin(), but calls nothing. NULL: there is no room, or something is unusual. */
RF_INLINE struct rf_writer *rf_begin_fast(uint8_t **end)
{
    struct rf_writer *writer = rf_tls_writer;
    if (RF_UNLIKELY(rf_recorder.is_slow || !rf_writer_has_room(writer)))
        return NULL;
    *end = rf_writer_begin(writer);
    return writer;
}

#endif
