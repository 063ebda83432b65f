/* SPDX-License-Identifier: Apache-2.0 */
#include "base/helper_threads.h"

#include <sched.h>
#include <signal.h>

uint32_t rf_n_processors(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0)
        return 1;
    const int n = CPU_COUNT(&cores);
    return n < 1 ? 1 : n > RF_MAX_THREADS ? RF_MAX_THREADS : (uint32_t)n;
}

bool rf_threads_start(struct rf_threads *threads, void *(*run)(void *), void *context)
{
    sigset_t all, old;
    if (threads->n == RF_MAX_THREADS)
        return false;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGBUS); /* the caller may handle it: the file may be truncated */
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    const bool is_started = pthread_create(&threads->thread[threads->n], NULL, run, context) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    threads->n += is_started;
    return is_started;
}

void rf_threads_join(struct rf_threads *threads)
{
    while (threads->n > 0)
        (void)pthread_join(threads->thread[--threads->n], NULL);
}

struct share {
    void (*run)(void *context, uint32_t i);
    void *context;
    uint32_t i;
};

static void *run_share(void *context)
{
    const struct share *share = context;
    share->run(share->context, share->i);
    return NULL;
}

void rf_in_threads(uint32_t n, void (*run)(void *context, uint32_t i), void *context)
{
    struct rf_threads threads = {.n = 0};
    struct share share[RF_MAX_THREADS];
    for (uint32_t i = 0; i < n && i < RF_MAX_THREADS; i++)
        share[i] = (struct share){run, context, i};
    /* what gets no thread is done here */
    uint32_t i = 1;
    while (i < n && rf_threads_start(&threads, run_share, &share[i]))
        i++;
    for (; i < n; i++)
        run(context, i);
    if (n > 0)
        run(context, 0);
    rf_threads_join(&threads);
}
