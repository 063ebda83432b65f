/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_state.h"

static uint32_t n_forks; /* counts in forked processes */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void count_fork(void)
{
    n_forks++;
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
}

uint32_t nvtxw_fork_number(void)
{
    (void)pthread_once(&once, watch_forks);
    return n_forks;
}

bool nvtxw_is_ours(const struct nvtxw_session *session)
{
    return session->is_open && session->fork_number == n_forks;
}
