/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/replayed_open.h"

#include <stdlib.h>

#include "base/map.h"
#include "model/load/namings.h"

void rf_replayed_release(struct rf_replayed_thread *thread)
{
    free(thread->decoded.memory);
    free(thread->decoded.stack);
    rf_map_release(&thread->decoded.stack_of);
    rf_range_stack_release(&thread->ranges);
    rf_kept_ranges_release(&thread->kept);
    free(thread->start);
    *thread = (struct rf_replayed_thread){.has_begun = false};
}

/* Links are places. */
void rf_replayed_remove_push(struct rf_replayed_thread *thread, struct rf_range_pool *pool,
                             uint32_t i)
{
    struct rf_load_thread *decoded = &thread->decoded;
    if (i + 1 == decoded->n) {
        decoded->n--;
        return;
    }
    rf_range_count_steps(&thread->ranges, pool, 2 * (decoded->n - i) + decoded->n_stacks);
    for (size_t k = i; k + 1 < decoded->n; k++)
        decoded->event[k] = decoded->event[k + 1];
    decoded->n--;
    for (uint32_t k = 0; k < decoded->n_stacks; k++)
        if (decoded->stack[k].top != RF_NO_INDEX && decoded->stack[k].top > i)
            decoded->stack[k].top--;
    for (size_t k = i; k < decoded->n; k++)
        if (decoded->event[k].link != RF_NO_INDEX && decoded->event[k].link > i)
            decoded->event[k].link--;
}

void rf_replayed_remove_start(struct rf_replayed_thread *thread, struct rf_range_pool *pool,
                              size_t i)
{
    const size_t at_once = 8; /* as fast as one step elsewhere */
    rf_range_count_steps(&thread->ranges, pool, (thread->n_starts - i) / at_once);
    for (thread->n_starts--; i < thread->n_starts; i++)
        thread->start[i] = thread->start[i + 1];
}

size_t rf_replayed_find_start(const struct rf_replayed_thread *thread, uint64_t id)
{
    size_t low = 0, high = thread->n_starts;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (thread->start[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < thread->n_starts && thread->start[low].id == id ? low : thread->n_starts;
}

static void note_ending(struct rf_replayed_ending *first, int64_t ns, int64_t start_ns,
                        struct rf_event *push, size_t start)
{
    if (ns < first->ns || (ns == first->ns && start_ns > first->start_ns))
        *first = (struct rf_replayed_ending){ns, start_ns, push, start};
}

struct rf_replayed_ending rf_replayed_first_ending(const struct rf_load *load,
                                                   struct rf_replayed_thread *thread,
                                                   struct rf_range_pool *pool)
{
    struct rf_replayed_ending first = {.ns = INT64_MAX};
    rf_range_count_steps(&thread->ranges, pool, thread->decoded.n + thread->n_starts);
    for (size_t i = thread->decoded.n; i-- > 0;) {
        struct rf_event *push = &thread->decoded.event[i];
        const int64_t ns = push->color != RF_NO_INDEX
                               ? rf_load_destroyed_ns(load, push->domain, push->start_ns)
                               : RF_NO_TIME;
        if (ns != RF_NO_TIME)
            note_ending(&first, ns, push->start_ns, push, 0);
    }
    for (size_t i = thread->n_starts; i-- > 0;)
        if (thread->start[i].ends_ns != RF_NO_TIME)
            note_ending(&first, thread->start[i].ends_ns, thread->start[i].start_ns, NULL, i + 1);
    return first;
}

enum rf_replayed_kind rf_replayed_next_waiting(const struct rf_replayed_thread *thread,
                                               struct rf_replayed_place *at)
{
    const struct rf_event *push = thread->decoded.event;
    while (at->push < thread->decoded.n && push[at->push].color != RF_REPLAY_WAITS)
        at->push++;
    while (at->start < thread->n_starts && thread->start[at->start].node != RF_REPLAY_WAITS)
        at->start++;
    if (at->push == thread->decoded.n)
        return at->start < thread->n_starts ? RF_REPLAYED_START : RF_REPLAYED_NONE;
    if (at->start == thread->n_starts)
        return RF_REPLAYED_PUSH;
    const int64_t push_ns = push[at->push].start_ns, start_ns = thread->start[at->start].start_ns;
    return push_ns == start_ns  ? RF_REPLAYED_EITHER
           : push_ns < start_ns ? RF_REPLAYED_PUSH
                                : RF_REPLAYED_START;
}
