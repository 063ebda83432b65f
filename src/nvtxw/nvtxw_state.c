/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_state.h"

static uint32_t n_forks; /* counts in forked processes */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_changed = PTHREAD_COND_INITIALIZER;

static void count_fork(void)
{
    n_forks++;
    nvtxw_unlock_all();
}

static void watch_forks(void)
{
    (void)pthread_atfork(nvtxw_lock_all, nvtxw_unlock_all, count_fork);
}

uint32_t nvtxw_fork_number(void)
{
    (void)pthread_once(&once, watch_forks);
    return n_forks;
}

bool nvtxw_is_ours(const struct nvtxw_session *session)
{
    return session->fork_number == n_forks && __atomic_load_n(&session->is_open, __ATOMIC_ACQUIRE);
}

void nvtxw_lock_all(void)
{
    (void)pthread_mutex_lock(&all_lock);
}

void nvtxw_unlock_all(void)
{
    (void)pthread_mutex_unlock(&all_lock);
}

void nvtxw_wait_all(void)
{
    (void)pthread_cond_wait(&all_changed, &all_lock);
}

void nvtxw_wake_all(void)
{
    (void)pthread_cond_broadcast(&all_changed);
}
