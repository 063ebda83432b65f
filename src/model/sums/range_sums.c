/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sums/range_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"

/* ---- Buckets ---- */

static inline unsigned octave_of(uint64_t ns)
{
    return ns < RF_SUM_STEPS ? 0 : 64u - RF_SUM_BITS - (unsigned)__builtin_clzll(ns);
}

/* Durations of the first two octaves have a bucket each. */
static inline unsigned step_of(uint64_t ns, unsigned octave)
{
    return (unsigned)(ns >> (octave > 0 ? octave - 1 : 0)) & (RF_SUM_STEPS - 1);
}

static uint64_t middle_of(unsigned octave, unsigned step)
{
    if (octave == 0)
        return step;
    uint64_t width = 1ULL << (octave - 1);
    return ((uint64_t)(RF_SUM_STEPS + step) << (octave - 1)) + (width - 1) / 2;
}

uint32_t rf_bucket_of(uint64_t value)
{
    unsigned octave = octave_of(value);
    return octave * RF_SUM_STEPS + step_of(value, octave);
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

static inline bool is_same(const struct rf_sum_key *a, const struct rf_sum_key *b)
{
    return a->name == b->name && a->domain == b->domain && a->kind == b->kind &&
           a->around == b->around;
}

static inline uint32_t *find_slot(const struct rf_sums *sums, const struct rf_sum_key *key)
{
    size_t i = hash_of(key) & (sums->n_slots - 1);
    while (sums->slot[i] != 0 && !is_same(&sums->sum[sums->slot[i] - 1].key, key))
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

static struct rf_sum *add_sum(struct rf_sums *sums, const struct rf_sum_key *key)
{
    if ((sums->n * 2 >= sums->n_slots && !grow_slots(sums)) ||
        rf_grow_array(&sums->sum, sums->n, &sums->room, sizeof(*sums->sum)) != RF_OK)
        return NULL;
    struct rf_sum *sum = &sums->sum[sums->n++];
    memset(sum, 0, sizeof(*sum));
    sum->key = *key;
    sum->min.duration_ns = UINT64_MAX;
    *find_slot(sums, key) = (uint32_t)sums->n;
    return sum;
}

static __attribute__((noinline)) struct rf_sum *
find_rare(struct rf_sums *sums, const struct rf_sum_key *key, uint32_t recent)
{
    uint32_t at = sums->n_slots > 0 ? *find_slot(sums, key) : 0;
    struct rf_sum *sum = at != 0 ? &sums->sum[at - 1] : add_sum(sums, key);
    if (sum != NULL) {
        sums->recent[recent].key = *key;
        sums->recent[recent].at = (uint32_t)(sum - sums->sum) + 1;
    }
    return sum;
}

static inline struct rf_sum *find_sum(struct rf_sums *sums, const struct rf_sum_key *key)
{
    const uint32_t recent = (key->name + 5 * key->around + key->kind) & (RF_SUMS_RECENT - 1);
    const uint32_t at = sums->recent[recent].at;
    if (at != 0 && is_same(&sums->recent[recent].key, key))
        return &sums->sum[at - 1];
    return find_rare(sums, key, recent);
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

static void add_squares(struct rf_sum *sum, unsigned __int128 squares)
{
    if (__builtin_add_overflow(sum->squares, squares, &sum->squares))
        sum->squares = ~(unsigned __int128)0;
}

static uint64_t *make_octave(struct rf_sum *sum, unsigned octave)
{
    sum->count[octave] = calloc(RF_SUM_STEPS, sizeof(uint64_t));
    return sum->count[octave];
}

static inline bool add_to(struct rf_sum *sum, const struct rf_sum_place *range)
{
    uint64_t ns = range->duration_ns;
    unsigned octave = octave_of(ns);
    uint64_t *count = sum->count[octave];
    if (count == NULL && (count = make_octave(sum, octave)) == NULL)
        return false;
    count[step_of(ns, octave)]++;
    take_places(sum, range, range);
    sum->n++;
    sum->total_ns += ns;
    add_squares(sum, (unsigned __int128)ns * ns);
    return true;
}

bool rf_sums_add(struct rf_sums *sums, const struct rf_sum_key *key,
                 const struct rf_sum_place *range)
{
    struct rf_sum *sum = find_sum(sums, key);
    return sum != NULL && add_to(sum, range);
}

uint32_t rf_sums_index(struct rf_sums *sums, const struct rf_sum_key *key)
{
    struct rf_sum *sum = find_sum(sums, key);
    return sum != NULL ? (uint32_t)(sum - sums->sum) : RF_NO_INDEX;
}

bool rf_sums_add_at(struct rf_sums *sums, uint32_t index, const struct rf_sum_place *range)
{
    return add_to(&sums->sum[index], range);
}

bool rf_sums_merge(struct rf_sums *sums, const struct rf_sum_key *key, const struct rf_sum *from)
{
    struct rf_sum *sum = find_sum(sums, key);
    if (sum == NULL)
        return false;
    for (unsigned octave = 0; octave < RF_SUM_OCTAVES; octave++) {
        if (from->count[octave] == NULL)
            continue;
        uint64_t *count = sum->count[octave];
        if (count == NULL && (count = make_octave(sum, octave)) == NULL)
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
    add_squares(sum, from->squares);
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
