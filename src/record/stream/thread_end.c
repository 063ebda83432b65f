/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a thread. */
#include "record/stream/thread_end.h"

#include "record/focus/trigger.h"
#include "record/local.h"
#include "record/standby/standby_gate.h"
#include "record/stream/pool.h"
#include "record/stream/prepare.h"
#include "record/stream/thread_record.h"

static void end_stream(struct rf_writer *writer)
{
    if (writer->n_triggers != 0)
        rf_trigger_thread_exit(writer);
    rf_tls_writer = &rf_no_writer;
    rf_signal_fence();
    if (rf_writer_is_busy(writer))
        return; /* the thread was cancelled, or a handler threw, inside a record: the stream stays
                   as it is */
    rf_writer_make_room(writer);
    rf_write_thread_record(writer, RF_REC_THREAD_END);
    struct rf_writer *nested = writer->nested;
    rf_pool_release(writer);
    while (nested != NULL && !rf_writer_is_busy(nested)) {
        struct rf_writer *next = nested->nested;
        rf_pool_release(nested);
        nested = next;
    }
}

/* In standby the stream may belong to a session that is over, whose files are not touched. */
static void end_stream_in_standby(struct rf_writer *writer)
{
    struct rf_local *local = rf_standby_enter();
    if (local != NULL && writer->part != NULL) {
        end_stream(writer);
    } else if (writer->tid == rf_sys_gettid()) {
        rf_tls_writer = &rf_no_writer;
        rf_pool_mark_free(writer);
    }
    if (local != NULL)
        rf_standby_leave(local);
}

void rf_writer_thread_exit(void *value)
{
    struct rf_writer *writer = rf_tls_writer;
    if (writer != value)
        return; /* another thread's */
    if (rf_recorder.is_standby)
        end_stream_in_standby(writer);
    else if (writer->part != NULL) /* not wiped by a fork */
        end_stream(writer);
}
