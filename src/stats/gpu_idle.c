/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/gpu_idle.h"

#include <stdlib.h>

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
        free(idle->of_thread[t].mark);
    free(idle->of_thread);
    rf_waiting_functions_release(&idle->waiting);
}

/* ---- What a thread did ---- */

/* Adds what a call launched or waited before a time. Of calls that overlap the earlier one counts.
 */
static void add_call(struct rf_gpu_idle *idle, const struct rf_call *call, int64_t ns,
                     struct rf_host_mark *sum)
{
    const int64_t start_ns = call->start_ns > sum->end_ns ? call->start_ns : sum->end_ns;
    const int64_t end_ns = call->end_ns < ns ? call->end_ns : ns;
    if (call->kind == RF_CALL_OS || start_ns >= call->end_ns)
        return;
    if (rf_waiting_functions_have(&idle->waiting, call))
        sum->other_ns += (uint64_t)end_ns - (uint64_t)start_ns;
    else if (call->first_op != RF_NO_INDEX)
        sum->launch_ns += (uint64_t)end_ns - (uint64_t)start_ns;
    else
        return;
    sum->end_ns = call->end_ns;
}

static int list_host(struct rf_gpu_idle *idle, uint32_t thread, const struct rf_host_lane **out)
{
    struct rf_host_lane *lane = &idle->of_thread[thread];
    struct rf_host_mark sum = {.end_ns = INT64_MIN};
    *out = lane;
    if (lane->mark != NULL)
        return RF_OK;
    lane->idle = idle;
    lane->call = rf_thread_calls(idle->rec, thread, &lane->n_calls);
    lane->mark = malloc((lane->n_calls / RF_CALLS_OF_A_MARK + 1) * sizeof(*lane->mark));
    for (size_t i = 0; i < lane->n_calls && lane->mark != NULL; i++) {
        if (i % RF_CALLS_OF_A_MARK == 0)
            lane->mark[i / RF_CALLS_OF_A_MARK] = sum;
        add_call(idle, &lane->call[i], INT64_MAX, &sum);
    }
    return lane->mark != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

/* The number of marks before a time: their calls begin, and what came before them ended. */
static size_t marks_before(const struct rf_host_lane *lane, int64_t ns)
{
    size_t low = 0;
    for (size_t n = (lane->n_calls + RF_CALLS_OF_A_MARK - 1) / RF_CALLS_OF_A_MARK; n > 0;) {
        const size_t half = n / 2, at = low + half;
        bool is_before =
            lane->call[at * RF_CALLS_OF_A_MARK].start_ns < ns && lane->mark[at].end_ns <= ns;
        low = is_before ? at + 1 : low;
        n = is_before ? n - half - 1 : half;
    }
    return low;
}

/* Adds, or with sign -1 takes away, what there was before a time. */
static void add_before(const struct rf_host_lane *lane, int64_t ns, uint64_t sign,
                       uint64_t sums[RF_N_IDLE_REASONS])
{
    const size_t n = marks_before(lane, ns);
    if (n == 0)
        return;
    struct rf_host_mark sum = lane->mark[n - 1];
    for (size_t i = (n - 1) * RF_CALLS_OF_A_MARK;
         i < lane->n_calls && lane->call[i].start_ns < ns && sum.end_ns < ns; i++)
        add_call(lane->idle, &lane->call[i], ns, &sum);
    sums[RF_IDLE_LAUNCH] += sign * sum.launch_ns;
    sums[RF_IDLE_OTHER] += sign * sum.other_ns;
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
