/* SPDX-License-Identifier: Apache-2.0 */
/* What an event needs rarely: a thread's first event, a full part, a signal handler in the middle
 * of a record. */
#include "record/stream/prepare.h"

#include "record/focus/kept.h"
#include "record/local.h"
#include "record/names/thread_names.h"
#include "record/process/process.h"
#include "record/process/session_page.h"
#include "record/standby/standby_gate.h"
#include "record/stream/part.h"
#include "record/stream/pool.h"
#include "record/stream/thread_record.h"

typedef unsigned int rf_pthread_key;
RF_OF_OLDEST(pthread_setspecific, "2.2.5");
extern int pthread_setspecific(rf_pthread_key key, const void *value) __attribute__((weak));

/* Begins another part unless a handler has begun it meanwhile. */
static void next_part(struct rf_writer *writer)
{
    uint8_t *end = rf_writer_begin(writer);
    if (writer->cursor >= end && (writer->focus == NULL || !rf_kept_compact(writer)))
        rf_part_next(writer);
    rf_writer_end(writer, writer->parked_end);
}

void rf_writer_make_room(struct rf_writer *writer)
{
    if (!rf_writer_has_room(writer))
        next_part(writer);
}

/* Begins to write to a stream that was just acquired. */
static void begin_stream(struct rf_writer *writer)
{
    rf_writer_end(writer, writer->parked_end);
    rf_writer_make_room(writer);
    rf_write_thread_record(writer, RF_REC_THREAD);
}

/* A signal handler interrupted a record of this writer: what it records goes to another stream. */
static struct rf_writer *nested_writer(struct rf_writer *writer)
{
    while (rf_writer_is_busy(writer)) {
        if (writer->nested == NULL) {
            struct rf_writer *nested = rf_pool_acquire(writer->tid, writer->serial);
            if (nested == NULL) {
                rf_count_lost(1, 0);
                return NULL;
            }
            begin_stream(nested);
            struct rf_writer *none = NULL;
            if (!__atomic_compare_exchange_n(&writer->nested, &none, nested, false,
                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                rf_pool_release(nested); /* another handler was faster */
        }
        writer = writer->nested;
    }
    rf_writer_make_room(writer);
    return writer;
}

/* The writer of the calling thread, with room for a record. */
static struct rf_writer *make_ready(struct rf_writer *writer)
{
    if (rf_writer_is_busy(writer))
        return nested_writer(writer);
    next_part(writer);
    return writer;
}

/* The first event of a thread, of a forked child, or of a thread in a new session. A signal
 * handler that comes meanwhile acquires a stream too. */
static struct rf_writer *take_writer(void)
{
    if (!rf_process_ensure()) {
        rf_count_lost(1, 0);
        return NULL;
    }
    struct rf_writer *own = __atomic_exchange_n(&rf_tls_writer, &rf_no_writer, __ATOMIC_RELAXED);
    if (own->part != NULL) { /* a handler has acquired it since the caller looked */
        rf_tls_writer = own;
        return make_ready(own);
    }
    uint32_t serial = __atomic_add_fetch(&rf_recorder.local->n_serials, 1, __ATOMIC_RELAXED);
    uint32_t tid = rf_sys_gettid();
    /* of an earlier session: the thread keeps the stream, which its key points to */
    struct rf_writer *writer =
        own->tid == tid ? rf_pool_reopen(own, serial) : rf_pool_acquire(tid, serial);
    if (writer == NULL) {
        rf_count_lost(1, 0);
        return NULL;
    }
    begin_stream(writer);
    struct rf_writer *current = &rf_no_writer;
    if (!__atomic_compare_exchange_n(&rf_tls_writer, &current, writer, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED)) {
        rf_pool_release(writer); /* the thread has the stream that a handler acquired */
        return make_ready(current);
    }
    if (rf_recorder.key != 0 && pthread_setspecific != NULL)
        (void)pthread_setspecific(rf_recorder.key - 1, writer);
    rf_thread_name_apply(writer);
    return writer;
}

static struct rf_writer *prepare(void)
{
    struct rf_writer *writer = rf_tls_writer;
    /* no writer yet, or wiped by a fork */
    return writer->part == NULL ? take_writer() : make_ready(writer);
}

RF_COLD struct rf_writer *rf_writer_prepare(void)
{
    if (!rf_recorder.is_standby)
        return prepare();
    struct rf_local *local = rf_standby_enter();
    if (local == NULL)
        return NULL;
    struct rf_writer *writer = prepare();
    rf_standby_leave(local);
    return writer;
}

RF_COLD struct rf_writer *rf_writer_check_session(struct rf_writer *writer, uint8_t **end)
{
    while (!rf_standby_is_on() || writer->part == NULL) {
        /* without a part it stays busy: the next event comes here by the slow path */
        rf_writer_end(writer, writer->part != NULL ? *end : NULL);
        if (!rf_standby_is_on())
            return NULL;
        writer = rf_writer_prepare();
        if (writer == NULL)
            return NULL;
        *end = rf_writer_begin(writer);
    }
    return writer;
}
