/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that are cancelled in the middle of annotating. Each publishes how many events it has
 * recorded; recording must neither be where it is cancelled (deferred) nor break for others when
 * it is (asynchronous). */
#include "truth.h"

#include "modes.h"

#include <pthread.h>

enum { N_CANCELLED = 100, MAX_EVENTS = 2000 };

static uint64_t counts[N_CANCELLED];
static int is_asynchronous;

static void *annotate_for_ever(void *number)
{
    uintptr_t i = (uintptr_t)number;
    int old;
    char text[32];
    snprintf(text, sizeof text, "cancelled %lu", (unsigned long)i);
    if (is_asynchronous)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    for (;;) {
        nvtxMarkA(text);
        __atomic_fetch_add(&counts[i], 1, __ATOMIC_RELEASE);
        if (!is_asynchronous && counts[i] % 100 == 0)
            pthread_testcancel();
        if (counts[i] == MAX_EVENTS)
            pause();
    }
    return NULL;
}

static int cancel_threads(int asynchronous)
{
    is_asynchronous = asynchronous;
    for (uintptr_t i = 0; i < N_CANCELLED; i++) {
        pthread_t thread;
        void *result;
        if (pthread_create(&thread, NULL, annotate_for_ever, (void *)i))
            return 1;
        while (__atomic_load_n(&counts[i], __ATOMIC_ACQUIRE) < 1 + i % 7 * 300)
            ;
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED)
            return 2;
        char name[32];
        snprintf(name, sizeof name, "cancelled %lu", (unsigned long)i);
        truth_value(name, counts[i]);
    }
    truth_mark("after");
    return 0;
}

static int run_deferred(int argc, char **argv)
{
    (void)argc, (void)argv;
    return cancel_threads(0);
}

static int run_asynchronous(int argc, char **argv)
{
    (void)argc, (void)argv;
    return cancel_threads(1);
}

/* Recording is no cancellation point, not even where it opens files: a thread with a pending
 * cancellation records megabytes and goes on. */
static void *record_while_pending(void *unused)
{
    (void)unused;
    static char text[1000];
    memset(text, 't', sizeof text - 1);
    truth_open(); /* noting must not be a cancellation point either */
    pthread_cancel(pthread_self());
    for (int i = 0; i < 2000; i++)
        nvtxMarkA(text);
    truth_value("survived", 1);
    pthread_testcancel();
    return NULL;
}

static int run_pending(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    if (pthread_create(&thread, NULL, record_while_pending, NULL))
        return 1;
    pthread_join(thread, NULL);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"deferred", run_deferred},
        {"asynchronous", run_asynchronous},
        {"pending", run_pending},
        {NULL, NULL},
    };
    return modes_run(modes, argc, argv);
}
