/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_time.h"

#include "model/load/load.h"

/* NVTX_TIMESTAMP_TYPE_ */
enum {
    STAMP_NONE = 0,
    STAMP_TOOL = 1,
    STAMP_TSC = 10,
    STAMP_REALTIME = 12,
    STAMP_REALTIME_COARSE = 13,
    STAMP_MONOTONIC = 14,
    STAMP_MONOTONIC_COARSE = 16,
};

#define HOUR_NS ((int64_t)3600 * 1000000000)

bool rf_nvtx_knows_clock(const struct rf_nvtx_clocks *clocks, uint64_t domain)
{
    switch (domain) {
    case STAMP_NONE:
    case STAMP_TOOL:
    case STAMP_REALTIME:
    case STAMP_REALTIME_COARSE:
    case STAMP_MONOTONIC:
    case STAMP_MONOTONIC_COARSE:
        return true;
    case STAMP_TSC:
        return clocks->load->rec->control.clock_kind == RF_CLOCK_TSC;
    default:
        return false;
    }
}

static uint64_t ticks_of_real(struct rf_nvtx_clocks *clocks, int64_t real_ns, int *status)
{
    struct rf_load *load = clocks->load;
    if (!clocks->has_real)
        *status = rf_cuda_clock_finish(&clocks->real, &load->rec->control, load->timeline.hz);
    clocks->has_real = *status == RF_OK;
    return clocks->has_real ? rf_cuda_ticks(&clocks->real, real_ns > 0 ? (uint64_t)real_ns : 0) : 0;
}

static int64_t since_epoch(int64_t mono_ns, int64_t epoch_ns)
{
    __int128 ns = (__int128)mono_ns - epoch_ns;
    ns = ns > RF_TIMELINE_MAX ? RF_TIMELINE_MAX : ns;
    return (int64_t)(ns < -RF_TIMELINE_MAX ? -RF_TIMELINE_MAX : ns);
}

int64_t rf_nvtx_ns(struct rf_nvtx_clocks *clocks, uint64_t domain, int64_t timestamp, int *status)
{
    const struct rf_timeline *timeline = &clocks->load->timeline;
    if (domain == STAMP_MONOTONIC || domain == STAMP_MONOTONIC_COARSE)
        return since_epoch(timestamp, timeline->epoch_mono_ns);
    uint64_t ticks = (uint64_t)timestamp;
    if (domain == STAMP_REALTIME || domain == STAMP_REALTIME_COARSE)
        ticks = ticks_of_real(clocks, timestamp, status);
    return rf_timeline_ns(timeline, &clocks->line, ticks);
}

static int64_t find_last(const struct rf_load *load)
{
    int64_t last_ns = load->timeline.last_pair_ns;
    for (uint32_t i = 0; i < load->rec->n_processes; i++)
        if (load->process[i].last_ns > last_ns)
            last_ns = load->process[i].last_ns;
    for (uint32_t i = 0; i < load->n_threads; i++)
        if (load->thread[i]->last_ns > last_ns)
            last_ns = load->thread[i]->last_ns;
    return last_ns;
}

bool rf_nvtx_is_near(struct rf_nvtx_clocks *clocks, int64_t ns)
{
    if (!clocks->has_last)
        clocks->last_ns = find_last(clocks->load);
    clocks->has_last = true;
    const int64_t most_ns = clocks->last_ns > HOUR_NS ? clocks->last_ns : HOUR_NS;
    return ns >= -most_ns && ns - most_ns <= clocks->last_ns;
}

void rf_nvtx_clocks_release(struct rf_nvtx_clocks *clocks)
{
    rf_cuda_clock_release(&clocks->real);
}
