/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/range_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

#define FIRST_ROOM 256u
#define MANY_STEPS ((uint64_t)1 << 26)

/* ---- Nodes ---- */

void rf_range_pool_init(struct rf_range_pool *pool, size_t max_ended, size_t max_of_thread,
                        size_t least_of_thread)
{
    *pool = (struct rf_range_pool){.first_free = RF_NO_INDEX,
                                   .max_ended = max_ended,
                                   .max_of_thread = max_of_thread,
                                   .least_of_thread = least_of_thread};
}

void rf_range_pool_release(struct rf_range_pool *pool)
{
    free(pool->node);
    memset(pool, 0, sizeof(*pool));
}

static uint32_t new_node(struct rf_range_pool *pool)
{
    const uint32_t i = pool->first_free;
    if (i != RF_NO_INDEX) {
        pool->first_free = pool->node[i].around;
        return i;
    }
    if (pool->n == RF_NO_INDEX - 1 ||
        rf_grow_array(&pool->node, pool->n, &pool->room, sizeof(*pool->node)) != RF_OK)
        return RF_NO_INDEX;
    return pool->n++;
}

void rf_range_pool_use(struct rf_range_pool *pool, uint32_t node)
{
    pool->node[node].n_users++;
}

/* A node that goes is one user less of that around it. */
void rf_range_pool_drop(struct rf_range_pool *pool, uint32_t node)
{
    uint32_t i = node;
    while (i != RF_NO_INDEX && --pool->node[i].n_users == 0) {
        if (pool->let_go != NULL)
            pool->let_go(pool->context, i);
        const uint32_t around = pool->node[i].around;
        pool->node[i].around = pool->first_free;
        pool->first_free = i;
        i = around;
    }
}

/* ---- Ranges ---- */

void rf_range_stack_init(struct rf_range_stack *s)
{
    *s = (struct rf_range_stack){.open = RF_NO_INDEX};
}

void rf_range_stack_release(struct rf_range_stack *s)
{
    free(s->ended);
    rf_range_stack_init(s);
    s->ended = NULL;
}

int rf_range_stack_push(struct rf_range_stack *s, struct rf_range_pool *pool, int64_t start_ns,
                        uint32_t tag)
{
    const uint32_t i = new_node(pool);
    if (i == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    /* what begins where a range without a duration ended may be around it */
    s->is_uncertain |= (s->has_started && start_ns < s->last_start_ns) ||
                       (s->has_ended && start_ns < s->last_end_ns) ||
                       (s->has_empty && start_ns == s->last_empty_ns);
    s->has_started = true;
    s->last_start_ns = start_ns;
    pool->node[i] = (struct rf_range_node){
        .start_ns = start_ns, .end_ns = INT64_MAX, .around = s->open, .tag = tag, .n_users = 1};
    if (s->open != RF_NO_INDEX)
        pool->node[s->open].n_users++;
    s->open = i;
    return RF_OK;
}

static uint32_t *ended_at(const struct rf_range_stack *s, size_t number)
{
    return &s->ended[number & (s->room - 1)];
}

/* Makes room for one more that ended. */
static int reserve(struct rf_range_stack *s, struct rf_range_pool *pool)
{
    const size_t n = s->end - s->begin, room = s->room > 0 ? 2 * s->room : FIRST_ROOM;
    const bool is_full = n == s->room;
    const bool is_enough = pool->n_ended >= pool->max_ended && n >= pool->least_of_thread;
    if (n > 0 && (is_enough || (is_full && room > pool->max_of_thread))) {
        rf_range_pool_drop(pool, *ended_at(s, s->begin++));
        pool->n_ended--;
        return RF_OK;
    }
    uint32_t *ended = is_full ? malloc(room * sizeof(*ended)) : s->ended;
    if (ended == NULL)
        return RF_ERR_NO_MEMORY;
    if (!is_full)
        return RF_OK;
    for (size_t i = s->begin; i < s->end; i++)
        ended[i & (room - 1)] = *ended_at(s, i);
    free(s->ended);
    s->ended = ended;
    s->room = room;
    return RF_OK;
}

int rf_range_stack_pop(struct rf_range_stack *s, struct rf_range_pool *pool, int64_t end_ns)
{
    const uint32_t i = s->open;
    if (i == RF_NO_INDEX)
        return RF_OK;
    struct rf_range_node *node = &pool->node[i];
    s->is_uncertain |= end_ns < s->last_start_ns || (s->has_ended && end_ns < s->last_end_ns);
    if (node->start_ns == end_ns) { /* it may lie in what ended there, too */
        s->is_uncertain |= s->has_ended && s->last_end_ns == end_ns;
        s->has_empty = true;
        s->last_empty_ns = end_ns;
    }
    s->has_ended = true;
    s->last_end_ns = node->end_ns = end_ns;
    s->open = node->around;
    int status = reserve(s, pool);
    if (status != RF_OK)
        return status;
    *ended_at(s, s->end++) = i;
    pool->n_ended++;
    return RF_OK;
}

void rf_range_stack_end(struct rf_range_stack *s, struct rf_range_pool *pool)
{
    for (; s->begin < s->end; pool->n_ended--)
        rf_range_pool_drop(pool, *ended_at(s, s->begin++));
    while (s->open != RF_NO_INDEX) {
        const uint32_t i = s->open;
        s->open = pool->node[i].around;
        rf_range_pool_drop(pool, i);
    }
}

/* The first one of those that are held which ended then or later. */
static size_t first_ended(const struct rf_range_stack *s, const struct rf_range_pool *pool,
                          int64_t end_ns)
{
    size_t low = s->begin, high = s->end;
    if (low == high || pool->node[*ended_at(s, high - 1)].end_ns < end_ns)
        return high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pool->node[*ended_at(s, middle)].end_ns < end_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What is around the call is the range that ends first behind it, or around that. */
uint32_t rf_range_stack_find(struct rf_range_stack *s, const struct rf_range_pool *pool,
                             int64_t start_ns, int64_t end_ns)
{
    const size_t first = first_ended(s, pool, end_ns);
    uint32_t i = first < s->end ? *ended_at(s, first) : s->open;
    s->is_uncertain |= first == s->begin && s->begin > 0; /* it may be one that is not held */
    s->is_uncertain |= first < s->end && start_ns == end_ns &&
                       pool->node[i].end_ns == end_ns; /* it may lie in what begins there, too */
    for (; i != RF_NO_INDEX && pool->node[i].start_ns > start_ns; s->n_steps++)
        i = pool->node[i].around;
    s->is_uncertain |= s->n_steps > MANY_STEPS; /* ranges in each other are too many */
    return i;
}
