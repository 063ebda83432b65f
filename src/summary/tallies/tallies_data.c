/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/tallies/tallies_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "summary/summary_data.h"

static const struct {
    const char *name;
    uint32_t leader, costs;
} kinds[] = {
#define KIND(symbol, name, leader, costs) {name, RF_TALLY_##leader, costs},
    RF_TALLY_KINDS(KIND)
#undef KIND
};

const char *rf_tally_kind_name(uint32_t kind)
{
    return kind < RF_TALLY_N_KINDS ? kinds[kind].name : "";
}

bool rf_tally_may_be_coarse(uint32_t kind)
{
    return kind < RF_TALLY_N_KINDS &&
           (kinds[kind].leader == RF_TALLY_LAUNCH || kinds[kind].leader == RF_TALLY_LATENCY);
}

void rf_summary_tallies_release(struct rf_tallies *all)
{
    for (size_t i = 0; i < all->n; i++)
        rf_histogram_release(&all->item[i].values.histogram);
    free(all->item);
    free(all->place);
    for (uint32_t kind = 0; kind < RF_TALLY_N_KINDS; kind++)
        free(all->searched[kind].input);
}

/* ---- Finding ---- */

static uint64_t pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static bool is_same(const struct rf_tally_key *a, const struct rf_tally_key *b)
{
    return a->input == b->input && a->kind == b->kind && a->domain == b->domain &&
           a->name == b->name && a->style == b->style && a->detail == b->detail &&
           a->pid == b->pid && a->tid == b->tid && a->device == b->device;
}

/* Where the number of a key is, behind which a 0 comes, or would be. There are places. */
static uint32_t *place_of(const struct rf_tallies *all, const struct rf_tally_key *key)
{
    const uint64_t words[] = {pair(key->input, key->kind), pair(key->domain, key->name),
                              pair(key->style, key->detail),
                              pair((uint32_t)key->pid, (uint32_t)key->tid), (uint64_t)key->device};
    uint64_t hash = all->seed;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        hash = rf_hash_mix(hash, all->seed) + words[i];
    size_t i = (size_t)rf_hash_mix(hash, all->seed) & (all->n_places - 1);
    while (all->place[i] != 0 && !is_same(&all->item[all->place[i] - 1].key, key))
        i = (i + 1) & (all->n_places - 1);
    return &all->place[i];
}

const struct rf_tally *rf_tally_find(const struct rf_tallies *all, const struct rf_tally_key *key)
{
    const uint32_t number = all->n_places > 0 ? *place_of(all, key) : 0;
    return number > 0 ? &all->item[number - 1] : NULL;
}

/* More places than twice the items. */
static int add_places(struct rf_tallies *all)
{
    const size_t n_places = all->n_places > 0 ? 4 * all->n_places : 256;
    uint32_t *place = calloc(n_places, sizeof(*place));
    if (place == NULL)
        return RF_ERR_NO_MEMORY;
    free(all->place);
    all->place = place;
    all->n_places = n_places;
    if (all->seed == 0)
        all->seed = rf_hash_seed() | 1;
    for (size_t i = 0; i < all->n; i++)
        *place_of(all, &all->item[i].key) = (uint32_t)i + 1;
    return RF_OK;
}

/* The index of the tally of a key, a new one if need be; RF_MAP_NONE: out of memory. */
static uint32_t find_or_add(struct rf_tallies *all, const struct rf_tally_key *key)
{
    if (2 * (all->n + 1) > all->n_places && add_places(all) != RF_OK)
        return RF_MAP_NONE;
    uint32_t *place = place_of(all, key);
    if (*place != 0)
        return *place - 1;
    if (all->n >= RF_MAP_NONE - 1 ||
        rf_grow_array(&all->item, all->n, &all->room, sizeof(*all->item)) != RF_OK)
        return RF_MAP_NONE;
    all->item[all->n] = (struct rf_tally){.key = *key};
    *place = (uint32_t)++all->n;
    return *place - 1;
}

struct rf_tally *rf_tally_of(struct rf_tallies *all, const struct rf_tally_key *key)
{
    const uint32_t mixed = 31 * key->name + 7 * key->detail + key->kind + (uint32_t)key->tid;
    uint32_t *recent = &all->recent[mixed % RF_TALLIES_RECENT];
    if (*recent >= all->n || !is_same(&all->item[*recent].key, key))
        *recent = find_or_add(all, key);
    return *recent != RF_MAP_NONE ? &all->item[*recent] : NULL;
}

/* ---- Adding ---- */

int rf_tally_add_sum(struct rf_tally *tally, unsigned i, uint64_t value)
{
    const bool is_too_large =
        __builtin_add_overflow(tally->sum[i], value, &tally->sum[i]) || tally->sum[i] > INT64_MAX;
    return is_too_large ? RF_ERR_UNSUPPORTED : RF_OK;
}

int rf_tally_merge(struct rf_tally *tally, const struct rf_tally *from)
{
    int status = rf_summary_row_merge(&tally->values, &from->values);
    for (unsigned i = 0; i < RF_TALLY_SUMS && status == RF_OK; i++)
        status = rf_tally_add_sum(tally, i, from->sum[i]);
    return status;
}

static int add(struct rf_tallies *to, const struct rf_tally_key *key, const struct rf_tally *from)
{
    struct rf_tally *tally = rf_tally_of(to, key);
    return tally != NULL ? rf_tally_merge(tally, from) : RF_ERR_NO_MEMORY;
}

int rf_tallies_search(struct rf_tallies *all, uint32_t input, uint32_t kind)
{
    struct rf_searched *searched = rf_searched_at(&all->searched[kind], input);
    if (searched == NULL)
        return RF_ERR_NO_MEMORY;
    searched->n_searched = 1;
    return RF_OK;
}

/* ---- Adding those of another summary ---- */

static int absorb_item(struct rf_summary *to, const struct rf_summary *from,
                       const struct rf_tally *item, uint32_t input, bool is_merged)
{
    struct rf_tally_key key = item->key;
    uint32_t *const strings[] = {&key.domain, &key.name, &key.style, &key.detail};
    key.input = input;
    if (is_merged)
        key.pid = key.tid = key.device = -1;
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
        if (!rf_summary_copy_text(to, from, strings[i]))
            return RF_ERR_NO_MEMORY;
    return add(&to->tallies, &key, item);
}

int rf_summary_tallies_absorb(struct rf_summary *to, const struct rf_summary *from,
                              const uint32_t *input, bool is_merged)
{
    const struct rf_tallies *all = &from->tallies;
    int status = RF_OK;
    for (uint32_t kind = 0; kind < RF_TALLY_N_KINDS && status == RF_OK; kind++)
        status = rf_searched_absorb(&to->tallies.searched[kind], &all->searched[kind], input);
    for (size_t i = 0; i < all->n && status == RF_OK; i++) {
        const uint32_t from_input = all->item[i].key.input;
        const uint32_t goes_to = input != NULL ? input[from_input] : from_input;
        if (goes_to != RF_NO_INDEX)
            status = absorb_item(to, from, &all->item[i], goes_to, is_merged);
    }
    return status;
}

/* ---- Order ---- */

static int compare_keys(const rf_summary *summary, const struct rf_tally_key *a,
                        const struct rf_tally_key *b)
{
    const uint32_t x[] = {a->domain, a->name, a->style, a->detail};
    const uint32_t y[] = {b->domain, b->name, b->style, b->detail};
    const int64_t p[] = {a->pid, a->tid, a->device}, q[] = {b->pid, b->tid, b->device};
    int order = (a->input > b->input) - (a->input < b->input);
    if (order == 0)
        order = (a->kind > b->kind) - (a->kind < b->kind);
    for (size_t i = 0; i < sizeof(x) / sizeof(x[0]) && order == 0; i++)
        order = rf_summary_compare_texts(summary, x[i], y[i]);
    for (size_t i = 0; i < sizeof(p) / sizeof(p[0]) && order == 0; i++)
        order = (p[i] > q[i]) - (p[i] < q[i]);
    return order;
}

static int compare(const void *left, const void *right, void *context)
{
    const struct rf_tally *a = left, *b = right;
    return compare_keys(context, &a->key, &b->key);
}

void rf_summary_tallies_sort(struct rf_summary *summary)
{
    struct rf_tallies *all = &summary->tallies;
    if (all->n > 0)
        qsort_r(all->item, all->n, sizeof(*all->item), compare, summary);
}

/* ---- The limit ---- */

static uint64_t weight(const struct rf_tally *tally)
{
    return tally->values.n > 0 ? tally->values.total : tally->sum[0];
}

/* By kind, then those that are most. */
static int compare_weights(const void *left, const void *right, void *context)
{
    const rf_summary *summary = context;
    const struct rf_tally *a = &summary->tallies.item[*(const uint32_t *)left],
                          *b = &summary->tallies.item[*(const uint32_t *)right];
    if (a->key.kind != b->key.kind)
        return a->key.kind < b->key.kind ? -1 : 1;
    if (weight(a) != weight(b))
        return weight(a) > weight(b) ? -1 : 1;
    return compare_keys(summary, &a->key, &b->key);
}

/* Sets whether those from first on are kept that lead. order: room for all. */
static void choose(rf_summary *summary, size_t first, size_t most, uint32_t *order, bool *is_kept)
{
    const struct rf_tallies *all = &summary->tallies;
    const size_t n = all->n - first;
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)(first + i);
    qsort_r(order, n, sizeof(*order), compare_weights, summary);
    for (size_t i = 0, n_of_kind = 0; i < n; i++) {
        const struct rf_tally_key *key = &all->item[order[i]].key;
        if (i == 0 || all->item[order[i - 1]].key.kind != key->kind)
            n_of_kind = 0;
        if (key->name != RF_REST_OF_NAMES) /* those of an earlier limit */
            is_kept[order[i]] = n_of_kind++ * kinds[key->kind].costs < most;
    }
}

/* The key under which a tally goes on. */
static struct rf_tally_key key_of(const struct rf_tallies *all, const struct rf_tally *item,
                                  const bool *is_kept, bool *is_rest)
{
    struct rf_tally_key key = item->key, rest = RF_TALLY_NO_KEY;
    *is_rest = false;
    if (key.name == RF_REST_OF_NAMES)
        return key;
    const bool is_metric = key.kind == RF_TALLY_RANGE_METRIC;
    key.kind = kinds[key.kind].leader;
    if (is_metric)
        key.detail = RF_NO_STRING;
    const struct rf_tally *leader = rf_tally_find(all, &key);
    *is_rest = leader == NULL || !is_kept[leader - all->item];
    if (!*is_rest)
        return item->key;
    rest.input = item->key.input;
    rest.kind = item->key.kind;
    rest.domain = item->key.domain;
    rest.style = item->key.style;
    rest.name = RF_REST_OF_NAMES;
    if (is_metric)
        rest.detail = item->key.detail;
    return rest;
}

/* All from first on is moved that is not kept. */
static int keep(rf_summary *summary, size_t first, const bool *is_kept)
{
    struct rf_tallies *all = &summary->tallies, kept = {.n = 0};
    int status = RF_OK;
    for (size_t i = 0; i < all->n && status == RF_OK; i++) {
        bool is_rest = false;
        const struct rf_tally_key key =
            i < first ? all->item[i].key : key_of(all, &all->item[i], is_kept, &is_rest);
        struct rf_searched *searched =
            rf_searched_at(&all->searched[key.kind], all->item[i].key.input);
        status = searched != NULL ? add(&kept, &key, &all->item[i]) : RF_ERR_NO_MEMORY;
        if (status == RF_OK)
            searched->n_left_out += is_rest;
    }
    if (status == RF_OK) {
        memcpy(kept.searched, all->searched, sizeof(kept.searched));
        memset(all->searched, 0, sizeof(all->searched));
    }
    rf_summary_tallies_release(status == RF_OK ? all : &kept);
    if (status == RF_OK)
        *all = kept;
    return status;
}

int rf_summary_tallies_limit(struct rf_summary *summary, size_t first, size_t most)
{
    const size_t n = summary->tallies.n;
    if (n == first)
        return RF_OK;
    uint32_t *order = malloc(n * sizeof(*order));
    bool *is_kept = malloc(n * sizeof(*is_kept));
    int status = order != NULL && is_kept != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK) {
        choose(summary, first, most, order, is_kept);
        status = keep(summary, first, is_kept);
    }
    free(order);
    free(is_kept);
    return status;
}
