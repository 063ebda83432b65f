/* SPDX-License-Identifier: Apache-2.0 */
/* A real program of which one step in 20 is slow, for a cause that is planted.
 *
 *     planted CAUSE SEED [STEPS]
 *
 * CAUSE: nothing, child (reading takes six times as long), gap (300 us between load and forward, in
 * no range), lock (another thread holds it) or layers (twelve in place of four). Work takes its
 * time by the clock, with 3 % of noise. */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>

#include "planted_noise.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t wanted, taken;

static void work(const char *name, int64_t ns)
{
    nvtxRangePushA(name);
    planted_spin(planted_some(ns));
    nvtxRangePop();
}

/* Holds the lock each time that it is asked to. */
static void *save(void *unused)
{
    for (;;) {
        (void)sem_wait(&wanted);
        nvtxRangePushA("save");
        (void)pthread_mutex_lock(&mutex);
        (void)sem_post(&taken);
        planted_spin(planted_some(1500000));
        (void)pthread_mutex_unlock(&mutex);
        nvtxRangePop();
    }
    return unused;
}

static void step(const char *cause, bool is_slow)
{
    nvtxRangePushA("step");
    nvtxRangePushA("load");
    work("read", is_slow && strcmp(cause, "child") == 0 ? 360000 : 60000);
    work("decode", 30000);
    nvtxRangePop();
    planted_spin(is_slow && strcmp(cause, "gap") == 0 ? 300000 : 2000);
    nvtxRangePushA("forward");
    for (int i = 0; i < (is_slow && strcmp(cause, "layers") == 0 ? 12 : 4); i++)
        work("layer", 40000);
    nvtxRangePop();
    nvtxRangePushA("commit");
    if (is_slow && strcmp(cause, "lock") == 0) {
        (void)sem_post(&wanted);
        while (sem_wait(&taken) != 0)
            ;
    }
    (void)pthread_mutex_lock(&mutex);
    planted_spin(planted_some(10000));
    (void)pthread_mutex_unlock(&mutex);
    nvtxRangePop();
    work("optimizer", 30000);
    nvtxRangePop();
}

int main(int argc, char **argv)
{
    const char *cause = argc > 1 ? argv[1] : "nothing";
    pthread_t thread;
    planted_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int n = argc > 3 ? atoi(argv[3]) : 400;
    if (sem_init(&wanted, 0, 0) != 0 || sem_init(&taken, 0, 0) != 0 ||
        pthread_create(&thread, NULL, save, NULL) != 0)
        return 1;
    (void)pthread_detach(thread);
    for (int i = 0; i < n; i++)
        step(cause, planted_uniform() < 0.05);
    return 0;
}
