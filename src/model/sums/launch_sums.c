/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sums/launch_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

struct rf_launch_times rf_launch_times(int64_t call_start_ns, int64_t call_end_ns, int64_t start_ns,
                                       int64_t end_ns)
{
    const int64_t last_ns = end_ns > call_end_ns ? end_ns : call_end_ns;
    const bool is_queued = start_ns >= call_end_ns;
    return (struct rf_launch_times){
        .ns = {[RF_LAUNCH_TOTAL] =
                   last_ns > call_start_ns ? (uint64_t)last_ns - (uint64_t)call_start_ns : 0,
               [RF_LAUNCH_CALL] = (uint64_t)call_end_ns - (uint64_t)call_start_ns,
               [RF_LAUNCH_QUEUE] = is_queued ? (uint64_t)start_ns - (uint64_t)call_end_ns : 0,
               [RF_LAUNCH_KERNEL] = (uint64_t)end_ns - (uint64_t)start_ns},
        .is_queued = is_queued};
}

struct rf_launch_sum *rf_launch_sums_find(struct rf_launch_sums *sums,
                                          const struct rf_launch_key *key)
{
    const uint64_t a = (uint64_t)key->thread << 32 | key->device;
    const uint64_t b = (uint64_t)key->function << 32 | key->kernel;
    const uint32_t i = rf_map_find(&sums->index, a, b);
    if (i != RF_MAP_NONE)
        return &sums->sum[i];
    if (rf_grow_array(&sums->sum, sums->n, &sums->room, sizeof(*sums->sum)) != RF_OK ||
        rf_map_set(&sums->index, a, b, (uint32_t)sums->n) != RF_OK)
        return NULL;
    struct rf_launch_sum *sum = &sums->sum[sums->n++];
    *sum = (struct rf_launch_sum){.key = *key};
    return sum;
}

bool rf_launch_sum_add(struct rf_launch_sum *sum, const struct rf_launch_times *times)
{
    bool is_done = true;
    for (int i = 0; i < RF_LAUNCH_PARTS; i++)
        if (i != RF_LAUNCH_QUEUE || times->is_queued)
            is_done = rf_value_list_add(&sum->values[i], times->ns[i]) && is_done;
    return is_done;
}

void rf_launch_sums_release(struct rf_launch_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++)
        for (int part = 0; part < RF_LAUNCH_PARTS; part++)
            rf_value_list_release(&sums->sum[i].values[part]);
    free(sums->sum);
    rf_map_release(&sums->index);
    memset(sums, 0, sizeof(*sums));
}
