/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sums/range_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"

/* ---- Buckets ---- */

static uint64_t middle_of(unsigned octave, unsigned step)
{
    if (octave == 0)
        return step;
    uint64_t width = 1ULL << (octave - 1);
    return ((uint64_t)(RF_SUM_STEPS + step) << (octave - 1)) + (width - 1) / 2;
}

uint32_t rf_bucket_of(uint64_t value)
{
    unsigned octave = rf_octave_of(value);
    return octave * RF_SUM_STEPS + rf_step_of(value, octave);
}

uint64_t rf_bucket_middle(uint32_t bucket)
{
    return middle_of(bucket / RF_SUM_STEPS, bucket % RF_SUM_STEPS);
}

/* ---- Keys ---- */

/* The halves change places: read as one word, a key that was just written by members would have to
 * wait until all of it is in the cache. */
static inline uint64_t hash_of(const struct rf_sum_key *key)
{
    return rf_hash_mix((uint64_t)key->domain << 32 | key->name,
                       (uint64_t)key->kind << 32 | key->around);
}

static inline uint32_t *find_slot(const struct rf_sums *sums, const struct rf_sum_key *key)
{
    size_t i = hash_of(key) & (sums->n_slots - 1);
    while (sums->slot[i] != 0 && !rf_sum_key_is_same(&sums->sum[sums->slot[i] - 1].key, key))
        i = (i + 1) & (sums->n_slots - 1);
    return &sums->slot[i];
}

static bool grow_slots(struct rf_sums *sums)
{
    size_t n_slots = sums->n_slots > 0 ? sums->n_slots * 2 : 1024;
    uint32_t *slot = calloc(n_slots, sizeof(*slot));
    if (slot == NULL)
        return false;
    free(sums->slot);
    sums->slot = slot;
    sums->n_slots = n_slots;
    for (size_t i = 0; i < sums->n; i++)
        *find_slot(sums, &sums->sum[i].key) = (uint32_t)i + 1;
    return true;
}

static bool add_sum(struct rf_sums *sums, const struct rf_sum_key *key)
{
    if ((sums->n * 2 >= sums->n_slots && !grow_slots(sums)) ||
        rf_grow_array(&sums->sum, sums->n, &sums->room, sizeof(*sums->sum)) != RF_OK)
        return false;
    struct rf_sum *sum = &sums->sum[sums->n++];
    memset(sum, 0, sizeof(*sum));
    sum->key = *key;
    sum->min.duration_ns = UINT64_MAX;
    *find_slot(sums, key) = (uint32_t)sums->n;
    return true;
}

uint32_t rf_sums_find_rare(struct rf_sums *sums, uint32_t domain, uint32_t name, uint32_t kind,
                           uint32_t around)
{
    const struct rf_sum_key key = {domain, name, kind, around};
    const uint32_t recent = rf_sums_recent(&key);
    uint32_t at = sums->n_slots > 0 ? *find_slot(sums, &key) : 0;
    if (at == 0 && add_sum(sums, &key))
        at = (uint32_t)sums->n;
    if (at == 0)
        return RF_NO_INDEX;
    sums->recent[recent].key = key;
    sums->recent[recent].at = at;
    return at - 1;
}

/* ---- Adding ---- */

static inline bool is_before(const struct rf_sum_place *a, const struct rf_sum_place *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    if (a->owner.process != b->owner.process)
        return a->owner.process < b->owner.process;
    return a->owner.tid != b->owner.tid ? a->owner.tid < b->owner.tid
                                        : a->owner.serial < b->owner.serial;
}

static inline void take_places(struct rf_sum *sum, const struct rf_sum_place *min,
                               const struct rf_sum_place *max)
{
    if (min->duration_ns < sum->min.duration_ns || sum->n == 0 ||
        (min->duration_ns == sum->min.duration_ns && is_before(min, &sum->min)))
        sum->min = *min;
    if (max->duration_ns > sum->max.duration_ns || sum->n == 0 ||
        (max->duration_ns == sum->max.duration_ns && is_before(max, &sum->max)))
        sum->max = *max;
}

void rf_sum_take_place(struct rf_sum *sum, struct rf_sum_place range)
{
    take_places(sum, &range, &range);
}

uint64_t *rf_sum_make_octave(struct rf_sum *sum, unsigned octave)
{
    sum->count[octave] = calloc(RF_SUM_STEPS, sizeof(uint64_t));
    return sum->count[octave];
}

bool rf_sums_merge(struct rf_sums *sums, const struct rf_sum_key *key, const struct rf_sum *from)
{
    const uint32_t index = rf_sums_index(sums, key);
    if (index == RF_NO_INDEX)
        return false;
    struct rf_sum *sum = &sums->sum[index];
    for (unsigned octave = 0; octave < RF_SUM_OCTAVES; octave++) {
        if (from->count[octave] == NULL)
            continue;
        uint64_t *count = sum->count[octave];
        if (count == NULL && (count = rf_sum_make_octave(sum, octave)) == NULL)
            return false;
        for (unsigned i = 0; i < RF_SUM_STEPS; i++)
            count[i] += from->count[octave][i];
    }
    if (from->n > 0)
        take_places(sum, &from->min, &from->max);
    sum->n += from->n;
    sum->total_ns += from->total_ns;
    sum->self_ns += from->self_ns;
    sum->gpu_ns += from->gpu_ns;
    sum->n_gpu += from->n_gpu;
    sum->n_cut += from->n_cut;
    if (from->first.number != 0 && rf_sum_is_first(&from->first, &sum->first))
        sum->first = from->first;
    rf_sum_add_squares(sum, from->squares);
    return true;
}

/* ---- Figures ---- */

uint64_t rf_sum_rank(const struct rf_sum *sum, uint64_t k)
{
    for (unsigned octave = 0; octave < RF_SUM_OCTAVES; octave++)
        for (unsigned i = 0; i < RF_SUM_STEPS && sum->count[octave] != NULL; i++) {
            if (k < sum->count[octave][i]) {
                uint64_t ns = middle_of(octave, i);
                ns = ns < sum->min.duration_ns ? sum->min.duration_ns : ns;
                return ns > sum->max.duration_ns ? sum->max.duration_ns : ns;
            }
            k -= sum->count[octave][i];
        }
    return sum->max.duration_ns;
}

void rf_sums_release(struct rf_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++)
        for (unsigned octave = 0; octave < RF_SUM_OCTAVES; octave++)
            free(sums->sum[i].count[octave]);
    free(sums->sum);
    free(sums->slot);
    memset(sums, 0, sizeof(*sums));
}
