/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/projected_work.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define FEW_KERNELS 16u /* of a range, by which they are listed */

/* Ranges in each other may be so many that each kernel costs far more than its record. */
#define MANY_PAIRS ((uint64_t)1 << 24)
#define DEEP       64u

/* Where they can be left out, which are not what is asked for. */
#define SOME_PAIRS ((uint64_t)1 << 22)
#define LESS_DEEP  16u

/* So may kernels of ever new names or times under ranges: more than the kernels themselves would
 * take. */
#define MANY_SLOTS ((uint64_t)1 << 20)
#define OF_KERNEL  4u

/* ---- Ranges ---- */

static void release_kernels(struct rf_projected_range *range)
{
    if (range->kernel_of != NULL)
        rf_map_release(range->kernel_of);
    free(range->kernel_of);
    free(range->kernel);
    range->kernel_of = NULL;
    range->kernel = NULL;
    range->n_kernels = 0;
}

static void release_range(struct rf_projected_range *range)
{
    free(range->more);
    range->more = NULL;
    release_kernels(range);
}

/* How many ranges a range lies in. */
static uint32_t level_of(struct rf_projected_work *p, uint32_t range)
{
    uint32_t n = 0, i = range;
    for (; i != RF_NO_INDEX && p->range[i].level == RF_NO_INDEX; n++)
        i = rf_range_parent_of(p->pool, i);
    uint32_t level = (i != RF_NO_INDEX ? p->range[i].level + 1 : 0) + n;
    for (i = range; n > 0 && i != RF_NO_INDEX; n--, i = rf_range_parent_of(p->pool, i))
        p->range[i].level = --level;
    return p->range[range].level;
}

/* The range of a node has all its work. */
static void end_range(struct rf_projected_work *p, uint32_t node)
{
    struct rf_projected_range *range = &p->range[node];
    const struct rf_range_node *times = &p->pool->node[node];
    const struct rf_work *work = &range->work;
    if (range->more != NULL)
        rf_work_add(&range->work, range->more);
    release_range(range);
    if (work->n_calls == 0)
        return;
    struct rf_projected_ranges *sum = &p->sums->ranges[range->ranges];
    const bool has_level = (sum->kind & RF_RANGES_BY_PROCESS) == 0;
    const uint32_t parent = has_level ? rf_range_parent_of(p->pool, node) : RF_NO_INDEX;
    if (parent != RF_NO_INDEX)
        p->range[parent].n_children++;
    sum->range_ns += (uint64_t)times->end_ns - (uint64_t)times->start_ns;
    sum->n_calls += work->n_calls;
    sum->n_levels += has_level ? level_of(p, node) : 0;
    sum->n_children += range->n_children;
    if (!rf_value_counts_add(&sum->ns, (uint64_t)work->end_ns - (uint64_t)work->start_ns, 1))
        p->is_out_of_memory = true;
}

/* Work of a further node of a range. */
static void add_more(struct rf_projected_work *p, struct rf_projected_range *range,
                     const struct rf_work *work)
{
    if (work->n_calls == 0)
        return;
    if (range->more == NULL && (range->more = malloc(sizeof(*range->more))) != NULL)
        *range->more = rf_no_work();
    if (range->more != NULL)
        rf_work_add(range->more, work);
    else
        p->is_out_of_memory = true;
}

/* No call in the list of a node waits for work, nor in those inside it. */
static void leave(void *context, uint32_t node)
{
    struct rf_projected_work *p = context;
    const uint32_t around = p->pool->node[node].around;
    if (around != RF_NO_INDEX)
        rf_work_add(&p->range[around].work, &p->range[node].work);
}

/* A node is let go of, after those inside it: of a first one the range has ended. */
static void let_go(void *context, uint32_t node)
{
    struct rf_projected_work *p = context;
    const struct rf_range_node *of = &p->pool->node[node];
    leave(p, node);
    if (of->range != node)
        add_more(p, &p->range[of->range], &p->range[node].work);
    else
        end_range(p, node);
}

static int reserve(struct rf_projected_work *p, uint32_t node)
{
    while (p->n <= node) {
        if (rf_grow_array(&p->range, p->n, &p->room, sizeof(*p->range)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        p->range[p->n++] = (struct rf_projected_range){.kernel = NULL};
    }
    p->range[node] = (struct rf_projected_range){.work = rf_no_work(), .level = RF_NO_INDEX};
    return RF_OK;
}

/* A further node of a range. */
static int add_node(void *context, uint32_t node)
{
    return reserve(context, node);
}

void rf_projected_work_begin(struct rf_projected_work *p, struct rf_range_pool *pool,
                             struct rf_projected_sums *sums)
{
    *p = (struct rf_projected_work){.pool = pool, .sums = sums};
    rf_range_pool_listen(pool, &(struct rf_range_listener){add_node, leave, let_go, p});
}

void rf_projected_work_release(struct rf_projected_work *p)
{
    for (size_t i = 0; i < p->n; i++)
        release_range(&p->range[i]);
    free(p->range);
    memset(p, 0, sizeof(*p));
}

/* A name, folded where numbers are. */
static int fold(struct rf_projected_work *p, uint32_t *name)
{
    if (!p->sums->folds_numbers || *name >= p->strings->n)
        return RF_OK;
    const struct rf_string_entry *entry = &p->strings->entry[*name];
    return rf_folded_strings_find(&p->sums->folded, *name, entry->text, entry->size, name)
               ? RF_OK
               : RF_ERR_NO_MEMORY;
}

int rf_projected_work_push(struct rf_projected_work *p, uint32_t node, uint32_t thread,
                           uint32_t domain, uint32_t name, uint32_t kind)
{
    if (fold(p, &name) != RF_OK)
        return RF_ERR_NO_MEMORY;
    const uint32_t ranges = rf_projected_sums_ranges(p->sums, thread, domain, name, kind);
    if (ranges == RF_NO_INDEX || reserve(p, node) != RF_OK)
        return RF_ERR_NO_MEMORY;
    p->range[node].ranges = ranges;
    return RF_OK;
}

/* ---- Work ---- */

static uint64_t duration_of(const struct rf_held_work *work)
{
    return (uint64_t)work->end_ns - (uint64_t)work->start_ns;
}

static void cover(struct rf_coverage *coverage, uint64_t ns, bool is_covered)
{
    coverage->n_ops++;
    coverage->busy_ns = rf_add_saturated(coverage->busy_ns, ns);
    if (!is_covered)
        return;
    coverage->n_covered++;
    coverage->covered_ns = rf_add_saturated(coverage->covered_ns, ns);
}

static uint32_t find_kernel(const struct rf_projected_range *range, uint32_t label)
{
    if (range->kernel_of != NULL)
        return rf_map_find(range->kernel_of, label, 0);
    for (uint32_t i = range->n_kernels; i-- > 0;)
        if (range->kernel[i].label == label)
            return range->kernel[i].kernel;
    return RF_MAP_NONE;
}

/* The list, which is full, becomes a map. */
static int make_map(struct rf_projected_range *range)
{
    range->kernel_of = calloc(1, sizeof(*range->kernel_of));
    int status = range->kernel_of != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < FEW_KERNELS && status == RF_OK; i++)
        status = rf_map_set(range->kernel_of, range->kernel[i].label, 0, range->kernel[i].kernel);
    return status;
}

static int list_kernel(struct rf_projected_range *range, uint32_t label, uint32_t kernel)
{
    const uint32_t n = range->n_kernels++, few = 2;
    if (n == FEW_KERNELS && make_map(range) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (n >= FEW_KERNELS)
        return rf_map_set(range->kernel_of, label, 0, kernel);
    if (n == 0 || n == few) {
        const size_t room = n == 0 ? few : FEW_KERNELS;
        struct rf_kernel_of_range *list = realloc(range->kernel, room * sizeof(*list));
        if (list == NULL)
            return RF_ERR_NO_MEMORY;
        range->kernel = list;
    }
    range->kernel[n] = (struct rf_kernel_of_range){label, kernel};
    return RF_OK;
}

/* The sum of a kernel under a range; *is_new: it is the first of that name there. */
static uint32_t kernel_of(struct rf_projected_work *p, struct rf_projected_range *range,
                          uint32_t label, bool *is_new)
{
    uint32_t kernel = find_kernel(range, label);
    *is_new = kernel == RF_MAP_NONE;
    if (!*is_new)
        return kernel;
    kernel = rf_projected_sums_kernel(p->sums, range->ranges, label);
    return kernel != RF_NO_INDEX && list_kernel(range, label, kernel) == RF_OK ? kernel
                                                                               : RF_NO_INDEX;
}

/* It counts for every range around its call, and once for those of one sum. */
static int add_to_range(struct rf_projected_work *p, uint64_t ns, uint32_t range, uint32_t label)
{
    bool is_new;
    const uint32_t i = kernel_of(p, &p->range[range], label, &is_new);
    if (i == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    struct rf_projected_ranges *ranges = &p->sums->ranges[p->range[range].ranges];
    struct rf_projected_kernel *kernel = &p->sums->kernel[i];
    const size_t n_before = kernel->ns.n;
    kernel->n_ranges += is_new;
    kernel->n_kernels += ranges->last_kernel != p->n_kernels;
    ranges->last_kernel = p->n_kernels;
    p->n_pairs++;
    if (!rf_value_counts_add(&kernel->ns, ns, 1))
        return RF_ERR_NO_MEMORY;
    p->n_slots += is_new + (kernel->ns.n - n_before);
    return RF_OK;
}

static bool has_many_pairs(const struct rf_projected_work *p)
{
    const uint64_t many = p->can_leave_kernels ? SOME_PAIRS : MANY_PAIRS;
    return p->n_pairs > many &&
           p->n_pairs / p->n_kernels > (p->can_leave_kernels ? LESS_DEEP : DEEP);
}

static int add_kernel(struct rf_projected_work *p, uint64_t ns, uint32_t node, uint32_t label)
{
    int status = RF_OK;
    for (; node != RF_NO_INDEX && status == RF_OK && !p->is_too_deep;
         node = p->pool->node[node].around) {
        status = add_to_range(p, ns, p->pool->node[node].range, label);
        p->is_too_deep |=
            has_many_pairs(p) || (p->n_slots > MANY_SLOTS && p->n_slots / p->n_kernels > OF_KERNEL);
    }
    return status;
}

/* Kernels under no range, by the thread that launched them. */
static int add_other(struct rf_projected_work *p, uint64_t ns, uint32_t thread, uint32_t label)
{
    const uint32_t ranges = rf_projected_sums_ranges(p->sums, thread, RF_NO_INDEX, RF_NO_STRING, 0);
    const uint32_t i =
        ranges != RF_NO_INDEX ? rf_projected_sums_kernel(p->sums, ranges, label) : RF_NO_INDEX;
    if (i == RF_NO_INDEX || !rf_value_counts_add(&p->sums->kernel[i].ns, ns, 1))
        return RF_ERR_NO_MEMORY;
    p->sums->kernel[i].n_kernels++;
    return RF_OK;
}

static void add_work(struct rf_projected_work *p, const struct rf_held_work *work, uint32_t node,
                     bool is_first)
{
    if (node == RF_NO_INDEX)
        return;
    const struct rf_work one = {work->start_ns, work->end_ns, duration_of(work), 1, 1};
    struct rf_work *all = &p->range[node].work;
    const uint32_t n_calls = all->n_calls + is_first;
    rf_work_add(all, &one);
    all->n_calls = n_calls;
}

int rf_projected_work_add(struct rf_projected_work *p, const struct rf_held_work *work,
                          uint32_t node, uint32_t of_process, uint32_t thread, uint32_t label,
                          bool is_first)
{
    const bool is_covered = node != RF_NO_INDEX || of_process != RF_NO_INDEX;
    const uint64_t ns = duration_of(work);
    const struct rf_gpu_op op = {.kind = work->kind};
    if (!rf_op_counts(&op, false))
        return RF_OK;
    cover(&p->sums->all, ns, is_covered);
    if (rf_op_counts(&op, true))
        cover(&p->sums->kernels, ns, is_covered);
    add_work(p, work, node, is_first);
    add_work(p, work, of_process, is_first);
    if (work->kind != RF_OP_KERNEL || p->has_no_kernels)
        return RF_OK;
    if (fold(p, &label) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (!is_covered)
        return add_other(p, ns, thread, label);
    p->n_kernels++;
    const int status = add_kernel(p, ns, node, label);
    return status == RF_OK ? add_kernel(p, ns, of_process, label) : status;
}

void rf_projected_work_leave_kernels(struct rf_projected_work *p)
{
    for (size_t i = 0; i < p->n; i++)
        release_kernels(&p->range[i]);
    rf_projected_sums_leave_kernels(p->sums);
    p->has_no_kernels = true;
    p->is_too_deep = false;
}
