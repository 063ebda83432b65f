/* SPDX-License-Identifier: Apache-2.0 */
#include "export/kernel_regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/private_access.h"

#define MANY_LISTS ((uint64_t)16 << 20) /* of 24 bytes */

/* A range that began and may still be open. */
struct open_range {
    int64_t end_ns;
    int64_t min_end_ns; /* of this one and all before it */
    uint32_t event;
    uint32_t list; /* the list that begins with it, or RF_NO_INDEX: not needed so far */
};

struct sweep {
    struct rf_kernel_regions *to;
    const rf_recording *rec;
    const struct rf_gpu_op *ops;
    rf_region_filter *filter;
    void *context;
    struct open_range *open; /* by start */
    size_t n_open, open_room;
    struct rf_region_bounds *bounds; /* per list of the current thread */
    uint32_t first_list;             /* of the current thread */
    size_t bounds_room;
    uint64_t most_lists; /* ranges that cross can need calls times ranges of them */
    int status;
};

static const struct rf_region_bounds no_bounds = {INT64_MAX, INT64_MIN};

static void extend(struct rf_region_bounds *bounds, int64_t start_ns, int64_t end_ns)
{
    if (start_ns < bounds->start_ns)
        bounds->start_ns = start_ns;
    if (end_ns > bounds->end_ns)
        bounds->end_ns = end_ns;
}

/* ---- The lists ---- */

static int grow_lists(struct sweep *sweep)
{
    struct rf_kernel_regions *to = sweep->to;
    uint32_t n = to->n_regions - sweep->first_list;
    if (to->n_regions >= sweep->most_lists)
        return RF_ERR_UNSUPPORTED;
    if (rf_grow_array(&to->region, to->n_regions, &to->room, sizeof(*to->region)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    return rf_grow_array(&sweep->bounds, n, &sweep->bounds_room, sizeof(*sweep->bounds));
}

static uint32_t new_list(struct sweep *sweep, uint32_t event, uint32_t below)
{
    if (sweep->status == RF_OK)
        sweep->status = grow_lists(sweep);
    if (sweep->status != RF_OK)
        return RF_NO_INDEX;
    uint32_t list = sweep->to->n_regions++;
    sweep->to->region[list] = (struct rf_region){event, below};
    sweep->bounds[list - sweep->first_list] = no_bounds;
    return list;
}

/* The list of the first n open ranges. */
static uint32_t list_of(struct sweep *sweep, size_t n)
{
    size_t known = n;
    while (known > 0 && sweep->open[known - 1].list == RF_NO_INDEX)
        known--;
    uint32_t list = known > 0 ? sweep->open[known - 1].list : RF_NO_INDEX;
    for (; known < n; known++)
        sweep->open[known].list = list = new_list(sweep, sweep->open[known].event, list);
    return list;
}

/* How many open ranges stand before the first one that ends before ns. */
static size_t n_before_ended(const struct sweep *sweep, int64_t ns)
{
    size_t n = sweep->n_open;
    while (n > 0 && sweep->open[n - 1].min_end_ns < ns)
        n--;
    return n;
}

/* ---- The sweep over a thread ---- */

static void add_open(struct sweep *sweep, uint32_t event, int64_t end_ns)
{
    struct open_range *open = &sweep->open[sweep->n_open];
    int64_t min_end_ns = sweep->n_open > 0 ? open[-1].min_end_ns : INT64_MAX;
    *open =
        (struct open_range){end_ns, end_ns < min_end_ns ? end_ns : min_end_ns, event, RF_NO_INDEX};
    sweep->n_open++;
}

/* Forgets what ended before ns. Where that is not the latest ranges, those above begin new lists.
 */
static void drop_ended(struct sweep *sweep, int64_t ns)
{
    size_t n = sweep->n_open;
    size_t i = n_before_ended(sweep, ns);
    sweep->n_open = i;
    for (; i < n; i++)
        if (sweep->open[i].end_ns >= ns)
            add_open(sweep, sweep->open[i].event, sweep->open[i].end_ns);
}

static void begin_range(struct sweep *sweep, const struct rf_event *event, uint32_t index)
{
    if (event->kind != RF_EVENT_PUSH_POP || !sweep->filter(sweep->context, event))
        return;
    drop_ended(sweep, event->start_ns);
    if (rf_grow_array(&sweep->open, sweep->n_open, &sweep->open_room, sizeof(*sweep->open)) !=
        RF_OK) {
        sweep->status = RF_ERR_NO_MEMORY;
        return;
    }
    add_open(sweep, index, event->end_ns);
}

/* The list of the open ranges that end no earlier than a call. */
static uint32_t list_over(struct sweep *sweep, const struct rf_call *call)
{
    drop_ended(sweep, call->start_ns);
    size_t i = n_before_ended(sweep, call->end_ns);
    uint32_t list = list_of(sweep, i);
    for (; i < sweep->n_open; i++)
        if (sweep->open[i].end_ns >= call->end_ns)
            list = new_list(sweep, sweep->open[i].event, list);
    return list;
}

static void give_kernels(struct sweep *sweep, const struct rf_call *call)
{
    uint32_t list = RF_NO_INDEX;
    for (uint32_t op = call->first_op; op != RF_NO_INDEX; op = sweep->ops[op].next_op) {
        if (sweep->ops[op].kind != RF_OP_KERNEL)
            continue;
        if (list == RF_NO_INDEX)
            list = list_over(sweep, call);
        if (list == RF_NO_INDEX)
            return;
        sweep->to->of_op[op] = list;
        extend(&sweep->bounds[list - sweep->first_list], sweep->ops[op].start_ns,
               sweep->ops[op].end_ns);
    }
}

/* From lists to ranges. What a list goes on with was made before it, so that going backwards every
 * list is complete when its turn comes. */
static void sum_up(struct sweep *sweep, uint32_t thread, size_t n_events)
{
    struct rf_kernel_regions *to = sweep->to;
    if (to->n_regions == sweep->first_list || sweep->status != RF_OK)
        return;
    struct rf_region_bounds *of_event = malloc(n_events * sizeof(*of_event));
    if (of_event == NULL) {
        sweep->status = RF_ERR_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < n_events; i++)
        of_event[i] = no_bounds;
    for (uint32_t list = to->n_regions; list-- > sweep->first_list;) {
        const struct rf_region_bounds *bounds = &sweep->bounds[list - sweep->first_list];
        const struct rf_region *region = &to->region[list];
        extend(&of_event[region->event], bounds->start_ns, bounds->end_ns);
        if (region->below != RF_NO_INDEX)
            extend(&sweep->bounds[region->below - sweep->first_list], bounds->start_ns,
                   bounds->end_ns);
    }
    to->bounds[thread] = of_event;
}

static void sweep_thread(struct sweep *sweep, uint32_t thread)
{
    size_t n_calls, n_events, next = 0;
    const struct rf_call *calls = rf_recording_calls(sweep->rec, thread, &n_calls);
    const struct rf_event *events = rf_thread_events(sweep->rec, thread, &n_events);
    sweep->n_open = 0;
    sweep->first_list = sweep->to->n_regions;
    for (size_t i = 0; i < n_calls && sweep->status == RF_OK; i++) {
        if (calls[i].first_op == RF_NO_INDEX)
            continue;
        for (; next < n_events && events[next].start_ns <= calls[i].start_ns; next++)
            begin_range(sweep, &events[next], (uint32_t)next);
        give_kernels(sweep, &calls[i]);
    }
    sum_up(sweep, thread, n_events);
}

static int fail(const rf_recording *rec, int status, struct rf_err *err)
{
    if (status != RF_ERR_UNSUPPORTED)
        return rf_fail(err, status, "out of memory");
    return rf_fail(
        err, status,
        "cannot list the ranges of each kernel of '%s': too many cross each other; leave "
        "out nvtx-kernel",
        rf_get_info(rec)->path);
}

int rf_kernel_regions_init(struct rf_kernel_regions *regions, const rf_recording *rec,
                           rf_region_filter *filter, void *context, struct rf_err *err)
{
    size_t n_ops;
    struct sweep sweep = {.to = regions, .rec = rec, .filter = filter, .context = context};
    memset(regions, 0, sizeof(*regions));
    sweep.ops = rf_gpu_ops(rec, &n_ops);
    regions->n_threads = rf_n_threads(rec);
    regions->of_op = malloc((n_ops + 1) * sizeof(*regions->of_op));
    regions->bounds = calloc((size_t)regions->n_threads + 1, sizeof(*regions->bounds));
    if (regions->of_op == NULL || regions->bounds == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < n_ops; i++)
        regions->of_op[i] = RF_NO_INDEX;
    sweep.most_lists = MANY_LISTS + 4 * (n_ops + rf_get_info(rec)->n_events);
    for (uint32_t i = 0; i < regions->n_threads && sweep.status == RF_OK; i++)
        sweep_thread(&sweep, i);
    free(sweep.open);
    free(sweep.bounds);
    return sweep.status == RF_OK ? RF_OK : fail(rec, sweep.status, err);
}

void rf_kernel_regions_release(struct rf_kernel_regions *regions)
{
    for (uint32_t i = 0; i < regions->n_threads && regions->bounds != NULL; i++)
        free(regions->bounds[i]);
    free(regions->bounds);
    free(regions->of_op);
    free(regions->region);
}
