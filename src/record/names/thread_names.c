/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that a program names by a resource object: by the system's number, or by their
 * pthread_t, which is never dereferenced. A pthread_t is known once its thread has a stream; the
 * name of a thread without one waits for its first event. */
#include "record/names/thread_names.h"

#include "record/local.h"
#include "record/names/defs.h"

enum { MAX_WAITING = 64 };

struct waiting {
    uint64_t pthread; /* 0: free; set last; atomic */
    const char *text;
    size_t size;
};

static struct waiting waiting[MAX_WAITING];
static uint32_t n_waiting; /* places that were ever used; atomic */

RF_OF_OLDEST(pthread_self, "2.2.5");
extern unsigned long pthread_self(void) __attribute__((weak));

static void record_name(uint32_t tid, const char *text, size_t size)
{
    (void)rf_defs_add(RF_REC_THREAD_NAME, tid, 0, 0, 0, text, size);
}

static uint32_t tid_of(uint64_t pthread)
{
    const struct rf_local *local = rf_recorder.local;
    if (pthread_self != NULL && pthread == pthread_self())
        return rf_sys_gettid();
    for (uint32_t i = 0; i < rf_local_n_slots(local); i++)
        if (__atomic_load_n(&local->writers[i].pthread, __ATOMIC_SEQ_CST) == pthread)
            return local->writers[i].tid;
    return 0;
}

static struct waiting *add_waiting(uint64_t pthread, const char *text, size_t size)
{
    uint32_t i = __atomic_fetch_add(&n_waiting, 1, __ATOMIC_RELAXED);
    if (i >= MAX_WAITING)
        return NULL;
    waiting[i].text = text;
    waiting[i].size = size;
    __atomic_store_n(&waiting[i].pthread, pthread, __ATOMIC_SEQ_CST);
    return &waiting[i];
}

/* Whoever claims the name records it: this function, or the thread's first event. */
static bool claim_name(struct waiting *name, uint64_t pthread)
{
    return __atomic_compare_exchange_n(&name->pthread, &pthread, 0, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_RELAXED);
}

void rf_thread_name_add(uint64_t pthread, const char *text, size_t size)
{
    uint32_t tid = pthread != 0 ? tid_of(pthread) : 0;
    struct waiting *name = pthread != 0 && tid == 0 ? add_waiting(pthread, text, size) : NULL;
    if (name != NULL) {
        tid = tid_of(pthread); /* the thread may have got its stream meanwhile */
        if (tid != 0 && !claim_name(name, pthread))
            return;
    }
    if (tid != 0)
        record_name(tid, text, size);
}

void rf_thread_name_apply(struct rf_writer *writer)
{
    if (pthread_self == NULL)
        return;
    uint64_t self = pthread_self();
    __atomic_store_n(&writer->pthread, self, __ATOMIC_SEQ_CST);
    uint32_t n = __atomic_load_n(&n_waiting, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < n && i < MAX_WAITING; i++) {
        struct waiting *name = &waiting[i];
        if (__atomic_load_n(&name->pthread, __ATOMIC_SEQ_CST) == self && claim_name(name, self))
            record_name(writer->tid, name->text, name->size);
    }
}
