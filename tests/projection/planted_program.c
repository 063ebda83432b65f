/* SPDX-License-Identifier: Apache-2.0 */
#include "planted_program.h"

#include <math.h>

#include "built_recording.h"
#include "model/recording.h"

static double uniform(struct planted_program *p)
{
    p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(p->seed >> 11) / (double)(1ULL << 53);
}

/* Log-normal around 1. */
static double noise(struct planted_program *p)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += uniform(p);
    return exp(p->noise * (sum - 6));
}

static int64_t some(struct planted_program *p, int64_t ns)
{
    return (int64_t)((double)ns * noise(p));
}

static void range(struct planted_program *p, const char *name, int64_t ns)
{
    (void)built_range(p->rec, p->thread, p->at, p->at + ns, 0, name);
    p->at += ns;
}

/* A call that waits for a copy, which takes as long. */
static void wait_for_copy(struct planted_program *p, int64_t ns)
{
    uint32_t call = built_call(p->rec, p->thread, p->at, p->at + ns);
    (void)built_op(p->rec, RF_OP_MEMCPY, p->at, p->at + ns, p->thread, call, NULL);
    p->at += ns;
}

static int64_t copy_ns(const struct planted_program *p, bool is_slow)
{
    if (p->cause == PLANTED_GPU_BOUND || p->cause == PLANTED_GPU_SLOW)
        return is_slow && p->cause == PLANTED_GPU_SLOW ? 6000000 : 2000000;
    return is_slow && p->cause == PLANTED_LATE_COPY ? 320000 : 40000;
}

static void load(struct planted_program *p, bool is_slow)
{
    int64_t read = some(p, 100000) * (is_slow && p->cause == PLANTED_SLOW_CHILD ? 6 : 1);
    int64_t decode = some(p, 50000), at = p->at;
    (void)built_range(p->rec, p->thread, at, at + read + decode, 0, "load");
    range(p, "read", read);
    range(p, "decode", decode);
}

static void forward(struct planted_program *p, bool is_slow)
{
    int n = is_slow && p->cause == PLANTED_MORE_LAYERS ? 12 : 4;
    int64_t ns[12] = {0}, all = 0;
    for (int i = 0; i < n; i++)
        all += ns[i] = some(p, 80000);
    (void)built_range(p->rec, p->thread, p->at, p->at + all, 0, "forward");
    for (int i = 0; i < n; i++)
        range(p, "layer", ns[i]);
}

/* The time of a step is known when what is in it is: its range is added first, and made longer. */
static void step(struct planted_program *p)
{
    bool is_slow = uniform(p) < 0.05;
    uint32_t i = built_range(p->rec, p->thread, p->at, p->at, 0, "step");
    load(p, is_slow);
    p->at += some(p, 2000) + (is_slow && p->cause == PLANTED_LAUNCH_GAP ? 300000 : 0);
    forward(p, is_slow);
    wait_for_copy(p, some(p, copy_ns(p, is_slow)));
    if (is_slow && p->cause == PLANTED_LOCK)
        range(p, "wait for the lock", some(p, 250000));
    range(p, "optimizer", some(p, 60000));
    p->rec->events[p->thread].event[i].end_ns = p->at;
    p->at += 1000;
}

/* Takes the core away, once in 20 steps, at any moment: what is open then is longer. */
static void preempt(struct planted_program *p)
{
    struct rf_thread_events *events = &p->rec->events[p->thread];
    struct rf_thread_calls *calls = &p->rec->calls[p->thread];
    for (int k = 0; k < PLANTED_STEPS / 20; k++) {
        int64_t moment = (int64_t)(uniform(p) * (double)p->at), more = 400000;
        for (size_t i = 0; i < events->n; i++) {
            events->event[i].end_ns += events->event[i].end_ns > moment ? more : 0;
            events->event[i].start_ns += events->event[i].start_ns > moment ? more : 0;
        }
        for (size_t i = 0; i < calls->n; i++) {
            calls->call[i].end_ns += calls->call[i].end_ns > moment ? more : 0;
            calls->call[i].start_ns += calls->call[i].start_ns > moment ? more : 0;
        }
        p->at += more;
    }
}

struct planted_program planted_run(enum planted_cause cause, uint64_t seed, double how_noisy)
{
    struct planted_program p = {
        .seed = seed, .cause = cause, .rec = built_new(), .noise = how_noisy};
    p.thread = built_thread(p.rec, 0, 101);
    for (int i = 0; i < PLANTED_STEPS; i++)
        step(&p);
    if (cause == PLANTED_PREEMPTED)
        preempt(&p);
    return p;
}
