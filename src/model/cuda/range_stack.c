/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/range_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

#define FIRST_ROOM 256u
#define FEW_STEPS  64u /* that each answer may take */
#define MANY_STEPS ((uint64_t)1 << 25)

/* Where ranges cross, one that ended holds as many nodes as were open. */
#define NODES_OF_ENDED 6u
#define FEW_ENDED      ((size_t)64) /* of a thread */

#define MOST_TIMES 8u /* as many are held where calls come late */

/* ---- Nodes ---- */

void rf_range_pool_init(struct rf_range_pool *pool, size_t max_ended, size_t max_of_thread,
                        size_t least_of_thread)
{
    *pool = (struct rf_range_pool){.first_free = RF_NO_INDEX,
                                   .max_ended = max_ended,
                                   .most_ended = MOST_TIMES * max_ended,
                                   .max_used = NODES_OF_ENDED * max_ended,
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
        pool->n_used++;
        return i;
    }
    if (pool->n == RF_NO_INDEX - 1 ||
        rf_grow_array(&pool->node, pool->n, &pool->room, sizeof(*pool->node)) != RF_OK)
        return RF_NO_INDEX;
    pool->n_used++;
    return pool->n++;
}

void rf_range_pool_use(struct rf_range_pool *pool, uint32_t node)
{
    if (node != RF_NO_INDEX)
        pool->node[node].n_users++;
}

void rf_range_pool_listen(struct rf_range_pool *pool, const struct rf_range_listener *listener)
{
    pool->listener[pool->n_listeners++] = *listener;
}

static void tell_left(const struct rf_range_pool *pool, uint32_t node)
{
    for (unsigned i = 0; i < pool->n_listeners; i++)
        if (pool->listener[i].left != NULL)
            pool->listener[i].left(pool->listener[i].context, node);
}

/* A node without users is put in front of others, which are linked by n_users. */
static void add_unused(struct rf_range_pool *pool, uint32_t node, uint32_t *unused)
{
    pool->node[node].n_users = *unused;
    *unused = node;
}

/* One user less. A range that goes on in further nodes lets go of what was around its first one:
 * else ranges that cross would hold all that ever were. */
static void unuse(struct rf_range_pool *pool, uint32_t node, uint32_t *unused)
{
    for (uint32_t around; node != RF_NO_INDEX; node = around) {
        struct rf_range_node *of = &pool->node[node];
        if (--of->n_users == 0) {
            add_unused(pool, node, unused);
            return;
        }
        if (of->n_users > of->n_more)
            return;
        tell_left(pool, node);
        around = of->around;
        of->around = RF_NO_INDEX;
    }
}

/* A further node of a range less. */
static void unuse_range(struct rf_range_pool *pool, uint32_t range, uint32_t *unused)
{
    pool->node[range].n_more--;
    if (--pool->node[range].n_users == 0)
        add_unused(pool, range, unused);
}

/* A node that goes is one user less of those that it needs. */
void rf_range_pool_drop(struct rf_range_pool *pool, uint32_t node)
{
    uint32_t unused = RF_NO_INDEX;
    unuse(pool, node, &unused);
    while (unused != RF_NO_INDEX) {
        const uint32_t i = unused;
        struct rf_range_node gone = pool->node[i];
        unused = gone.n_users;
        for (unsigned k = 0; k < pool->n_listeners; k++)
            pool->listener[k].let_go(pool->listener[k].context, i);
        pool->node[i].n_users = 0;
        pool->node[i].around = pool->first_free;
        pool->first_free = i;
        pool->n_used--;
        unuse(pool, gone.around, &unused);
        if (gone.range != i)
            unuse_range(pool, gone.range, &unused);
        unuse(pool, gone.has_more ? gone.inside : RF_NO_INDEX, &unused);
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

static struct rf_range_end *ended_at(const struct rf_range_stack *s, size_t number)
{
    return &s->ended[number & (s->room - 1)];
}

static void drop_ended(struct rf_range_stack *s, struct rf_range_pool *pool)
{
    rf_range_pool_drop(pool, ended_at(s, s->begin++)->node);
    pool->n_ended--;
}

/* Too many nodes are in use: of calls and of ranges that ended the first ones are let go of. */
static void limit_nodes(struct rf_range_stack *s, struct rf_range_pool *pool)
{
    while (pool->n_used > pool->max_used && !s->is_uncertain) {
        const bool has_many = s->end - s->begin > FEW_ENDED;
        const int64_t first_ns = has_many ? ended_at(s, s->begin)->ns : INT64_MAX;
        if (pool->make_room != NULL && pool->make_room(pool->of_room, first_ns))
            continue;
        if (has_many)
            drop_ended(s, pool);
        else
            s->is_uncertain = true;
    }
}

int rf_range_stack_push(struct rf_range_stack *s, struct rf_range_pool *pool, int64_t start_ns,
                        uint32_t tag)
{
    limit_nodes(s, pool);
    const uint32_t i = new_node(pool);
    if (i == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    /* what begins where a range without a duration ended may be around it */
    s->is_uncertain |= (s->has_started && start_ns < s->last_start_ns) ||
                       (s->has_ended && start_ns < s->last_end_ns) ||
                       (s->has_empty && start_ns == s->last_empty_ns);
    s->has_started = true;
    s->last_start_ns = start_ns;
    pool->node[i] = (struct rf_range_node){.start_ns = start_ns,
                                           .end_ns = INT64_MAX,
                                           .is_open = true,
                                           .of = s,
                                           .around = s->open,
                                           .range = i,
                                           .tag = tag,
                                           .n_users = 1};
    rf_range_pool_use(pool, s->open);
    s->open = i;
    return RF_OK;
}

/* Makes room for one more that ended. */
static int reserve(struct rf_range_stack *s, struct rf_range_pool *pool)
{
    const size_t n = s->end - s->begin, room = s->room > 0 ? 2 * s->room : FIRST_ROOM;
    const bool is_full = n == s->room;
    const bool is_enough = pool->n_ended >= pool->max_ended && n >= pool->least_of_thread;
    if (n > 0 && (is_enough || (is_full && room > pool->max_of_thread))) {
        drop_ended(s, pool);
        return RF_OK;
    }
    struct rf_range_end *ended = is_full ? malloc(room * sizeof(*ended)) : s->ended;
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

/* What is around the last node of a range. */
static uint32_t around_last(const struct rf_range_node *range)
{
    return range->has_more ? range->inside : range->around;
}

/* Notes the end of a range; node: the last of its nodes. */
static void set_end(struct rf_range_stack *s, struct rf_range_pool *pool, uint32_t node,
                    int64_t end_ns)
{
    struct rf_range_node *range = &pool->node[pool->node[node].range];
    s->is_uncertain |= end_ns < s->last_start_ns || (s->has_ended && end_ns < s->last_end_ns) ||
                       end_ns > range->end_ns;
    if (range->start_ns == end_ns) { /* it may lie in what ended there, too */
        s->is_uncertain |= s->has_ended && s->last_end_ns == end_ns;
        s->has_empty = true;
        s->last_empty_ns = end_ns;
    }
    /* it lies in what ended before it, at the same time */
    s->is_uncertain |= range->has_more && pool->node[node].end_ns == end_ns;
    s->has_ended = true;
    s->last_end_ns = range->end_ns = end_ns;
    range->is_open = false;
}

static uint64_t length_of(const struct rf_range_node *range)
{
    return (uint64_t)range->end_ns - (uint64_t)range->start_ns;
}

/* An open range has to be shorter than one that ended. */
static void limit(struct rf_range_node *range, const struct rf_range_node *ended)
{
    const uint64_t length = length_of(ended);
    if (range->end_ns >= range->start_ns && length_of(range) >= length)
        range->end_ns = (int64_t)((uint64_t)range->start_ns + length - 1);
}

void rf_range_count_steps(struct rf_range_stack *s, struct rf_range_pool *pool, uint64_t n)
{
    pool->n_steps += n > FEW_STEPS ? n : 0;
    s->is_uncertain |= pool->n_steps > MANY_STEPS;
}

/* A range that is open begins behind one that ended: it lies in that no more, and which of them is
 * the shorter one was said before. */
static void cross(struct rf_range_stack *s, struct rf_range_node *range,
                  const struct rf_range_node *ended)
{
    if (range->end_ns != INT64_MAX)
        limit(range, ended);
    s->is_uncertain |= range->is_nested || range->start_ns == ended->start_ns;
}

/* Gives the range of a node of a list another one around others. Returns it, or RF_NO_INDEX. */
static uint32_t add_node(struct rf_range_pool *pool, uint32_t node, uint32_t around, int64_t ns)
{
    const uint32_t i = new_node(pool), first = pool->node[node].range;
    if (i == RF_NO_INDEX)
        return RF_NO_INDEX;
    struct rf_range_node *range = &pool->node[first];
    const uint32_t before = range->has_more ? range->inside : RF_NO_INDEX;
    pool->node[i] = (struct rf_range_node){.start_ns = range->start_ns,
                                           .end_ns = ns,
                                           .of = range->of,
                                           .around = around,
                                           .range = first,
                                           .tag = range->tag,
                                           .n_users = 1};
    range->has_more = true;
    range->inside = around;
    range->n_users++;
    range->n_more++;
    rf_range_pool_use(pool, around); /* of the node, and of its range */
    rf_range_pool_use(pool, around);
    rf_range_pool_drop(pool, before);
    return i;
}

/* The nodes from the last one up to that of the range, which ended, are replaced. */
static int replace(struct rf_range_stack *s, struct rf_range_pool *pool, uint32_t ended,
                   size_t n_behind)
{
    uint32_t *behind = malloc(n_behind * sizeof(*behind));
    const struct rf_range_node of_ended = pool->node[pool->node[ended].range];
    uint32_t around = pool->node[ended].around, i = s->open;
    int status = behind != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t k = 0; k < n_behind && status == RF_OK; k++, i = pool->node[i].around) {
        behind[k] = i;
        cross(s, &pool->node[pool->node[i].range], &of_ended);
    }
    for (size_t k = n_behind; k-- > 0 && status == RF_OK;) {
        around = add_node(pool, behind[k], around, of_ended.end_ns);
        status = around == RF_NO_INDEX ? RF_ERR_NO_MEMORY : RF_OK;
        for (unsigned at = 0; at < pool->n_listeners && status == RF_OK; at++)
            status = pool->listener[at].added(pool->listener[at].context, around);
    }
    for (size_t k = 0; k < n_behind && status == RF_OK; k++)
        rf_range_pool_drop(pool, behind[k]);
    free(behind);
    s->open = status == RF_OK ? around : s->open;
    return status;
}

int rf_range_stack_take(struct rf_range_stack *s, struct rf_range_pool *pool, uint32_t range,
                        int64_t end_ns)
{
    const uint32_t last = s->open;
    uint32_t i = last;
    size_t n_behind = 0;
    for (; i != RF_NO_INDEX && pool->node[i].range != range; i = pool->node[i].around)
        n_behind++;
    if (i == RF_NO_INDEX)
        return RF_OK;
    int status = reserve(s, pool);
    if (status != RF_OK)
        return status;
    set_end(s, pool, i, end_ns);
    *ended_at(s, s->end++) = (struct rf_range_end){end_ns, last};
    pool->n_ended++;
    if (n_behind == 0) {
        s->open = pool->node[i].around;
        return RF_OK;
    }
    rf_range_pool_use(pool, last);
    s->has_crossed = true;
    rf_range_count_steps(s, pool, n_behind);
    status = replace(s, pool, i, n_behind);
    rf_range_pool_drop(pool, i);
    if (status == RF_OK)
        limit_nodes(s, pool);
    return status;
}

void rf_range_stack_leave(struct rf_range_stack *s, struct rf_range_pool *pool, uint32_t range)
{
    s->n_leaving += !pool->node[range].is_leaving;
    pool->node[range].is_leaving = true;
}

int rf_range_stack_take_leaving(struct rf_range_stack *s, struct rf_range_pool *pool,
                                int64_t end_ns)
{
    uint64_t n_steps = 0;
    int status = RF_OK;
    for (uint32_t i = s->open; s->n_leaving > 0 && i != RF_NO_INDEX && status == RF_OK; n_steps++) {
        const uint32_t range = pool->node[i].range;
        i = pool->node[i].around;
        if (!pool->node[range].is_leaving)
            continue;
        pool->node[range].is_leaving = false;
        s->n_leaving--;
        status = rf_range_stack_take(s, pool, range, end_ns);
    }
    rf_range_count_steps(s, pool, n_steps);
    return status;
}

int rf_range_stack_pop(struct rf_range_stack *s, struct rf_range_pool *pool, int64_t end_ns)
{
    return s->open != RF_NO_INDEX ? rf_range_stack_take(s, pool, pool->node[s->open].range, end_ns)
                                  : RF_OK;
}

void rf_range_stack_end(struct rf_range_stack *s, struct rf_range_pool *pool)
{
    while (s->begin < s->end)
        drop_ended(s, pool);
    while (s->open != RF_NO_INDEX) {
        const uint32_t i = s->open;
        s->open = pool->node[i].around;
        rf_range_pool_drop(pool, i);
    }
}

/* ---- Answers ---- */

/* The first one of those that are held which ended then or later. */
static size_t first_ended(const struct rf_range_stack *s, int64_t end_ns)
{
    size_t low = s->begin, high = s->end;
    if (low == high || ended_at(s, high - 1)->ns < end_ns)
        return high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ended_at(s, middle)->ns < end_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where a call comes about as late as ranges are held, more of them are held. */
static void hold_more(const struct rf_range_stack *s, struct rf_range_pool *pool, size_t first)
{
    const size_t n = s->end - s->begin;
    const bool is_full = pool->n_ended >= pool->max_ended || n >= pool->max_of_thread;
    if (!is_full || s->end - first <= n / 2 || pool->max_ended >= pool->most_ended)
        return;
    pool->max_ended *= 2;
    pool->max_used *= 2;
    pool->max_of_thread *= 2;
}

/* What is around the call was open when the first range ended behind it. */
uint32_t rf_range_stack_find(struct rf_range_stack *s, struct rf_range_pool *pool, int64_t start_ns,
                             int64_t end_ns)
{
    const size_t first = first_ended(s, end_ns);
    uint32_t i = first < s->end ? ended_at(s, first)->node : s->open;
    hold_more(s, pool, first);
    s->is_uncertain |= first == s->begin && s->begin > 0; /* it may be one that is not held */
    s->is_uncertain |= first < s->end && start_ns == end_ns &&
                       ended_at(s, first)->ns == end_ns; /* it may lie in what begins there, too */
    uint64_t n_steps = 0;
    for (; i != RF_NO_INDEX && pool->node[i].start_ns > start_ns; n_steps++)
        i = pool->node[i].around;
    rf_range_count_steps(s, pool, n_steps);
    return i;
}

/* How long an open range is at least. */
static uint64_t least_length(const struct rf_range_node *range)
{
    const struct rf_range_stack *s = range->of;
    const int64_t now_ns =
        s->has_ended && s->last_end_ns > s->last_start_ns ? s->last_end_ns : s->last_start_ns;
    return (uint64_t)now_ns - (uint64_t)range->start_ns;
}

/* It is said to be shorter than others that are open, and than one that ended, if there is one. */
static void assume_shorter(struct rf_range_node *range, const struct rf_range_node *ended)
{
    if (range->end_ns == INT64_MAX)
        range->end_ns--; /* something was said */
    if (ended != NULL)
        limit(range, ended);
}

/* Of ranges that cross. Of ranges of one length that which begins last is the inner one. */
static uint32_t shortest(struct rf_range_stack *s, struct rf_range_pool *pool, uint32_t node)
{
    uint32_t ended = RF_NO_INDEX, open = RF_NO_INDEX;
    uint64_t ended_ns = UINT64_MAX;
    bool is_behind = false; /* the one that ended began behind the one that is open */
    uint64_t n_steps = 0;
    for (uint32_t i = node; i != RF_NO_INDEX; i = pool->node[i].around, n_steps++) {
        const uint32_t first = pool->node[i].range;
        const struct rf_range_node *range = &pool->node[first];
        if (range->is_open) {
            open = open == RF_NO_INDEX ? first : open;
            continue;
        }
        const uint64_t ns = length_of(range);
        if (ended != RF_NO_INDEX && ns >= ended_ns)
            continue;
        ended = first;
        ended_ns = ns;
        is_behind = open == RF_NO_INDEX;
    }
    rf_range_count_steps(s, pool, n_steps);
    if (open == RF_NO_INDEX)
        return ended;
    const uint64_t least_ns = least_length(&pool->node[open]);
    if (ended != RF_NO_INDEX && (ended_ns < least_ns || (is_behind && ended_ns == least_ns)))
        return ended;
    assume_shorter(&pool->node[open], ended != RF_NO_INDEX ? &pool->node[ended] : NULL);
    return open;
}

uint32_t rf_range_innermost(struct rf_range_pool *pool, uint32_t node)
{
    struct rf_range_stack *s = node != RF_NO_INDEX ? pool->node[node].of : NULL;
    if (s == NULL || s->is_uncertain)
        return RF_NO_INDEX;
    if (s->has_crossed)
        return shortest(s, pool, node);
    if (pool->node[node].is_open)
        assume_shorter(&pool->node[node], NULL);
    return node;
}

uint32_t rf_range_parent_of(struct rf_range_pool *pool, uint32_t range)
{
    struct rf_range_node *of = &pool->node[range];
    const uint32_t around = around_last(of);
    of->is_nested |= of->is_open && around != RF_NO_INDEX;
    return rf_range_innermost(pool, around);
}
