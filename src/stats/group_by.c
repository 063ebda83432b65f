/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/group_by.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

static size_t hash_of(const uint32_t key[RF_GROUP_KEYS])
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < RF_GROUP_KEYS; i++) {
        hash = (hash ^ key[i]) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* The slot of a key: its own, or a free one. */
static uint32_t *find_slot(const struct rf_groups *groups, const uint32_t key[RF_GROUP_KEYS])
{
    size_t i = hash_of(key) & (groups->n_slots - 1);
    while (groups->slot[i] != 0 &&
           memcmp(groups->group[groups->slot[i] - 1].key, key, sizeof(groups->group->key)) != 0)
        i = (i + 1) & (groups->n_slots - 1);
    return &groups->slot[i];
}

static int grow_slots(struct rf_groups *groups)
{
    size_t n_slots = groups->n_slots > 0 ? groups->n_slots * 2 : 1024;
    uint32_t *slot = calloc(n_slots, sizeof(*slot));
    if (slot == NULL)
        return 0;
    free(groups->slot);
    groups->slot = slot;
    groups->n_slots = n_slots;
    for (size_t i = 0; i < groups->n; i++)
        *find_slot(groups, groups->group[i].key) = (uint32_t)i + 1;
    return 1;
}

struct rf_group *rf_groups_get(struct rf_groups *groups, const uint32_t key[RF_GROUP_KEYS])
{
    if (groups->n * 2 >= groups->n_slots && !grow_slots(groups))
        return NULL;
    uint32_t *slot = find_slot(groups, key);
    if (*slot != 0)
        return &groups->group[*slot - 1];
    if (rf_grow_array(&groups->group, groups->n, &groups->room, sizeof(*groups->group)) != RF_OK)
        return NULL;
    struct rf_group *group = &groups->group[groups->n++];
    memset(group, 0, sizeof(*group));
    memcpy(group->key, key, sizeof(group->key));
    *slot = (uint32_t)groups->n;
    return group;
}

int rf_group_add(struct rf_group *group, uint64_t duration_ns)
{
    if (rf_grow_array(&group->values, group->n, &group->room, sizeof(*group->values)) != RF_OK)
        return 0;
    group->values[group->n++] = duration_ns;
    return 1;
}

void rf_groups_measure(struct rf_groups *groups)
{
    for (; groups->n_measured < groups->n; groups->n_measured++) {
        struct rf_group *group = &groups->group[groups->n_measured];
        if (group->n > 0)
            rf_durations_measure(&group->measured, group->values, group->n);
        free(group->values);
        group->values = NULL;
    }
}

void rf_groups_release(struct rf_groups *groups)
{
    for (size_t i = 0; i < groups->n; i++)
        free(groups->group[i].values);
    free(groups->group);
    free(groups->slot);
}
