/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of CUPTI's clock and ours. CUPTI's clock is the system's real time, which may be set. It
 * is read many times, each between two readings of ours; the pair with the smallest gap is
 * recorded. */
#include "cuda/records/clock_pairs.h"

#include "cuda/cuda_state.h"
#include "log/cuda.h"
#include "log/ticks.h"
#include "record/names/defs.h"

#define N_TRIES 50

struct pair {
    uint64_t ticks;
    uint64_t cupti;
    uint64_t gap;  /* ticks between the two readings */
    int64_t width; /* the gap in nanoseconds, at most */
};

static bool take_pair(struct pair *best)
{
    *best = (struct pair){.gap = UINT64_MAX};
    for (int i = 0; i < N_TRIES; i++) {
        uint64_t now = 0;
        int64_t begin_ns = rf_clock_ns(CLOCK_MONOTONIC);
        uint64_t before = rf_ticks(rf_recorder.clock_kind);
        if (rf_cuda.cupti.get_timestamp(&now) != RF_CUPTI_SUCCESS || now == 0)
            return false;
        uint64_t after = rf_ticks(rf_recorder.clock_kind);
        int64_t end_ns = rf_clock_ns(CLOCK_MONOTONIC);
        if (after - before < best->gap)
            *best = (struct pair){.ticks = before + (after - before) / 2,
                                  .cupti = now,
                                  .gap = after - before,
                                  .width = end_ns - begin_ns};
    }
    return true;
}

void rf_cuda_add_clock(int64_t min_age_ns)
{
    static int64_t last_ns;
    struct pair pair;
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    if (last_ns != 0 && now - last_ns < min_age_ns)
        return;
    if (!take_pair(&pair))
        return;
    last_ns = now;
    uint64_t error = (uint64_t)pair.width / 2;
    rf_defs_add_at(pair.ticks, RF_REC_CUDA_DEF, RF_CUDA_DEF_CLOCK, pair.cupti,
                   error < UINT32_MAX ? (uint32_t)error : UINT32_MAX);
}
