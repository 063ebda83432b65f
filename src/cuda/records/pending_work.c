/* SPDX-License-Identifier: Apache-2.0 */
/* Work that was launched and has not come back, by correlation id: at the end of a capture we wait
 * for it. The call and its work come in any order. A call may have no work (a copy of nothing, a
 * launch that a graph records), so waiting is limited. Only the newest calls are known; older ones
 * are long done. */
#include "cuda/records/pending_work.h"

#include "cuda/cuda_state.h"

#define N_PLACES (1u << 15)

#define CALLED  (1ULL << 32)
#define CAME    (1ULL << 33)
#define IS_LATE (1ULL << 34) /* called after the capture */

/* The correlation id with the bits above; atomic. */
static uint64_t places[N_PLACES];

/* Calls that begin after this, on CUPTI's clock, are not waited for; atomic. */
static uint64_t end_time = UINT64_MAX;

static bool is_of_interest(void)
{
    return rf_recorder.is_focused ||
           rf_cuda_keeps_kinds(); /* there, the end of the program waits too */
}

static void note(uint32_t correlation, uint64_t what)
{
    uint64_t *place = &places[correlation % N_PLACES];
    uint64_t seen = __atomic_load_n(place, __ATOMIC_RELAXED);
    uint64_t next;
    do {
        next = ((uint32_t)seen == correlation ? seen : correlation) | what;
    } while (next != seen && !__atomic_compare_exchange_n(place, &seen, next, false,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void rf_cuda_note_launch(uint32_t correlation, uint64_t start)
{
    if (RF_LIKELY(!is_of_interest()))
        return;
    bool is_late = start > __atomic_load_n(&end_time, __ATOMIC_RELAXED);
    note(correlation, CALLED | (is_late ? IS_LATE : 0));
}

void rf_cuda_note_work(uint32_t correlation)
{
    if (correlation != 0 && RF_UNLIKELY(is_of_interest()))
        note(correlation, CAME);
}

void rf_cuda_note_capture(bool is_on)
{
    uint64_t none = UINT64_MAX;
    uint64_t now = 0;
    if (is_on)
        __atomic_store_n(&end_time, UINT64_MAX, __ATOMIC_RELAXED);
    else if (__atomic_load_n(&end_time, __ATOMIC_RELAXED) == UINT64_MAX &&
             rf_cuda.cupti.get_timestamp(&now) == RF_CUPTI_SUCCESS &&
             __atomic_compare_exchange_n(&end_time, &none, now, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
        (void)__atomic_fetch_add(&rf_cuda.n_ends, 1, __ATOMIC_RELEASE);
}

bool rf_cuda_is_work_pending(void)
{
    for (uint32_t i = 0; i < N_PLACES; i++) {
        uint64_t seen = __atomic_load_n(&places[i], __ATOMIC_RELAXED);
        if ((seen & (CALLED | CAME | IS_LATE)) == CALLED)
            return true;
    }
    return false;
}

void rf_cuda_forget_launches(void)
{
    for (uint32_t i = 0; i < N_PLACES; i++)
        __atomic_store_n(&places[i], 0, __ATOMIC_RELAXED);
}
