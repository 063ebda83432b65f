/* SPDX-License-Identifier: Apache-2.0 */
/* What an event needs rarely: a thread's first event, a full part, a signal handler in the middle
 * of a record, a long text, the end of a thread. */
#include <string.h>
#include <sys/prctl.h>

#include "record/stream/emit.h"

struct rf_writer rf_no_writer;
__thread struct rf_writer *rf_tls_writer = &rf_no_writer;

/* pthread functions by the version that every glibc has; absent (weak) where an old glibc runs a
 * program without threads. */
typedef unsigned int rf_pthread_key;
#if defined(__x86_64__)
__asm__(".symver pthread_setspecific,pthread_setspecific@GLIBC_2.2.5");
#else
__asm__(".symver pthread_setspecific,pthread_setspecific@GLIBC_2.17");
#endif
extern int pthread_setspecific(rf_pthread_key key, const void *value) __attribute__((weak));

/* A THREAD or THREAD_END record with the system's name of the calling thread. */
static void say_thread(struct rf_writer *writer, uint32_t type)
{
    writer->end = NULL;
    rf_signal_fence();
    uint8_t *end = writer->parked_end; /* as in rf_begin() */
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    record[1] = writer->tid | (uint64_t)writer->serial << 32;
    record[2] = record[3] = 0;
    if (rf_recorder.has_filter)
        rf_confined_thread_name((char *)(record + 2));
    else
        (void)RF_SYSCALL4(SYS_prctl, PR_GET_NAME, record + 2, 0, 0);
    rf_publish(writer, end, rf_head(rf_now(), type, 4), 4);
}

static void next_part(struct rf_writer *writer)
{
    writer->end = NULL;
    rf_signal_fence();
    /* a handler may have begun the next part meanwhile */
    if (writer->cursor >= writer->parked_end && (writer->idle == NULL || !rf_focus_compact(writer)))
        rf_pool_next_part(writer);
    rf_signal_fence();
    writer->end = writer->parked_end;
}

/* Begins to write to a stream just taken. */
static void adopt(struct rf_writer *writer)
{
    writer->end = writer->parked_end;
    if (writer->cursor >= writer->end)
        next_part(writer);
    say_thread(writer, RF_REC_THREAD);
}

/* A signal handler interrupted a record of this writer: what it records goes to another stream. */
static struct rf_writer *nested_writer(struct rf_writer *writer)
{
    while (writer->end == NULL) {
        if (writer->nested == NULL) {
            struct rf_writer *nested = rf_pool_take(writer->tid, writer->serial);
            if (nested == NULL) {
                rf_count_lost(1, 0);
                return NULL;
            }
            adopt(nested);
            struct rf_writer *none = NULL;
            if (!__atomic_compare_exchange_n(&writer->nested, &none, nested, false,
                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                rf_pool_give_back(nested); /* another handler has come in between */
        }
        writer = writer->nested;
    }
    if (writer->cursor >= writer->end)
        next_part(writer);
    return writer;
}

/* The writer of the calling thread, with room for a record. */
static struct rf_writer *make_ready(struct rf_writer *writer)
{
    if (writer->end == NULL)
        return nested_writer(writer);
    next_part(writer);
    return writer;
}

/* The first event of a thread, of a forked child, or of a thread in a new session. A signal handler
 * that comes in between takes a stream too. */
static struct rf_writer *take_writer(void)
{
    if (!rf_process_ensure()) {
        rf_count_lost(1, 0);
        return NULL;
    }
    struct rf_writer *own = __atomic_exchange_n(&rf_tls_writer, &rf_no_writer, __ATOMIC_RELAXED);
    if (own->part != NULL) { /* a handler has taken it since the caller looked */
        rf_tls_writer = own;
        return make_ready(own);
    }
    uint32_t serial = __atomic_add_fetch(&rf_recorder.local->n_serials, 1, __ATOMIC_RELAXED);
    uint32_t tid = rf_sys_gettid();
    /* of an earlier session: the stream stays the thread's, which points to it */
    struct rf_writer *writer =
        own->tid == tid ? rf_pool_reopen(own, serial) : rf_pool_take(tid, serial);
    if (writer == NULL) {
        rf_count_lost(1, 0);
        return NULL;
    }
    adopt(writer);
    struct rf_writer *current = &rf_no_writer;
    if (!__atomic_compare_exchange_n(&rf_tls_writer, &current, writer, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED)) {
        rf_pool_give_back(writer); /* a handler's is the thread's now */
        return make_ready(current);
    }
    if (rf_recorder.key != 0 && pthread_setspecific != NULL)
        (void)pthread_setspecific(rf_recorder.key - 1, writer);
    rf_thread_name_find(writer);
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

RF_INLINE uint64_t emit(uint32_t type, const struct rf_attributes *a)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    return writer != NULL ? rf_write_event(writer, end, rf_now(), type, a, false) : 0;
}

uint64_t rf_emit_slow(uint32_t type, const struct rf_attributes *a)
{
    if (rf_is_excluded(a->domain))
        return 0;
    return type == RF_REC_MARK   ? emit(RF_REC_MARK, a)
           : type == RF_REC_PUSH ? emit(RF_REC_PUSH, a)
                                 : emit(RF_REC_START, a);
}

void rf_emit_words_slow(uint32_t type, size_t n_words, uint64_t word1, uint64_t word2)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer != NULL)
        rf_write_words(writer, end, rf_now(), type, n_words, word1, word2);
}

/* One piece of a long text, as much as the part holds; returns how much that was. The writer is
 * busy and has room for a short record. n_words of the record are there but for word 1's length. */
static size_t long_piece(struct rf_writer *writer, uint64_t head, size_t n_words, uint64_t word1,
                         uint64_t more_flag, const char *text, size_t size)
{
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    uint8_t *limit = writer->part + RF_PART_SIZE - 8;
    size_t room = (size_t)(limit - (uint8_t *)(record + n_words));
    size_t n = size < room ? size : room & ~(size_t)7;
    record[n_words + (n + 7) / 8 - 1] = 0; /* padding; n is not 0 */
    memcpy(record + n_words, text, n);
    n_words += (n + 7) / 8;
    record[1] = (word1 & UINT32_MAX) | (n < size ? more_flag : 0) | (uint64_t)n_words << 32;
    record[n_words] = 0;
    __atomic_store_n(record, head, __ATOMIC_RELEASE);
    writer->cursor = (uint8_t *)(record + n_words);
    return n;
}

RF_COLD void rf_writer_long_text(struct rf_writer *writer, uint8_t *end, uint64_t head,
                                 size_t words, const char *text)
{
    size_t size = strlen(text);
    writer->parked_end = end;
    if (writer->idle != NULL)
        rf_focus_forget(writer); /* it may go on in the next part, and cannot be taken back */
    uint64_t word1 = ((uint64_t *)(void *)writer->cursor)[1];
    size_t done = long_piece(writer, head, words, word1, RF_ATTR_MORE, text, size);
    while (done < size) {
        if (writer->cursor >= writer->parked_end)
            rf_pool_next_part(writer);
        done += long_piece(writer, rf_head(rf_now(), RF_REC_TEXT, 0), 2, 0, 1, text + done,
                           size - done);
    }
    rf_signal_fence();
    writer->end = writer->parked_end;
}

static void end_stream(struct rf_writer *writer)
{
    if (writer->n_triggers != 0)
        rf_trigger_thread_exit(writer);
    rf_tls_writer = &rf_no_writer;
    rf_signal_fence();
    if (writer->end == NULL)
        return; /* cancelled or thrown out of a handler inside a record: leave the stream as it is
                 */
    if (writer->cursor >= writer->end)
        next_part(writer);
    say_thread(writer, RF_REC_THREAD_END);
    struct rf_writer *nested = writer->nested;
    rf_pool_give_back(writer);
    while (nested != NULL && nested->end != NULL) {
        struct rf_writer *next = nested->nested;
        rf_pool_give_back(nested);
        nested = next;
    }
}

/* The same in standby: the stream may be one of a session that is over, which is not touched. */
static void end_stream_in_standby(struct rf_writer *writer)
{
    struct rf_local *local = rf_standby_enter();
    if (local != NULL && writer->part != NULL) {
        end_stream(writer);
    } else if (writer->tid == rf_sys_gettid()) {
        rf_tls_writer = &rf_no_writer;
        rf_pool_set_free(writer);
    }
    if (local != NULL)
        rf_standby_leave(local);
}

/* The destructor of the thread's pthread key. Events of destructors that run later take a stream
 * again, and are followed by another call of this. */
void rf_writer_thread_exit(void *value)
{
    struct rf_writer *writer = rf_tls_writer;
    if (writer != value)
        return; /* never this thread's */
    if (rf_recorder.is_standby)
        end_stream_in_standby(writer);
    else if (writer->part != NULL) /* not wiped by a fork */
        end_stream(writer);
}
