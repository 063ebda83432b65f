/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sums/value_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define FIRST_ROOM 16u

static struct rf_value_count *find(const struct rf_value_counts *counts, uint64_t value)
{
    size_t i = (size_t)rf_hash_mix(value, counts->seed) & (counts->room - 1);
    while (counts->place[i].n != 0 && counts->place[i].value != value)
        i = (i + 1) & (counts->room - 1);
    return &counts->place[i];
}

static bool grow(struct rf_value_counts *counts)
{
    struct rf_value_counts old = *counts;
    const size_t room = old.room > 0 ? 2 * old.room : FIRST_ROOM;
    struct rf_value_count *place = calloc(room, sizeof(*place));
    if (place == NULL)
        return false;
    counts->place = place;
    counts->room = room;
    if (counts->seed == 0)
        counts->seed = rf_hash_seed() | 1;
    for (size_t i = 0; i < old.room; i++)
        if (old.place[i].n != 0)
            *find(counts, old.place[i].value) = old.place[i];
    free(old.place);
    return true;
}

bool rf_value_counts_add(struct rf_value_counts *counts, uint64_t value, uint64_t n)
{
    if (4 * counts->n >= 3 * counts->room && !grow(counts))
        return false;
    struct rf_value_count *place = find(counts, value);
    counts->n += place->n == 0;
    counts->n_values += n;
    place->value = value;
    place->n += n;
    return true;
}

bool rf_value_counts_merge(struct rf_value_counts *to, const struct rf_value_counts *from)
{
    for (size_t i = 0; i < from->room; i++)
        if (from->place[i].n != 0 &&
            !rf_value_counts_add(to, from->place[i].value, from->place[i].n))
            return false;
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct rf_value_count *a = left, *b = right;
    return a->value < b->value ? -1 : a->value > b->value;
}

void rf_value_counts_sort(struct rf_value_counts *counts)
{
    size_t n = 0;
    for (size_t i = 0; i < counts->room; i++)
        if (counts->place[i].n != 0)
            counts->place[n++] = counts->place[i];
    if (n > 0)
        qsort(counts->place, n, sizeof(*counts->place), compare);
}

uint64_t rf_value_counts_rank(const struct rf_value_counts *counts, uint64_t k)
{
    size_t i = 0;
    while (k >= counts->place[i].n)
        k -= counts->place[i++].n;
    return counts->place[i].value;
}

void rf_value_counts_release(struct rf_value_counts *counts)
{
    free(counts->place);
    memset(counts, 0, sizeof(*counts));
}
