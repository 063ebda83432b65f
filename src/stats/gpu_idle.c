/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/gpu_idle.h"

#include <stdlib.h>

#include "base/grow.h"
#include "stats/gpu_pieces.h"

int rf_gpu_idle_init(struct rf_gpu_idle *idle, const rf_recording *rec)
{
    *idle = (struct rf_gpu_idle){.rec = rec};
    idle->of_thread = calloc((size_t)rf_n_threads(rec) + 1, sizeof(*idle->of_thread));
    int status = rf_waiting_functions_init(&idle->waiting, rec);
    return idle->of_thread != NULL ? status : RF_ERR_NO_MEMORY;
}

void rf_gpu_idle_release(struct rf_gpu_idle *idle)
{
    for (uint32_t t = 0; idle->of_thread != NULL && t < rf_n_threads(idle->rec); t++)
        free(idle->of_thread[t].piece);
    free(idle->of_thread);
    rf_waiting_functions_release(&idle->waiting);
}

/* ---- What a thread did ---- */

/* Of calls that overlap the earlier one counts. */
static int add_piece(struct rf_host_lane *lane, const struct rf_call *call,
                     enum rf_idle_reason reason)
{
    struct rf_host_piece piece = {call->start_ns, call->end_ns, reason, {0}};
    if (lane->n > 0) {
        const struct rf_host_piece *last = &lane->piece[lane->n - 1];
        if (last->end_ns > piece.start_ns)
            piece.start_ns = last->end_ns;
        for (int r = 0; r < RF_N_IDLE_REASONS; r++)
            piece.before_ns[r] = last->before_ns[r];
        piece.before_ns[last->reason] += (uint64_t)last->end_ns - (uint64_t)last->start_ns;
    }
    if (piece.start_ns >= piece.end_ns)
        return RF_OK;
    if (rf_grow_array(&lane->piece, lane->n, &lane->room, sizeof(*lane->piece)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    lane->piece[lane->n++] = piece;
    return RF_OK;
}

static int list_host(struct rf_gpu_idle *idle, uint32_t thread, const struct rf_host_lane **out)
{
    struct rf_host_lane *lane = &idle->of_thread[thread];
    size_t n = 0;
    const struct rf_call *call = rf_thread_calls(idle->rec, thread, &n);
    int status = RF_OK;
    *out = lane;
    for (size_t i = 0; i < n && status == RF_OK && !lane->is_listed; i++) {
        if (call[i].kind == RF_CALL_OS)
            continue;
        if (rf_waiting_functions_have(&idle->waiting, &call[i]))
            status = add_piece(lane, &call[i], RF_IDLE_OTHER);
        else if (call[i].first_op != RF_NO_INDEX)
            status = add_piece(lane, &call[i], RF_IDLE_LAUNCH);
    }
    lane->is_listed = true;
    return status;
}

/* Adds, or with sign -1 takes away, what there was before a time. */
static void add_before(const struct rf_host_lane *lane, int64_t ns, uint64_t sign,
                       uint64_t sums[RF_N_IDLE_REASONS])
{
    size_t low = 0;
    for (size_t n = lane->n; n > 0;) {
        size_t half = n / 2;
        bool is_before = lane->piece[low + half].start_ns < ns;
        low = is_before ? low + half + 1 : low;
        n = is_before ? n - half - 1 : half;
    }
    if (low == 0)
        return;
    const struct rf_host_piece *last = &lane->piece[low - 1];
    const int64_t end_ns = last->end_ns < ns ? last->end_ns : ns;
    for (int r = 0; r < RF_N_IDLE_REASONS; r++)
        sums[r] += sign * last->before_ns[r];
    sums[last->reason] += sign * ((uint64_t)end_ns - (uint64_t)last->start_ns);
}

/* ---- Gaps ---- */

bool rf_was_called_before(const struct rf_call *call, int64_t from_ns)
{
    return call == NULL || (call->start_ns < from_ns && call->end_ns <= from_ns);
}

int rf_gpu_idle_find(struct rf_gpu_idle *idle, int64_t from_ns, const struct rf_gpu_op *op,
                     struct rf_gpu_gap *gap)
{
    const struct rf_call *call = rf_call_of_work(idle->rec, op);
    *gap = (struct rf_gpu_gap){op->start_ns, op->start_ns, true, NULL};
    if (rf_was_called_before(call, from_ns))
        return RF_OK;
    gap->is_other = false;
    if (call->start_ns < op->start_ns)
        gap->asked_ns = call->start_ns > from_ns ? call->start_ns : from_ns;
    if (call->end_ns < INT64_MAX - RF_LAUNCH_NS && call->end_ns + RF_LAUNCH_NS < op->start_ns)
        gap->launched_ns = call->end_ns + RF_LAUNCH_NS;
    return list_host(idle, op->thread, &gap->host);
}

static int64_t within(int64_t ns, int64_t from_ns, int64_t to_ns)
{
    return ns < from_ns ? from_ns : ns < to_ns ? ns : to_ns;
}

void rf_gpu_gap_add(const struct rf_gpu_gap *gap, int64_t from_ns, int64_t to_ns,
                    uint64_t ns[RF_N_IDLE_REASONS])
{
    const int64_t asked_ns = within(gap->asked_ns, from_ns, to_ns);
    const int64_t launched_ns = within(gap->launched_ns, asked_ns, to_ns);
    uint64_t until_asked[RF_N_IDLE_REASONS] = {0};
    if (gap->is_other) {
        ns[RF_IDLE_OTHER] += (uint64_t)to_ns - (uint64_t)from_ns;
        return;
    }
    add_before(gap->host, asked_ns, 1, until_asked);
    add_before(gap->host, from_ns, UINT64_MAX, until_asked);
    ns[RF_IDLE_HOST] += (uint64_t)asked_ns - (uint64_t)from_ns - until_asked[RF_IDLE_LAUNCH] -
                        until_asked[RF_IDLE_OTHER];
    ns[RF_IDLE_LAUNCH] += (uint64_t)launched_ns - (uint64_t)asked_ns + until_asked[RF_IDLE_LAUNCH];
    ns[RF_IDLE_OTHER] += (uint64_t)to_ns - (uint64_t)launched_ns + until_asked[RF_IDLE_OTHER];
}
