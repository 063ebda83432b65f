/* SPDX-License-Identifier: Apache-2.0 */
/* A pair of LTTng-UST tracepoints, the first with a 24-byte text, against the floor: the same
 * rounds as bench_record's. Run while a session records the events rf_bench:*. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_provider.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

static void run(int n)
{
    for (int i = 0; i < n; i++) {
        lttng_ust_tracepoint(rf_bench, push, "a message of 24 bytes ab");
        lttng_ust_tracepoint(rf_bench, pop);
    }
}

static double timed(void (*what)(int n), int n)
{
    int64_t before = measure_now_ns();
    what(n);
    return (double)(measure_now_ns() - before);
}

static double burst(void (*what)(int n))
{
    double total = 0;
    what(500);
    for (int i = 0; i < 40; i++) {
        struct timespec pause = {0, 200000};
        (void)nanosleep(&pause, NULL);
        total += timed(what, 500);
    }
    return total / (40 * 500);
}

int main(int argc, char **argv)
{
    static double floor_ns[MEASURE_MAX_ROUNDS];
    static double pair_ns[MEASURE_MAX_ROUNDS];
    int rounds = measure_rounds(argc > 1 ? argv[1] : NULL);
    int is_flat = argc > 2 && strcmp(argv[2], "flat") == 0;
    measure_pin(measure_n_cores() - 1);
    for (int i = 0; i < rounds; i++) {
        floor_ns[i] = is_flat ? timed(measure_floor, 100000) / 100000 : burst(measure_floor);
        pair_ns[i] = is_flat ? timed(run, 100000) / 100000 : burst(run);
    }
    measure_title(is_flat ? "flat out" : "bursts", "ns per pair of tracepoints");
    double floor_min = measure_quantile(floor_ns, rounds, 0);
    double pair_min = measure_quantile(pair_ns, rounds, 0);
    measure_row("floor: 2 clock reads + 2 x 32 B", floor_min,
                measure_quantile(floor_ns, rounds, 0.5), 1, 0);
    measure_row("push, 24 B text, and pop", pair_min, measure_quantile(pair_ns, rounds, 0.5),
                pair_min / floor_min, 0);
    return 0;
}
