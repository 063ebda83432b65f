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

/* Where the durations of a part go that are not listed. */
struct folding {
    struct rf_sums *to;
    uint32_t index;
};

static bool fold_value(void *context, uint64_t ns)
{
    const struct folding *f = context;
    return rf_sums_add_at(f->to, f->index, &(struct rf_sum_place){.duration_ns = ns});
}

static bool fold(struct rf_launch_sums *sums, struct rf_launch_sum *sum, uint32_t part)
{
    const struct rf_sum_key key = {.domain = (uint32_t)(sum - sums->sum), .name = part};
    struct folding f = {&sums->folded, rf_sums_index(&sums->folded, &key)};
    if (f.index == RF_NO_INDEX || !rf_value_list_each(&sum->values[part], fold_value, &f))
        return false;
    rf_value_list_release(&sum->values[part]);
    sum->folded[part] = f.index + 1;
    return true;
}

static bool add_value(struct rf_launch_sums *sums, struct rf_launch_sum *sum, uint32_t part,
                      uint64_t ns)
{
    if (sum->folded[part] == 0 && sums->n_launches > RF_LISTED_LAUNCHES &&
        sum->values[part].n >= RF_LISTED_ALIKE && !fold(sums, sum, part))
        return false;
    if (sum->folded[part] == 0)
        return rf_value_list_add(&sum->values[part], ns);
    struct folding f = {&sums->folded, sum->folded[part] - 1};
    return fold_value(&f, ns);
}

bool rf_launch_sum_add(struct rf_launch_sums *sums, struct rf_launch_sum *sum,
                       const struct rf_launch_times *times)
{
    bool is_done = true;
    sums->n_launches++;
    for (uint32_t i = 0; i < RF_LAUNCH_PARTS; i++)
        if (i != RF_LAUNCH_QUEUE || times->is_queued)
            is_done = add_value(sums, sum, i, times->ns[i]) && is_done;
    return is_done;
}

void rf_launch_sums_release(struct rf_launch_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++)
        for (int part = 0; part < RF_LAUNCH_PARTS; part++)
            rf_value_list_release(&sums->sum[i].values[part]);
    rf_sums_release(&sums->folded);
    free(sums->sum);
    rf_map_release(&sums->index);
    memset(sums, 0, sizeof(*sums));
}
