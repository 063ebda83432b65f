/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sums/work_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

struct rf_work_sum *rf_work_sums_find(struct rf_work_sums *sums, const struct rf_work_key *key)
{
    const uint64_t a = (uint64_t)key->kind << 32 | key->process;
    const uint64_t b = (uint64_t)key->mangled << 32 | key->name;
    const uint32_t i = rf_map_find(&sums->index, a, b);
    if (i != RF_MAP_NONE)
        return &sums->sum[i];
    if (rf_grow_array(&sums->sum, sums->n, &sums->room, sizeof(*sums->sum)) != RF_OK ||
        rf_map_set(&sums->index, a, b, (uint32_t)sums->n) != RF_OK)
        return NULL;
    struct rf_work_sum *sum = &sums->sum[sums->n++];
    *sum = (struct rf_work_sum){.key = *key};
    return sum;
}

bool rf_work_sums_have(const struct rf_work_sums *sums, enum rf_work_kind kind)
{
    for (size_t i = 0; i < sums->n; i++)
        if (sums->sum[i].key.kind == kind)
            return true;
    return false;
}

void rf_work_sums_release(struct rf_work_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++)
        rf_value_counts_release(&sums->sum[i].values);
    free(sums->sum);
    rf_map_release(&sums->index);
    memset(sums, 0, sizeof(*sums));
}
