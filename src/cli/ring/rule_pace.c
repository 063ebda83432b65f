/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/rule_pace.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW 127u /* durations that the median is of */
/* Durations after which it is computed anew, while there are few, and afterwards. */
#define EVERY_FEW  8u
#define EVERY_MANY 64u

struct rule_pace_name {
    uint64_t hash;
    uint64_t n;      /* durations so far; 0: the place is free */
    uint64_t *ticks; /* the last WINDOW of them */
    uint64_t median;
};

static struct rule_pace_name *find_name(struct rule_pace *pace, uint64_t hash)
{
    if (pace->name == NULL)
        pace->name = calloc(2 * RULE_PACE_NAMES, sizeof(*pace->name));
    if (pace->name == NULL)
        return NULL;
    for (uint32_t i = 0;; i++) {
        struct rule_pace_name *name = &pace->name[(hash + i) % (2 * RULE_PACE_NAMES)];
        if (name->n > 0 && name->hash == hash)
            return name;
        if (name->n > 0)
            continue;
        if (pace->n_names == RULE_PACE_NAMES && hash != 0)
            return find_name(pace, 0);
        name->hash = hash;
        name->ticks = calloc(WINDOW, sizeof(*name->ticks));
        pace->n_names += name->ticks != NULL;
        return name->ticks != NULL ? name : NULL;
    }
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static uint64_t median_of(const struct rule_pace_name *name)
{
    uint64_t sorted[WINDOW];
    const size_t n = name->n < WINDOW ? (size_t)name->n : WINDOW;
    memcpy(sorted, name->ticks, n * sizeof(sorted[0]));
    qsort(sorted, n, sizeof(sorted[0]), compare);
    return sorted[(n - 1) / 2];
}

uint64_t rule_pace_add(struct rule_pace *pace, uint64_t hash, uint64_t ticks)
{
    struct rule_pace_name *name = find_name(pace, hash);
    if (name == NULL)
        return 0;
    const uint64_t every = name->n < WINDOW ? EVERY_FEW : EVERY_MANY;
    if (name->n == RULE_PACE_WARM_UP || (name->n > RULE_PACE_WARM_UP && name->n % every == 0))
        name->median = median_of(name);
    name->ticks[name->n++ % WINDOW] = ticks;
    return name->median;
}

void rule_pace_release(struct rule_pace *pace)
{
    for (uint32_t i = 0; pace->name != NULL && i < 2 * RULE_PACE_NAMES; i++)
        free(pace->name[i].ticks);
    free(pace->name);
    *pace = (struct rule_pace){NULL, 0};
}
