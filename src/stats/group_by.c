/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/group_by.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

static size_t hash_of(const uint32_t key[RF_GROUP_KEYS])
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < RF_GROUP_KEYS; i += 2) {
        uint64_t pair = i + 1 < RF_GROUP_KEYS ? (uint64_t)key[i + 1] << 32 | key[i] : key[i];
        hash = (hash ^ pair) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* The slot of a key: its own, or a free one. */
static uint32_t *find_slot(const struct rf_group_by *by, const uint32_t key[RF_GROUP_KEYS])
{
    size_t i = hash_of(key) & (by->n_slots - 1);
    while (by->slot[i] != 0 &&
           memcmp(by->group[by->slot[i] - 1].key, key, sizeof(by->group->key)) != 0)
        i = (i + 1) & (by->n_slots - 1);
    return &by->slot[i];
}

static bool grow_slots(struct rf_group_by *by)
{
    size_t n_slots = by->n_slots > 0 ? by->n_slots * 2 : 1024;
    uint32_t *slot = calloc(n_slots, sizeof(*slot));
    if (slot == NULL)
        return false;
    free(by->slot);
    by->slot = slot;
    by->n_slots = n_slots;
    for (size_t i = 0; i < by->n; i++)
        *find_slot(by, by->group[i].key) = (uint32_t)i + 1;
    return true;
}

struct rf_group *rf_group_by_get(struct rf_group_by *by, const uint32_t key[RF_GROUP_KEYS])
{
    if (by->n * 2 >= by->n_slots && !grow_slots(by))
        return NULL;
    uint32_t *slot = find_slot(by, key);
    if (*slot != 0)
        return &by->group[*slot - 1];
    if (rf_grow_array(&by->group, by->n, &by->room, sizeof(*by->group)) != RF_OK)
        return NULL;
    struct rf_group *group = &by->group[by->n++];
    memset(group, 0, sizeof(*group));
    memcpy(group->key, key, sizeof(group->key));
    *slot = (uint32_t)by->n;
    return group;
}

struct rf_group *rf_group_by_add(struct rf_group_by *by, const uint32_t key[RF_GROUP_KEYS],
                                 uint64_t duration_ns)
{
    struct rf_group *group = rf_group_by_get(by, key);
    if (group == NULL ||
        rf_grow_array(&group->values, group->n, &group->room, sizeof(*group->values)) != RF_OK)
        return NULL;
    group->values[group->n++] = duration_ns;
    return group;
}

bool rf_group_by_add_counts(struct rf_group_by *by, const uint32_t key[RF_GROUP_KEYS],
                            const struct rf_value_counts *counts)
{
    struct rf_group *group = rf_group_by_get(by, key);
    if (group == NULL || !rf_value_counts_merge(&group->counts, counts))
        return false;
    group->n += counts->n_values;
    return true;
}

static bool find_quantiles(struct rf_group *group, const struct rf_quantiles *quantiles)
{
    if (quantiles == NULL || quantiles->n == 0)
        return true;
    group->quantile = malloc(quantiles->n * sizeof(*group->quantile));
    for (size_t q = 0; q < quantiles->n && group->quantile != NULL; q++) {
        const uint64_t rank = rf_quantile_rank(quantiles, q, group->n);
        group->quantile[q] = group->values != NULL
                                 ? rf_durations_rank(group->values, group->n, rank)
                                 : rf_value_counts_rank(&group->counts, rank);
    }
    return group->quantile != NULL;
}

bool rf_group_set_quantiles(struct rf_group *group, const struct rf_quantiles *quantiles,
                            const struct rf_sum *sum)
{
    if (quantiles == NULL || quantiles->n == 0)
        return true;
    group->quantile = malloc(quantiles->n * sizeof(*group->quantile));
    for (size_t q = 0; q < quantiles->n && group->quantile != NULL; q++)
        group->quantile[q] = rf_sum_rank(sum, rf_quantile_rank(quantiles, q, sum->n));
    return group->quantile != NULL;
}

static void measure(struct rf_group *group)
{
    if (group->values != NULL)
        rf_durations_measure(&group->measured, group->values, group->n);
    else
        rf_durations_of_counts(&group->measured, &group->counts);
}

bool rf_group_by_measure(struct rf_group_by *by)
{
    bool is_done = true;
    for (; by->n_measured < by->n; by->n_measured++) {
        struct rf_group *group = &by->group[by->n_measured];
        if (group->n > 0) {
            if (by->take != NULL)
                by->take(by->context, group);
            measure(group);
            is_done = find_quantiles(group, by->quantiles) && is_done;
        }
        free(group->values);
        group->values = NULL;
        rf_value_counts_release(&group->counts);
    }
    return is_done;
}

double rf_group_by_total_ns(const struct rf_group_by *by)
{
    double all_ns = 0;
    for (size_t i = 0; i < by->n; i++)
        all_ns += (double)by->group[i].measured.total_ns;
    return all_ns;
}

void rf_group_by_release(struct rf_group_by *by)
{
    for (size_t i = 0; i < by->n; i++) {
        free(by->group[i].values);
        free(by->group[i].quantile);
        rf_value_counts_release(&by->group[i].counts);
    }
    free(by->group);
    free(by->slot);
}
