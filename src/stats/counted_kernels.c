/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/counted_kernels.h"

#include <stdlib.h>

#include "base/grow.h"
#include "model/projection/range_tree.h"

#define NONE SIZE_MAX

/* Lists are numbered as their groups are, from the first group of the ranges on, and linked by the
 * first end. */
struct rf_kernel_list {
    int64_t first_end_ns; /* of the calls of its kernels that were visited */
    size_t before, behind;
};

/* Calls are visited from the last one to the first. A range is present until all calls have been
 * visited that begin in it or behind it. */
struct sweep {
    struct rf_counted_kernels *k;
    const struct rf_projection *const *range;
    const struct rf_call_list *calls;
    size_t n_present; /* ranges, of which the last one goes first */
    int64_t *end;     /* of all ranges, by end */
    int64_t *latest;  /* per range: the latest end of those up to it */
    size_t *place;    /* per range: of its end in end[] */
    size_t *tree;     /* how many of the present ranges have an end of what places */
    size_t n;
    size_t first_group; /* of these ranges */
    size_t first;       /* list; NONE: there is none */
};

/* ---- Ends of ranges ---- */

struct placed_end {
    int64_t ns;
    size_t range;
};

static int compare_ends(const void *left, const void *right)
{
    const struct placed_end *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return a->range < b->range ? -1 : a->range > b->range;
}

static int64_t end_of(const struct sweep *s, size_t range)
{
    return rf_range_of(s->k->rec, s->range[range])->end_ns;
}

static bool sort_ends(struct sweep *s)
{
    struct placed_end *sorted = malloc(s->n * sizeof(*sorted));
    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < s->n; i++) {
        sorted[i] = (struct placed_end){end_of(s, i), i};
        s->latest[i] = i > 0 && s->latest[i - 1] > sorted[i].ns ? s->latest[i - 1] : sorted[i].ns;
    }
    qsort(sorted, s->n, sizeof(*sorted), compare_ends);
    for (size_t i = 0; i < s->n; i++) {
        s->end[i] = sorted[i].ns;
        s->place[sorted[i].range] = i;
        s->tree[i + 1] = (i + 1) & -(i + 1); /* all are present */
    }
    free(sorted);
    return true;
}

static void remove_end(struct sweep *s, size_t place)
{
    for (size_t i = place + 1; i <= s->n; i += i & -i)
        s->tree[i]--;
}

/* How many of the present ranges end then or later. */
static size_t count_around(const struct sweep *s, int64_t end_ns)
{
    size_t low = 0, high = s->n, n_before = 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->end[middle] < end_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i > 0; i -= i & -i)
        n_before += s->tree[i];
    return s->n_present - n_before;
}

/* ---- Lists ---- */

static bool make_list(struct sweep *s, size_t i)
{
    if (rf_grow_array(&s->k->list, i, &s->k->list_room, sizeof(*s->k->list)) != RF_OK)
        return false;
    s->k->list[i].first_end_ns = INT64_MAX;
    return true;
}

static void take_out_list(struct sweep *s, size_t i)
{
    const struct rf_kernel_list *list = &s->k->list[i];
    *(list->before != NONE ? &s->k->list[list->before].behind : &s->first) = list->behind;
    if (list->behind != NONE)
        s->k->list[list->behind].before = list->before;
}

/* A call with a kernel of list i is visited. The list has most often the first end of all. */
static void note_end(struct sweep *s, size_t i, int64_t end_ns)
{
    struct rf_kernel_list *all = s->k->list;
    if (end_ns >= all[i].first_end_ns)
        return;
    if (all[i].first_end_ns != INT64_MAX)
        take_out_list(s, i);
    size_t before = NONE, behind = s->first;
    for (; behind != NONE && all[behind].first_end_ns < end_ns; behind = all[behind].behind) {
        before = behind;
        s->k->n_steps++;
    }
    all[i] = (struct rf_kernel_list){end_ns, before, behind};
    *(before != NONE ? &all[before].behind : &s->first) = i;
    if (behind != NONE)
        all[behind].before = i;
}

/* ---- Calls and ranges ---- */

/* n_around: how many of the ranges lie around the call. */
static bool add_call(struct sweep *s, const struct rf_call *call, size_t n_around)
{
    struct rf_counted_kernels *k = s->k;
    size_t n_ops = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(k->rec, &n_ops);
    for (uint32_t i = call->first_op; i < n_ops; i = op[i].next_op) {
        if (op[i].kind != RF_OP_KERNEL)
            continue;
        const size_t n_groups = k->groups->n;
        struct rf_group *group = k->group_of(k->context, &op[i], s->range[0]);
        if (group == NULL ||
            !rf_value_counts_add(&group->counts, (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns,
                                 n_around))
            return false;
        const size_t list = (size_t)(group - k->groups->group) - s->first_group;
        if (k->groups->n > n_groups && !make_list(s, list))
            return false;
        group->n += n_around;
        group->sums[RF_SUM_KERNELS]++;
        if (s->range[0]->by_process)
            k->is_covered[i] = 1;
        note_end(s, list, call->end_ns);
        k->n_steps++;
    }
    return true;
}

/* All calls that the last range may lie around were visited. */
static void take_out_range(struct sweep *s)
{
    const struct rf_kernel_list *all = s->k->list;
    const size_t last = --s->n_present;
    const int64_t end_ns = end_of(s, last);
    for (size_t i = s->first; i != NONE && all[i].first_end_ns <= end_ns; i = all[i].behind) {
        s->k->groups->group[s->first_group + i].sums[RF_SUM_RANGES]++;
        s->k->n_steps++;
    }
    remove_end(s, s->place[last]);
}

static bool visit(struct sweep *s)
{
    size_t n_calls = s->calls->n, first;
    while (s->n_present > 0) {
        const struct rf_event *last = rf_range_of(s->k->rec, s->range[s->n_present - 1]);
        const int64_t latest_ns = s->latest[s->n_present - 1];
        if (n_calls > 0 && rf_call_list_at(s->calls, n_calls - 1)->start_ns > latest_ns)
            rf_call_list_find(s->calls, &(struct rf_event){.end_ns = latest_ns}, &first, &n_calls);
        s->k->has_too_many_steps |= ++s->k->n_steps > s->k->max_steps;
        if (s->k->has_too_many_steps)
            return true;
        const struct rf_call *call = n_calls > 0 ? rf_call_list_at(s->calls, n_calls - 1) : NULL;
        if (call == NULL || last->start_ns > call->start_ns) {
            take_out_range(s);
            continue;
        }
        const size_t n_around = call->first_op != RF_NO_INDEX ? count_around(s, call->end_ns) : 0;
        if (n_around > 0 && !add_call(s, call, n_around))
            return false;
        n_calls--;
    }
    return true;
}

void rf_estimate_kernels(struct rf_counted_kernels *k, const struct rf_projection *const *range,
                         size_t n)
{
    struct rf_event all = *rf_range_of(k->rec, range[0]);
    size_t first, end;
    for (size_t i = 1; i < n; i++)
        if (rf_range_of(k->rec, range[i])->end_ns > all.end_ns)
            all.end_ns = rf_range_of(k->rec, range[i])->end_ns;
    rf_call_list_find(rf_covered_calls_of(k->calls, k->rec, range[0]), &all, &first, &end);
    k->n_steps += end - first + n;
    k->has_too_many_steps |= k->n_steps > k->max_steps;
}

bool rf_count_kernels(struct rf_counted_kernels *k, const struct rf_projection *const *range,
                      size_t n)
{
    struct sweep s = {.k = k,
                      .range = range,
                      .calls = rf_covered_calls_of(k->calls, k->rec, range[0]),
                      .n_present = n,
                      .end = malloc(n * sizeof(*s.end)),
                      .latest = malloc(n * sizeof(*s.latest)),
                      .place = malloc(n * sizeof(*s.place)),
                      .tree = calloc(n + 1, sizeof(*s.tree)),
                      .n = n,
                      .first_group = k->groups->n,
                      .first = NONE};
    bool is_done = s.end != NULL && s.latest != NULL && s.place != NULL && s.tree != NULL &&
                   sort_ends(&s) && visit(&s);
    free(s.end);
    free(s.latest);
    free(s.place);
    free(s.tree);
    return rf_group_by_measure(k->groups) && is_done;
}

void rf_counted_kernels_release(struct rf_counted_kernels *k)
{
    free(k->list);
    k->list = NULL;
    k->list_room = 0;
}
