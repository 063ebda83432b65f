/* SPDX-License-Identifier: Apache-2.0 */
/* What an annotation costs the program, against a floor measured in the same rounds: two reads of
 * the time stamp counter and two 32-byte stores to a 64 KiB ring, which is what any recorder of
 * begin and end must do.
 *
 * Run under a tool (NVTX_INJECTION64_PATH, `rangefinder profile`, `nsys profile`) or without one:
 *
 *     bench_record [ROUNDS] [burst|flat|all] [CASE]
 *
 * Each round runs every case once, in turn. "burst": 500 ranges, then a pause in which the
 * recorder's reader can catch up; a round's value is the mean of 40 bursts, so that what a recorder
 * does once per buffer is in it. "flat": without pause, 1,000,000 ranges (100,000 if only one CASE
 * is asked for, since not every tool survives more). */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

#define BURST    500
#define N_BURSTS 40
#define N_MANY   4096

static nvtxDomainHandle_t domain;
static nvtxEventAttributes_t full;
static char reused[64];
static char (*many)[32];
static const char text24[] = "a message of 24 bytes ab";
static const char text65[] = "a longer message of sixty-five bytes, as C++ function names are...";

static void run_push24(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxRangePushA(text24);
        nvtxRangePop();
    }
}

static void run_push65(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxRangePushA(text65);
        nvtxRangePop();
    }
}

/* One buffer whose text changes before each range: the copy must read what was just stored. */
static void run_reused(int n)
{
    for (int i = 0; i < n; i++) {
        reused[0] = (char)('a' + (i & 15));
        nvtxRangePushA(reused);
        nvtxRangePop();
    }
}

static void run_new(int n)
{
    static unsigned at;
    for (int i = 0; i < n; i++) {
        nvtxRangePushA(many[at++ & (N_MANY - 1)]);
        nvtxRangePop();
    }
}

static void run_full(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxDomainRangePushEx(domain, &full);
        nvtxDomainRangePop(domain);
    }
}

static void run_start_end(int n)
{
    for (int i = 0; i < n; i++)
        nvtxRangeEnd(nvtxRangeStartA(text24));
}

static void run_mark(int n)
{
    for (int i = 0; i < n; i++)
        nvtxMarkA(text24);
}

struct bench_case {
    const char *name;
    void (*run)(int n);
    double target; /* of the bursts: ratio to the floor */
};

static const struct bench_case cases[] = {
    {"floor: 2 clock reads + 2 x 32 B", measure_floor, 0},
    {"push/pop, 24 B text", run_push24, 1.5},
    {"push/pop, 65 B text", run_push65, 1.7},
    {"push/pop, buffer reused", run_reused, 1.7},
    {"push/pop, text always new", run_new, 1.7},
    {"push/pop, registered, domain, color, category, payload", run_full, 1.65},
    {"start/end, 24 B text", run_start_end, 1.65},
    {"mark, 24 B text", run_mark, 0.8},
};
#define N_CASES ((int)(sizeof(cases) / sizeof(cases[0])))

static double results[N_CASES][MEASURE_MAX_ROUNDS];

static double burst(const struct bench_case *c)
{
    int64_t total = 0;
    c->run(BURST); /* the code and the texts come into the caches */
    for (int i = 0; i < N_BURSTS; i++) {
        struct timespec pause = {0, 200000};
        (void)nanosleep(&pause, NULL);
        int64_t before = measure_now_ns();
        c->run(BURST);
        total += measure_now_ns() - before;
    }
    return (double)total / (BURST * N_BURSTS);
}

static double flat(const struct bench_case *c, int n)
{
    int64_t before = measure_now_ns();
    c->run(n);
    return (double)(measure_now_ns() - before) / n;
}

static void measure(int is_flat, int rounds, int only)
{
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < N_CASES; i++)
            if (only < 0 || i == 0 || i == only)
                results[i][round] =
                    is_flat ? flat(&cases[i], only < 0 ? 1000000 : 100000) : burst(&cases[i]);
    measure_title(is_flat ? "flat out" : "bursts", "ns per range or mark; ratio to the floor");
    double floor_min = measure_quantile(results[0], rounds, 0);
    for (int i = 0; i < N_CASES; i++) {
        if (only >= 0 && i != 0 && i != only)
            continue;
        double min = measure_quantile(results[i], rounds, 0);
        measure_row(cases[i].name, min, measure_quantile(results[i], rounds, 0.5), min / floor_min,
                    is_flat ? 0 : cases[i].target);
    }
}

static int prepare(void)
{
    domain = nvtxDomainCreateA("bench");
    full.version = NVTX_VERSION;
    full.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    full.category = 7;
    full.colorType = NVTX_COLOR_ARGB;
    full.color = 0xff00ff00;
    full.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    full.payload.ullValue = 42;
    full.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    full.message.registered = nvtxDomainRegisterStringA(domain, text24);
    memcpy(reused, text24, sizeof(text24));
    many = calloc(N_MANY, sizeof(*many));
    for (int i = 0; many != NULL && i < N_MANY; i++)
        (void)snprintf(many[i], sizeof(many[i]), "message number %08d", i);
    return many != NULL;
}

int main(int argc, char **argv)
{
    int rounds = measure_rounds(argc > 1 ? argv[1] : NULL);
    const char *mode = argc > 2 ? argv[2] : "all";
    int only = argc > 3 ? atoi(argv[3]) : -1;
    measure_pin(measure_n_cores() - 1);
    if (!prepare())
        return 1;
    if (strcmp(mode, "flat") != 0)
        measure(0, rounds, only);
    if (strcmp(mode, "burst") != 0)
        measure(1, rounds, only);
    free(many);
    return 0;
}
