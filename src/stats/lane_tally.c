/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/lane_tally.h"

#include <stdlib.h>
#include <string.h>

#define VISITS 32 /* per piece that is listed */

int rf_lane_tally_init(struct rf_lane_tally *tally, const rf_recording *rec)
{
    *tally = (struct rf_lane_tally){.rec = rec};
    tally->of_thread = calloc((size_t)rf_n_threads(rec) + 1, sizeof(*tally->of_thread));
    tally->of_function = calloc((size_t)rf_n_strings(rec) + 1, sizeof(*tally->of_function));
    if (tally->of_thread == NULL || tally->of_function == NULL)
        return RF_ERR_NO_MEMORY;
    return rf_range_keys_init(&tally->keys, rec);
}

void rf_lane_tally_release(struct rf_lane_tally *tally)
{
    for (uint32_t t = 0; tally->of_thread != NULL && t < rf_n_threads(tally->rec); t++) {
        rf_lane_release(&tally->of_thread[t].ranges);
        rf_lane_release(&tally->of_thread[t].calls);
    }
    rf_range_keys_release(&tally->keys);
    free(tally->of_thread);
    free(tally->of_key);
    free(tally->of_function);
}

static int list_lanes(struct rf_lane_tally *tally, uint32_t thread)
{
    struct rf_thread_lanes *lanes = &tally->of_thread[thread];
    if (lanes->is_listed)
        return RF_OK;
    lanes->is_listed = true;
    int status = rf_lane_list_ranges(&lanes->ranges, tally->rec, thread);
    if (status == RF_OK)
        status = rf_lane_list_calls(&lanes->calls, tally->rec, thread);
    tally->n_visits += VISITS * (uint64_t)(lanes->ranges.n + lanes->calls.n);
    return status;
}

/* The pieces of a time: from *first to before the returned one. */
static size_t find_pieces(const struct rf_lane *lane, int64_t start_ns, int64_t end_ns,
                          size_t *first)
{
    *first = rf_lane_find(lane, start_ns);
    size_t end = rf_lane_find(lane, end_ns);
    return end + (end < lane->n && lane->piece[end].start_ns < end_ns);
}

static uint64_t part_of(const struct rf_lane_piece *piece, int64_t start_ns, int64_t end_ns)
{
    const int64_t from_ns = piece->start_ns > start_ns ? piece->start_ns : start_ns;
    const int64_t to_ns = piece->end_ns < end_ns ? piece->end_ns : end_ns;
    return (uint64_t)to_ns - (uint64_t)from_ns;
}

/* Adds to a sum of this time and returns it. */
static uint64_t add_to(const struct rf_lane_tally *tally, struct rf_lane_sum *sum, uint64_t ns)
{
    if (sum->number != tally->number)
        *sum = (struct rf_lane_sum){.number = tally->number};
    return sum->ns += ns;
}

/* The key of a range, for which there is a sum; RF_NO_INDEX: out of memory. */
static uint32_t find_key(struct rf_lane_tally *tally, const struct rf_event *range)
{
    uint32_t key = rf_range_keys_find(&tally->keys, range);
    if (key == RF_NO_INDEX || key < tally->n_keys_room)
        return key;
    size_t room = 2 * (size_t)key + 64;
    struct rf_lane_sum *of_key = realloc(tally->of_key, room * sizeof(*of_key));
    if (of_key == NULL)
        return RF_NO_INDEX;
    memset(of_key + tally->n_keys_room, 0, (room - tally->n_keys_room) * sizeof(*of_key));
    tally->of_key = of_key;
    tally->n_keys_room = room;
    return key;
}

static int add_range(struct rf_lane_tally *tally, const struct rf_event *range, uint64_t ns,
                     struct rf_lane_most *most)
{
    const uint32_t key = find_key(tally, range);
    if (key == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    const uint64_t sum_ns = add_to(tally, &tally->of_key[key], ns);
    if (sum_ns > most->range_ns) {
        most->range_ns = sum_ns;
        most->domain = tally->keys.key[key].domain;
        most->message = tally->keys.key[key].name;
    }
    return RF_OK;
}

static void add_call(struct rf_lane_tally *tally, const struct rf_call *call, uint64_t ns,
                     struct rf_lane_most *most)
{
    if (call->name >= rf_n_strings(tally->rec))
        return;
    const uint64_t sum_ns = add_to(tally, &tally->of_function[call->name], ns);
    if (sum_ns > most->call_ns) {
        most->call_ns = sum_ns;
        most->function = call->name;
    }
}

int rf_lane_tally_find(struct rf_lane_tally *tally, uint32_t thread, int64_t start_ns,
                       int64_t end_ns, struct rf_lane_most *most)
{
    size_t range, call;
    *most = (struct rf_lane_most){.domain = RF_NO_INDEX, .function = RF_NO_STRING};
    if (list_lanes(tally, thread) != RF_OK)
        return RF_ERR_NO_MEMORY;
    const struct rf_lane *ranges = &tally->of_thread[thread].ranges;
    const struct rf_lane *calls = &tally->of_thread[thread].calls;
    const size_t ranges_end = find_pieces(ranges, start_ns, end_ns, &range);
    const size_t calls_end = find_pieces(calls, start_ns, end_ns, &call);
    const size_t n_visits = ranges_end - range + calls_end - call;
    most->is_cut = n_visits > tally->n_visits;
    if (most->is_cut)
        return RF_OK;
    tally->n_visits -= n_visits;
    tally->number++;
    for (; range < ranges_end; range++) {
        const struct rf_lane_piece *piece = &ranges->piece[range];
        if (add_range(tally, rf_thread_event_at(tally->rec, thread, piece->index),
                      part_of(piece, start_ns, end_ns), most) != RF_OK)
            return RF_ERR_NO_MEMORY;
    }
    for (; call < calls_end; call++) {
        const struct rf_lane_piece *piece = &calls->piece[call];
        add_call(tally, rf_thread_call_at(tally->rec, thread, piece->index),
                 part_of(piece, start_ns, end_ns), most);
    }
    return RF_OK;
}
