/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/path_work.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

void rf_path_work_release(struct rf_path_work *p)
{
    free(p->range);
    free(p->list);
    memset(p, 0, sizeof(*p));
}

/* Lists a range and those around it up to the first one whose path is known. Returns that path, or
 * RF_NO_INDEX. */
static uint32_t list_ranges(struct rf_path_work *p, uint32_t range, size_t *n)
{
    *n = 0;
    for (; range != RF_NO_INDEX; range = rf_range_parent_of(p->pool, range)) {
        if (p->range[range].path != RF_NO_INDEX)
            return p->range[range].path;
        if (rf_grow_array(&p->list, *n, &p->list_room, sizeof(*p->list)) != RF_OK) {
            p->is_out_of_memory = true;
            return RF_NO_INDEX;
        }
        p->list[(*n)++] = range;
    }
    return RF_NO_INDEX;
}

/* The path of a range; RF_NO_INDEX: out of memory, or of no range. */
static uint32_t path_of(struct rf_path_work *p, uint32_t range)
{
    size_t n;
    uint32_t path = list_ranges(p, range, &n);
    while (n > 0 && !p->is_out_of_memory) {
        struct rf_path_range *of = &p->range[p->list[--n]];
        const struct rf_sum_key key = {of->domain, of->name, of->kind,
                                       path != RF_NO_INDEX ? path + 1 : 0};
        path = of->path = rf_sums_index(p->sums, &key);
        p->is_out_of_memory |= path == RF_NO_INDEX;
    }
    return path;
}

static void add_to_path(struct rf_path_work *p, uint32_t node)
{
    struct rf_path_range *of = &p->range[node];
    const uint32_t path = path_of(p, rf_range_innermost(p->pool, node));
    if (p->is_out_of_memory || path == RF_NO_INDEX)
        return; /* or it is uncertain */
    p->sums->sum[path].gpu_ns += of->gpu_ns;
    p->sums->sum[path].n_gpu += of->n_gpu;
    of->gpu_ns = of->n_gpu = 0;
}

static void let_go(void *context, uint32_t node)
{
    struct rf_path_work *p = context;
    if (p->range[node].n_gpu > 0)
        add_to_path(p, node);
}

static int add_node(void *context, uint32_t node)
{
    return rf_path_work_push(context, node, 0, 0, 0);
}

void rf_path_work_begin(struct rf_path_work *p, struct rf_range_pool *pool, struct rf_sums *sums)
{
    *p = (struct rf_path_work){.pool = pool, .sums = sums};
    rf_range_pool_listen(pool, &(struct rf_range_listener){add_node, let_go, let_go, p});
}

int rf_path_work_push(struct rf_path_work *p, uint32_t node, uint32_t domain, uint32_t name,
                      uint32_t kind)
{
    while (p->n <= node) {
        if (rf_grow_array(&p->range, p->n, &p->room, sizeof(*p->range)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        p->range[p->n++] = (struct rf_path_range){.n_gpu = 0};
    }
    p->range[node] =
        (struct rf_path_range){.domain = domain, .name = name, .kind = kind, .path = RF_NO_INDEX};
    return RF_OK;
}

int rf_path_work_add(struct rf_path_work *p, uint32_t node, uint64_t ns)
{
    if (p->range[node].gpu_ns > UINT64_MAX - ns) /* the sum of the path has room for more */
        add_to_path(p, node);
    if (p->is_out_of_memory)
        return RF_ERR_NO_MEMORY;
    p->range[node].gpu_ns += ns;
    p->range[node].n_gpu++;
    return RF_OK;
}
