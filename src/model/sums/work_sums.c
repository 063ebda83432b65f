/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sums/work_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

struct rf_work_sum *rf_work_sums_find(struct rf_work_sums *sums, const struct rf_work_key *key)
{
    const uint64_t a = (uint64_t)key->kind << 61 | (uint64_t)key->process << 32 | key->shape;
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

bool rf_work_sums_add(struct rf_work_sums *sums, const struct rf_work_key *key, uint64_t value)
{
    struct rf_work_sum *sum = rf_work_sums_find(sums, key);
    return sum != NULL && rf_value_counts_add(&sum->values, value, 1);
}

bool rf_work_sums_add_transfer(struct rf_work_sums *sums, bool is_copy, uint32_t name, uint64_t ns,
                               uint64_t bytes)
{
    const struct rf_work_key times = {.kind = is_copy ? RF_WORK_COPY : RF_WORK_SET, .name = name};
    const struct rf_work_key sizes = {.kind = is_copy ? RF_WORK_COPY_BYTES : RF_WORK_SET_BYTES,
                                      .name = name};
    return rf_work_sums_add(sums, &times, ns) && rf_work_sums_add(sums, &sizes, bytes);
}

/* The number of a size; UINT32_MAX: out of memory. */
static uint32_t number_of_size(struct rf_work_sums *sums, const uint32_t size[3])
{
    const uint64_t xy = (uint64_t)size[0] << 32 | size[1];
    const uint32_t i = rf_map_find(&sums->size_of, xy, size[2]);
    if (i != RF_MAP_NONE)
        return i;
    return rf_map_set(&sums->size_of, xy, size[2], sums->n_sizes) == RF_OK ? sums->n_sizes++
                                                                           : UINT32_MAX;
}

static uint32_t find_shape(struct rf_work_sums *sums, const struct rf_work_shape *shape)
{
    const uint32_t grid = number_of_size(sums, shape->grid);
    const uint32_t block = number_of_size(sums, shape->block);
    const uint64_t both = (uint64_t)grid << 32 | block;
    if (grid == UINT32_MAX || block == UINT32_MAX)
        return UINT32_MAX;
    const uint32_t i = rf_map_find(&sums->shape_of, both, 0);
    if (i != RF_MAP_NONE)
        return i;
    if (rf_grow_array(&sums->shape, sums->n_shapes, &sums->shape_room, sizeof(*shape)) != RF_OK ||
        rf_map_set(&sums->shape_of, both, 0, sums->n_shapes) != RF_OK)
        return UINT32_MAX;
    sums->shape[sums->n_shapes] = *shape;
    return sums->n_shapes++;
}

uint32_t rf_work_sums_shape(struct rf_work_sums *sums, const struct rf_work_shape *shape)
{
    const uint64_t hash = rf_hash_mix((uint64_t)shape->grid[0] << 32 | shape->block[0],
                                      (uint64_t)shape->grid[1] << 32 | shape->grid[2]);
    uint32_t *at_hand = &sums->at_hand[hash % RF_WORK_SHAPES_AT_HAND];
    if (*at_hand == 0 || memcmp(&sums->shape[*at_hand - 1], shape, sizeof(*shape)) != 0) {
        const uint32_t i = find_shape(sums, shape);
        if (i == UINT32_MAX)
            return i;
        *at_hand = i + 1;
    }
    return *at_hand - 1;
}

bool rf_work_sums_have(const struct rf_work_sums *sums, enum rf_work_kind kind)
{
    return (sums->met >> kind & 1) != 0;
}

void rf_work_sums_release(struct rf_work_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++)
        rf_value_counts_release(&sums->sum[i].values);
    free(sums->sum);
    rf_map_release(&sums->index);
    free(sums->shape);
    rf_map_release(&sums->size_of);
    rf_map_release(&sums->shape_of);
    memset(sums, 0, sizeof(*sums));
}
