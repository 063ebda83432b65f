/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/queue_depths.h"

#include <stdbool.h>
#include <stdlib.h>

#include "stats/gpu_pieces.h"

static int compare_times(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Most tracks are in order already. */
static void sort_times(int64_t *ns, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (ns[i - 1] > ns[i]) {
            qsort(ns, n, sizeof(*ns), compare_times);
            return;
        }
}

int rf_queue_depths_init(struct rf_queue_depths *depths, const rf_recording *rec)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    *depths = (struct rf_queue_depths){.rec = rec};
    depths->called_ns = malloc((n + 1) * sizeof(*depths->called_ns));
    depths->ended_ns = malloc((n + 1) * sizeof(*depths->ended_ns));
    if (depths->called_ns == NULL || depths->ended_ns == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const struct rf_call *call = rf_call_of_work(rec, &op[i]);
        int64_t called_ns = call != NULL ? call->start_ns : op[i].start_ns;
        if (op[i].kind == RF_OP_SYNC || called_ns == INT64_MAX) /* no work, or never counted */
            depths->called_ns[i] = depths->ended_ns[i] = INT64_MAX;
        else {
            depths->called_ns[i] = called_ns;
            depths->ended_ns[i] = op[i].end_ns > called_ns ? op[i].end_ns : called_ns + 1;
        }
    }
    for (uint32_t t = 0; t < rf_n_gpu_tracks(rec); t++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, t);
        sort_times(depths->called_ns + track->first_op, track->n_ops);
        sort_times(depths->ended_ns + track->first_op, track->n_ops);
    }
    return RF_OK;
}

void rf_queue_depths_release(struct rf_queue_depths *depths)
{
    free(depths->called_ns);
    free(depths->ended_ns);
}

/* How many of n sorted times are before a time. */
static size_t count_before(const int64_t *times, size_t n, int64_t ns)
{
    size_t low = 0;
    while (n > 0) {
        size_t half = n / 2;
        bool is_before = times[low + half] < ns;
        low = is_before ? low + half + 1 : low;
        n = is_before ? n - half - 1 : half;
    }
    return low;
}

uint64_t rf_queue_depth_at(const struct rf_queue_depths *depths, uint32_t track, int64_t ns)
{
    const struct rf_gpu_track *of = rf_gpu_track_at(depths->rec, track);
    if (ns == INT64_MAX)
        return 0;
    return count_before(depths->called_ns + of->first_op, of->n_ops, ns) -
           count_before(depths->ended_ns + of->first_op, of->n_ops, ns + 1);
}
