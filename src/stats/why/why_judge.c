/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/why/why_judge.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "base/sorting.h"

#define CARRIES      0.6  /* of the excess of an instance: what a part has at least to carry it */
#define FAR_OUT      2.0  /* interquartile ranges of the logarithm above the upper quartile: slow */
#define LEAST_EXCESS 1.03 /* of the median: what a slow instance has at least */
#define WIDE         1.25 /* of the median: where the upper tenth begins, for all of it to be slow */
#define MOST         0.8  /* of all excess: instances that are looked at by themselves too */
#define HALF         0.5  /* of the time: what another thread has to do to be named */
#define LEAST_SPREAD 0.01 /* of its mean: the deviation of the time of GPU work */
#define LEAST_SHARE  0.05 /* a part is hit by chance as if it took at least so much of the time */

struct judge {
    struct rf_why_judgement *out;
    const struct rf_why_store *store;
    size_t *order;  /* the instances by duration */
    double *ns;     /* per node, of the instance that is looked at, zero in between: own, then with
                     * all below */
    uint32_t *most; /* per node: the highest number that a typical instance has */
    double *best;   /* per node: the most excess of those directly below it */
    uint32_t *best_child;
    uint32_t *seen; /* nodes of the instance, and all above them */
    size_t n_seen;
    uint8_t *is_seen;
    bool has_kind[RF_WHY_NODE_KINDS]; /* of nodes, but for those that every tree has */
    size_t *place;                    /* room for as many as there are slow instances */
    struct rf_map group_of;           /* (node, part) to group, until they are sorted */
};

/* ---- Which are slow ---- */

/* Of those that take as long the first ones come first. */
static int sort_by_duration(struct judge *judge)
{
    const struct rf_why_store *store = judge->store;
    struct rf_numbered *item = malloc((store->n + 1) * sizeof(*item));
    struct rf_numbered *spare = malloc((store->n + 1) * sizeof(*spare));
    judge->order = malloc((store->n + 1) * sizeof(*judge->order));
    const bool has_room = item != NULL && spare != NULL && judge->order != NULL;
    for (size_t i = 0; i < store->n && has_room; i++)
        item[i] = (struct rf_numbered){store->one[i].duration_ns, i};
    const struct rf_numbered *sorted = has_room ? rf_sort_numbered(item, spare, store->n) : NULL;
    for (size_t i = 0; i < store->n && has_room; i++)
        judge->order[i] = sorted[i].item;
    free(item);
    free(spare);
    return has_room ? RF_OK : RF_ERR_NO_MEMORY;
}

/* The duration at this place of all, from 0 to 1. */
static double duration_at(const struct judge *judge, double place)
{
    size_t i = (size_t)(place * (double)(judge->store->n - 1) + 0.5);
    return (double)judge->store->one[judge->order[i]].duration_ns;
}

/* The duration that slow instances exceed. */
static double find_threshold(const struct judge *judge)
{
    double lower = log(fmax(duration_at(judge, 0.25), 1));
    double upper = log(fmax(duration_at(judge, 0.75), 1));
    double median = duration_at(judge, 0.5);
    double far = fmax(exp(upper + FAR_OUT * (upper - lower)), LEAST_EXCESS * median);
    double tenth = duration_at(judge, 0.9);
    bool is_wide = duration_at(judge, 1) <= far && tenth > WIDE * median;
    return is_wide ? tenth : far;
}

static int list_slow(struct judge *judge)
{
    struct rf_why_judgement *out = judge->out;
    const struct rf_why_store *store = judge->store;
    double threshold_ns = find_threshold(judge);
    out->slow = malloc((store->n + 1) * sizeof(*out->slow));
    if (out->slow == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = store->n; i > 0; i--) {
        size_t one = judge->order[i - 1];
        if ((double)store->one[one].duration_ns <= threshold_ns)
            break;
        out->slow[out->n_slow++] =
            (struct rf_why_slow){one, 0, RF_NO_INDEX, RF_WHY_RANGE, RF_NO_INDEX, SIZE_MAX};
    }
    return RF_OK;
}

/* ---- What is typical ---- */

/* Whether a node takes time of the instance. */
static bool takes_time(const struct rf_why_tree *tree, uint32_t node)
{
    uint32_t kind = tree->node[node].kind;
    return kind != RF_WHY_NODE_WORK && kind != RF_WHY_NODE_THREAD && kind != RF_WHY_NODE_OTHER;
}

/* Adds what is below each node to it. */
static void add_below(const struct rf_why_tree *tree, double *value)
{
    for (size_t i = tree->n - 1; i > 0; i--)
        if (tree->node[i].parent != RF_NO_INDEX)
            value[tree->node[i].parent] += value[i];
}

/* The instances of the middle half by duration. They are looked at in the order in which they
 * stand: their sums are whole numbers, of any order. */
struct typical {
    struct rf_numbered first, last;
    double n;
};

static struct rf_numbered numbered_at(const struct judge *judge, size_t place)
{
    const size_t one = judge->order[place];
    return (struct rf_numbered){judge->store->one[one].duration_ns, one};
}

static struct typical typical_of(const struct judge *judge)
{
    const size_t n = judge->store->n, quarter = n / 4;
    return (struct typical){numbered_at(judge, quarter), numbered_at(judge, n - quarter - 1),
                            (double)(n - 2 * quarter)};
}

static bool is_before(struct rf_numbered a, struct rf_numbered b)
{
    return a.number != b.number ? a.number < b.number : a.item < b.item;
}

static bool is_typical(const struct judge *judge, const struct typical *typical, size_t one)
{
    const struct rf_numbered item = {judge->store->one[one].duration_ns, one};
    return !is_before(item, typical->first) && !is_before(typical->last, item);
}

static void find_typical(struct judge *judge)
{
    struct rf_why_judgement *out = judge->out;
    const struct rf_why_store *store = judge->store;
    const struct typical typical = typical_of(judge);
    const size_t n_nodes = store->tree.n;
    double total_ns = 0;
    for (size_t i = 0; i < store->n; i++) {
        const struct rf_why_one *one = &store->one[i];
        const struct rf_why_share *share = store->share + one->first_share;
        if (!is_typical(judge, &typical, i))
            continue;
        total_ns += (double)one->duration_ns;
        for (uint32_t k = 0; k < one->n_shares; k++) {
            const uint32_t node = share[k].node, count = share[k].count;
            out->typical_own_ns[node] += (double)share[k].ns;
            out->typical_count[node] += count;
            judge->most[node] = count > judge->most[node] ? count : judge->most[node];
        }
    }
    for (size_t i = 0; i < n_nodes; i++) {
        double own_ns = out->typical_own_ns[i] / typical.n;
        out->typical_own_ns[i] = own_ns;
        out->typical_count[i] /= typical.n;
        out->typical_ns[i] = own_ns;
        out->square[i] = takes_time(&store->tree, (uint32_t)i) ? own_ns * own_ns : 0;
    }
    add_below(&store->tree, out->typical_ns);
    add_below(&store->tree, out->square);
    out->typical_ns[RF_WHY_ROOT] = total_ns / typical.n;
}

/* Whether an instance has more of a node than is typical. */
static bool is_more(const struct judge *judge, uint32_t node, uint32_t count)
{
    return count > judge->out->typical_count[node] + 0.5;
}

static void find_more(struct judge *judge)
{
    const struct rf_why_store *store = judge->store;
    const struct typical typical = typical_of(judge);
    bool has_more = false; /* mostly all have as many */
    for (uint32_t i = 0; i < store->tree.n; i++)
        has_more |= is_more(judge, i, judge->most[i]);
    for (size_t i = 0; i < store->n && has_more; i++) {
        const struct rf_why_one *one = &store->one[i];
        const struct rf_why_share *share = store->share + one->first_share;
        if (!is_typical(judge, &typical, i))
            continue;
        for (uint32_t k = 0; k < one->n_shares; k++)
            judge->out->more[share[k].node] +=
                is_more(judge, share[k].node, share[k].count) / typical.n;
    }
}

/* ---- What carries the excess of an instance ---- */

static void see(struct judge *judge, uint32_t node)
{
    for (; node != RF_NO_INDEX && !judge->is_seen[node];
         node = judge->store->tree.node[node].parent) {
        judge->is_seen[node] = 1;
        judge->seen[judge->n_seen++] = node;
    }
}

static int compare_descending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a > b ? -1 : a < b;
}

/* Fills ns[], best[] and best_child[] for the nodes that the instance has. Nodes below come
 * first: their number is higher. */
static void look_at(struct judge *judge, const struct rf_why_one *one)
{
    const struct rf_why_tree *tree = &judge->store->tree;
    const struct rf_why_share *share = judge->store->share + one->first_share;
    for (uint32_t k = 0; k < one->n_shares; k++) {
        judge->ns[share[k].node] += (double)share[k].ns;
        see(judge, share[k].node);
    }
    qsort(judge->seen, judge->n_seen, sizeof(*judge->seen), compare_descending);
    for (size_t i = 0; i < judge->n_seen; i++) {
        uint32_t node = judge->seen[i], parent = tree->node[node].parent;
        double excess_ns = judge->ns[node] - judge->out->typical_ns[node];
        if (parent == RF_NO_INDEX)
            continue;
        judge->ns[parent] += judge->ns[node];
        if (judge->best_child[parent] == RF_NO_INDEX || excess_ns > judge->best[parent]) {
            judge->best[parent] = excess_ns;
            judge->best_child[parent] = node;
        }
    }
}

static void look_away(struct judge *judge)
{
    for (size_t i = 0; i < judge->n_seen; i++) {
        uint32_t node = judge->seen[i];
        judge->ns[node] = 0;
        judge->is_seen[node] = 0;
        judge->best_child[node] = RF_NO_INDEX;
    }
    judge->n_seen = 0;
}

/* What an instance has of a node; NULL: nothing. */
static const struct rf_why_share *share_of(const struct judge *judge, const struct rf_why_one *one,
                                           uint32_t node)
{
    const struct rf_why_share *share = judge->store->share + one->first_share;
    for (uint32_t k = 0; k < one->n_shares; k++)
        if (share[k].node == node)
            return &share[k];
    return NULL;
}

/* Whether the instance has so many of a node that the number alone carries the excess. */
static bool is_number(const struct judge *judge, const struct rf_why_one *one, uint32_t node,
                      double all_ns)
{
    const struct rf_why_share *share = share_of(judge, one, node);
    if (share == NULL || !is_more(judge, node, share->count))
        return false;
    double more = share->count - judge->out->typical_count[node];
    return judge->ns[node] * more / share->count >= CARRIES * all_ns;
}

static int part_of(uint32_t kind)
{
    return kind == RF_WHY_NODE_CALL   ? RF_WHY_CALL
           : kind == RF_WHY_NODE_GAPS ? RF_WHY_GAPS
           : kind == RF_WHY_NODE_GAP  ? RF_WHY_GAP
                                      : RF_WHY_RANGE;
}

/* What carries the excess, all_ns: the innermost part, but for ranges and calls that come more
 * often, of which it is the outermost. */
static void choose_carrier(struct judge *judge, struct rf_why_slow *slow, double all_ns)
{
    const struct rf_why_one *one = &judge->store->one[slow->one];
    uint32_t node = RF_WHY_ROOT;
    slow->part = RF_WHY_RANGE;
    while (slow->part != RF_WHY_MORE && judge->best_child[node] != RF_NO_INDEX &&
           judge->best[node] >= CARRIES * all_ns) {
        node = judge->best_child[node];
        slow->part = is_number(judge, one, node, all_ns)
                         ? RF_WHY_MORE
                         : part_of(judge->store->tree.node[node].kind);
    }
    const struct rf_why_share *own = share_of(judge, one, node);
    double own_ns = own != NULL ? (double)own->ns : 0;
    bool is_self = own_ns - judge->out->typical_own_ns[node] >= CARRIES * all_ns;
    if (slow->part == RF_WHY_RANGE && is_self)
        slow->part = RF_WHY_SELF;
    slow->node = node == RF_WHY_ROOT && !is_self ? RF_NO_INDEX : node;
}

static void find_carrier(struct judge *judge, struct rf_why_slow *slow)
{
    const struct rf_why_one *one = &judge->store->one[slow->one];
    double all_ns = (double)one->duration_ns - judge->out->typical_ns[RF_WHY_ROOT];
    slow->excess_ns = all_ns > 0 ? (uint64_t)all_ns : 0;
    look_at(judge, one);
    choose_carrier(judge, slow, all_ns);
    look_away(judge);
}

/* ---- Causes ---- */

static struct rf_why_group *group_of(struct judge *judge, uint32_t node, int part)
{
    struct rf_why_judgement *out = judge->out;
    uint32_t i = rf_map_find(&judge->group_of, node, (uint64_t)part);
    if (i != RF_MAP_NONE)
        return &out->group[i];
    i = (uint32_t)out->n_groups;
    if (rf_grow_array(&out->group, out->n_groups, &out->room, sizeof(*out->group)) != RF_OK ||
        rf_map_set(&judge->group_of, node, (uint64_t)part, i) != RF_OK)
        return NULL;
    out->group[out->n_groups] =
        (struct rf_why_group){.node = node, .part = part, .first = SIZE_MAX};
    return &out->group[out->n_groups++];
}

/* The time of a part in an instance. */
static void add_part(const struct judge *judge, struct rf_why_group *group,
                     const struct rf_why_one *one)
{
    const struct rf_why_tree *tree = &judge->store->tree;
    const struct rf_why_share *share = judge->store->share + one->first_share;
    for (uint32_t k = 0; k < one->n_shares; k++) {
        uint32_t node = share[k].node;
        group->count += node == group->node ? share[k].count : 0;
        while (group->part != RF_WHY_SELF && node != group->node && node != RF_NO_INDEX)
            node = tree->node[node].parent;
        group->ns += node == group->node ? (double)share[k].ns : 0;
    }
}

static int add_to_group(struct judge *judge, size_t i)
{
    struct rf_why_slow *slow = &judge->out->slow[i];
    if (slow->node == RF_NO_INDEX)
        return RF_OK;
    struct rf_why_group *group = group_of(judge, slow->node, slow->part);
    if (group == NULL)
        return RF_ERR_NO_MEMORY;
    slow->next = group->first;
    group->first = i;
    group->n++;
    group->excess_ns += (double)slow->excess_ns;
    add_part(judge, group, &judge->store->one[slow->one]);
    return RF_OK;
}

/* The probability of at least k hits in n, each of probability p; 1 where it is about a half or
 * more. */
static double at_least(uint64_t k, uint64_t n, double p)
{
    double sum = 0, term = 1;
    if ((double)k <= p * (double)n) /* no more than is to be expected */
        return 1;
    for (uint64_t i = k; i <= n && term > 1e-12 * sum; i++) { /* smaller and smaller */
        double ways = lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1);
        term = exp(ways + (double)i * log(p) + (double)(n - i) * log1p(-p));
        sum += term;
    }
    return fmin(sum, 1);
}

/* How often chance gives a part the excess: in proportion to its time; where each part varies in
 * proportion to its time, in proportion to the square. */
static double share_by_chance(const struct rf_why_judgement *out, const struct rf_why_group *group)
{
    bool is_self = group->part == RF_WHY_SELF;
    double own = out->typical_own_ns[group->node];
    double time = is_self ? own : out->typical_ns[group->node];
    double square = is_self ? own * own : out->square[group->node];
    double all = out->typical_ns[RF_WHY_ROOT], all_squares = out->square[RF_WHY_ROOT];
    if (group->part == RF_WHY_MORE)
        return fmax(out->more[group->node], LEAST_SHARE);
    double share = all > 0 ? time / all : 1;
    share = all_squares > 0 ? fmax(share, square / all_squares) : share;
    return fmax(share, LEAST_SHARE);
}

/* Fills ns[] for what a group's instances have of a kind. */
static void look_at_group(struct judge *judge, uint32_t number, uint32_t kind)
{
    const struct rf_why_store *store = judge->store;
    const struct rf_why_judgement *out = judge->out;
    if (!judge->has_kind[kind])
        return;
    for (size_t i = out->group[number].first; i != SIZE_MAX; i = out->slow[i].next) {
        const struct rf_why_one *one = &store->one[out->slow[i].one];
        for (uint32_t k = 0; k < one->n_shares; k++) {
            const struct rf_why_share *share = &store->share[one->first_share + k];
            if (store->tree.node[share->node].kind != kind)
                continue;
            judge->ns[share->node] += (double)share->ns;
            see(judge, share->node);
        }
    }
}

/* The GPU work that takes more time in the group's instances, if that is half of the excess. */
static void find_work(struct judge *judge, uint32_t number)
{
    const struct rf_why_judgement *out = judge->out;
    struct rf_why_group *group = &out->group[number];
    double n = (double)group->n, most_ns = 0.5 * group->excess_ns / n;
    look_at_group(judge, number, RF_WHY_NODE_WORK);
    group->work = RF_NO_INDEX;
    for (size_t i = 0; i < judge->n_seen; i++) {
        uint32_t node = judge->seen[i];
        double excess_ns = judge->ns[node] / n - out->typical_ns[node];
        if (node == RF_WHY_WORK || excess_ns < most_ns)
            continue;
        most_ns = excess_ns;
        group->work = node;
        group->work_ns = judge->ns[node];
    }
    look_away(judge);
}

/* What another thread did for a larger part of the group's instances than of typical ones, if by at
 * least half of the time. What it does all the time does not count, although it takes longer.
 * Returns how many ranges were compared. */
static size_t find_other(struct judge *judge, uint32_t number)
{
    const struct rf_why_store *store = judge->store;
    const struct rf_why_judgement *out = judge->out;
    struct rf_why_group *group = &out->group[number];
    double all_ns = 0, most = HALF, typical_ns = out->typical_ns[RF_WHY_ROOT];
    size_t n_compared = 0;
    for (size_t i = group->first; i != SIZE_MAX; i = out->slow[i].next)
        all_ns += (double)store->one[out->slow[i].one].duration_ns;
    look_at_group(judge, number, RF_WHY_NODE_OTHER);
    group->other = RF_NO_INDEX;
    for (size_t i = 0; i < judge->n_seen && typical_ns > 0; i++) {
        uint32_t node = judge->seen[i];
        double more = judge->ns[node] / all_ns - out->typical_ns[node] / typical_ns;
        bool is_other = store->tree.node[node].kind == RF_WHY_NODE_OTHER;
        n_compared += is_other;
        if (!is_other || more < most)
            continue;
        most = more;
        group->other = node;
        group->other_ns = judge->ns[node];
    }
    look_away(judge);
    return n_compared;
}

/* Which of the slow instances are meant: they are in the order of their excess. */
struct hits {
    uint64_t n, n_most; /* of all, and of those with most of the excess */
    size_t *at;         /* their places, the last one first */
};

/* The shortest run of places that has half of the hits, and the probability of one as short, which
 * may begin at any of them. A cause that always costs the same stands together there, however many
 * instances are slow for other reasons. */
static double chance_of_a_run(const struct hits *hits, double p)
{
    const uint64_t half = (hits->n + 1) / 2;
    uint64_t shortest = UINT64_MAX;
    if (half < 3)
        return 1;
    for (uint64_t i = 0; i + half <= hits->n; i++) {
        const uint64_t length = hits->at[i] - hits->at[i + half - 1];
        shortest = length < shortest ? length : shortest;
    }
    return (double)(hits->n - half + 1) * at_least(half - 1, shortest, p);
}

/* The probability of so many hits, each of probability p: the lowest of three, of all slow
 * instances, of those with most of the excess, so that many small ones do not hide what made the
 * large ones, and of a run of them. */
static double chance_of_hits(const struct rf_why_judgement *out, const struct hits *hits, double p)
{
    const double all = at_least(hits->n, out->n_slow, p);
    const double most = at_least(hits->n_most, out->n_most, p);
    return 3 * fmin(fmin(all, most), chance_of_a_run(hits, p));
}

static void hit(struct hits *hits, const struct rf_why_judgement *out, size_t i)
{
    hits->at[hits->n++] = i;
    hits->n_most += i < out->n_most;
}

static struct hits count_group(const struct judge *judge, uint32_t number)
{
    const struct rf_why_judgement *out = judge->out;
    struct hits hits = {.at = judge->place};
    for (size_t i = out->group[number].first; i != SIZE_MAX; i = out->slow[i].next)
        hit(&hits, out, i);
    return hits;
}

/* The group's instances during half of which the other thread is in that range. */
static struct hits count_other(const struct judge *judge, uint32_t number)
{
    const struct rf_why_judgement *out = judge->out;
    const struct rf_why_group *group = &out->group[number];
    struct hits hits = {.at = judge->place};
    for (size_t i = group->first; i != SIZE_MAX; i = out->slow[i].next) {
        const struct rf_why_one *one = &judge->store->one[out->slow[i].one];
        const struct rf_why_share *has = share_of(judge, one, group->other);
        if (has != NULL && (double)has->ns >= HALF * (double)one->duration_ns)
            hit(&hits, out, i);
    }
    return hits;
}

/* The time of GPU work in instances that are not slow: mean and standard deviation. */
static void find_spread(const struct judge *judge, uint32_t node, double *mean, double *deviation)
{
    const struct rf_why_store *store = judge->store;
    const size_t n = store->n - judge->out->n_slow;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        const struct rf_why_share *has = share_of(judge, &store->one[judge->order[i]], node);
        const double ns = has != NULL ? (double)has->ns : 0;
        sum += ns;
        squares += ns * ns;
    }
    *mean = sum / (double)n;
    *deviation = sqrt(fmax(squares / (double)n - *mean * *mean, 0));
    *deviation = fmax(*deviation, fmax(LEAST_SPREAD * *mean, 1));
}

/* The probability that the group's GPU work takes so long by chance, as often: of each instance, by
 * Cantelli's inequality, whatever the distribution. What takes the core from a thread does not make
 * work of the GPU longer, so that the time of the call that waits for it does not count. */
static double chance_of_work(const struct judge *judge, uint32_t number)
{
    const struct rf_why_judgement *out = judge->out;
    const struct rf_why_group *group = &out->group[number];
    double mean, deviation, least = INFINITY;
    uint64_t n = 0;
    find_spread(judge, group->work, &mean, &deviation);
    for (size_t i = group->first; i != SIZE_MAX; i = out->slow[i].next) {
        const struct rf_why_share *has =
            share_of(judge, &judge->store->one[out->slow[i].one], group->work);
        const double more_ns = has != NULL ? (double)has->ns - mean : 0;
        if (more_ns < HALF * (double)out->slow[i].excess_ns)
            continue;
        least = fmin(least, more_ns / deviation);
        n++;
    }
    return n > 0 ? at_least(n, judge->store->n, 1 / (1 + least * least)) : 1;
}

/* Each of the groups may be the one that comes often, and each of the other threads' ranges. */
static void settle_group(struct judge *judge, uint32_t number)
{
    struct rf_why_judgement *out = judge->out;
    struct rf_why_group *group = &out->group[number];
    double n = (double)out->n_groups, chance;
    find_work(judge, number);
    size_t n_others = find_other(judge, number);
    struct hits hits = count_group(judge, number);
    chance = chance_of_hits(out, &hits, share_by_chance(out, group)) * n;
    if (group->other != RF_NO_INDEX) {
        double share = out->typical_ns[group->other] / out->typical_ns[RF_WHY_ROOT];
        hits = count_other(judge, number);
        double of_other = chance_of_hits(out, &hits, fmax(share, LEAST_SHARE));
        chance = fmin(chance, of_other * n * (double)n_others);
    }
    if (group->work != RF_NO_INDEX)
        chance = fmin(chance, chance_of_work(judge, number) * n);
    group->chance = fmin(chance, 1);
}

static int compare_groups(const void *left, const void *right)
{
    const struct rf_why_group *a = left, *b = right;
    bool is_a = a->chance < RF_WHY_CHANCE, is_b = b->chance < RF_WHY_CHANCE;
    if (is_a != is_b)
        return is_a ? -1 : 1;
    if (a->excess_ns != b->excess_ns)
        return a->excess_ns > b->excess_ns ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->part - b->part;
}

/* Finds how many of the slow instances have most of the excess. */
static void find_most(struct rf_why_judgement *out)
{
    double all_ns = 0, sum_ns = 0;
    for (size_t i = 0; i < out->n_slow; i++)
        all_ns += (double)out->slow[i].excess_ns;
    while (out->n_most < out->n_slow && sum_ns < MOST * all_ns)
        sum_ns += (double)out->slow[out->n_most++].excess_ns;
}

/* Says of each slow instance which group it is in. */
static void name_causes(struct rf_why_judgement *out)
{
    for (uint32_t g = 0; g < out->n_groups; g++)
        for (size_t i = out->group[g].first; i != SIZE_MAX; i = out->slow[i].next)
            out->slow[i].cause = g;
}

static int find_causes(struct judge *judge)
{
    struct rf_why_judgement *out = judge->out;
    judge->place = malloc((out->n_slow + 1) * sizeof(*judge->place));
    int status = judge->place != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < out->n_slow && status == RF_OK; i++) {
        find_carrier(judge, &out->slow[i]);
        status = add_to_group(judge, i);
    }
    if (status != RF_OK || out->n_groups == 0)
        return status;
    find_most(out);
    for (uint32_t i = 0; i < out->n_groups; i++)
        settle_group(judge, i);
    qsort(out->group, out->n_groups, sizeof(*out->group), compare_groups);
    name_causes(out);
    return RF_OK;
}

/* ---- All ---- */

static void fill_verdict(struct judge *judge)
{
    struct rf_why_judgement *out = judge->out;
    struct rf_why_verdict *verdict = &out->verdict;
    double slow_ns = 0, n = (double)out->n_slow;
    verdict->median_ns = (uint64_t)duration_at(judge, 0.5);
    verdict->slowest_ns = (uint64_t)duration_at(judge, 1);
    verdict->n_slow = out->n_slow;
    verdict->n_causes = out->n_groups;
    for (size_t i = 0; i < out->n_slow; i++)
        slow_ns += (double)judge->store->one[out->slow[i].one].duration_ns / n;
    for (size_t i = 0; i < out->n_groups; i++)
        verdict->n_explained += out->group[i].chance < RF_WHY_CHANCE ? out->group[i].n : 0;
    if (out->n_slow > 0) {
        verdict->slow_from_ns = judge->store->one[out->slow[out->n_slow - 1].one].duration_ns;
        verdict->excess_ns = (uint64_t)fmax(slow_ns - out->typical_ns[RF_WHY_ROOT], 0);
    }
    verdict->outcome = out->n_slow == 0            ? RF_WHY_ALIKE
                       : verdict->n_explained == 0 ? RF_WHY_UNEXPLAINED
                                                   : RF_WHY_CAUSED;
}

static int prepare(struct judge *judge)
{
    struct rf_why_judgement *out = judge->out;
    size_t n = judge->store->tree.n;
    double **const values[] = {&out->typical_ns, &out->typical_count, &out->typical_own_ns,
                               &out->square,     &out->more,          &judge->ns,
                               &judge->best};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if ((*values[i] = calloc(n, sizeof(double))) == NULL)
            return RF_ERR_NO_MEMORY;
    judge->best_child = malloc(n * sizeof(*judge->best_child));
    judge->seen = malloc(n * sizeof(*judge->seen));
    judge->is_seen = calloc(n, sizeof(*judge->is_seen));
    judge->most = calloc(n, sizeof(*judge->most));
    if (judge->most == NULL || judge->best_child == NULL || judge->seen == NULL ||
        judge->is_seen == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        judge->best_child[i] = RF_NO_INDEX;
    for (size_t i = RF_WHY_MEANWHILE + 1; i < n; i++)
        judge->has_kind[judge->store->tree.node[i].kind] = true;
    return sort_by_duration(judge);
}

int rf_why_judge(struct rf_why_judgement *out, const struct rf_why_store *store)
{
    struct judge judge = {.out = out, .store = store};
    *out = (struct rf_why_judgement){.verdict = RF_WHY_VERDICT_INIT};
    out->verdict.n_instances = store->n;
    out->verdict.n_left_out = store->n_left_out;
    if (store->n < RF_WHY_MIN_INSTANCES)
        return RF_OK;
    int status = prepare(&judge);
    if (status == RF_OK) {
        find_typical(&judge);
        find_more(&judge);
        status = list_slow(&judge);
    }
    if (status == RF_OK)
        status = find_causes(&judge);
    if (status == RF_OK)
        fill_verdict(&judge);
    free(judge.order);
    free(judge.ns);
    free(judge.best);
    free(judge.most);
    free(judge.best_child);
    free(judge.seen);
    free(judge.is_seen);
    free(judge.place);
    rf_map_release(&judge.group_of);
    return status;
}

void rf_why_judgement_release(struct rf_why_judgement *judgement)
{
    free(judgement->slow);
    free(judgement->group);
    free(judgement->typical_ns);
    free(judgement->typical_count);
    free(judgement->typical_own_ns);
    free(judgement->square);
    free(judgement->more);
    *judgement = (struct rf_why_judgement){.n_slow = 0};
}
