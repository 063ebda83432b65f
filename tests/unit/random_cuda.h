/* SPDX-License-Identifier: Apache-2.0 */
/* Random recordings with ranges, calls and GPU work. */
#ifndef TESTS_UNIT_RANDOM_CUDA_H
#define TESTS_UNIT_RANDOM_CUDA_H

#include "rf_counter_writer.h"
#include "rf_cuda_writer.h"
#include "rf_payload_writer.h"
#include "random_payloads.h"
#include "random_windows.h"
#include "unit.h"

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* What is not as usual. */
struct kind {
    bool has_losses, has_threads, crosses, has_starts, has_ties, has_destroyed;
    bool ends_elsewhere, ends_late, ends_never; /* of start/end ranges */
    bool has_long;                              /* one that is open for most of the time */
    bool has_collectives;
    bool has_captures; /* it is of a focused run */
    bool has_windows;  /* the same, with many captures */
    bool has_long_calls;
    bool has_parts;                                 /* streams of several */
    bool has_handlers;                              /* threads have a second stream */
    bool has_deferred;                              /* ranges with times of their own */
    bool has_payloads, has_named, has_end_payloads; /* of some, random_payloads.h; at ends, too */
};

enum { REDUCE = 1 << 24, RANKED, DEFERRED }; /* schemas of what collectives say */
#define NCCL_KERNEL  77u
#define FIRST_KERNEL 50u /* of six */

/* A thread that annotates and calls, and where its records stand. */
struct thread {
    struct rfw_stream *ranges, *calls, *work, *partner, *handler;
    uint64_t domain, nccl;
    uint32_t tid, next_id;
    uint64_t started[8]; /* ranges that are open; 0: none */
};

static void add_call(struct thread *t, int64_t start_ns, int64_t end_ns)
{
    const uint32_t id = ++t->next_id;
    const uint32_t track = dice(2) == 0 ? 7 : 13;
    const int64_t work_ns = start_ns + (int64_t)dice(400) - (dice(20) == 0 ? 30 : 0);
    if (dice(10) != 0) /* or the work has no call */
        rfw_cuda_call(t->calls, t->tid, start_ns, end_ns, id,
                      dice(9) == 0 ? RFW_MEMCPY : RFW_LAUNCH);
    if (dice(5) == 0)
        rfw_cuda_call(t->calls, t->tid, start_ns + 1, end_ns - 1, id, RFW_CU_LAUNCH);
    if (dice(8) == 0) /* the call has no work */
        return;
    if (dice(8) == 0)
        rfw_cuda_copy(t->work, work_ns, work_ns + 5, id, track, dice(100));
    else
        rfw_cuda_kernel(t->work, work_ns, work_ns + (int64_t)dice(100), id, track,
                        FIRST_KERNEL + (uint32_t)dice(6));
}

static void add_payload(struct thread *t, const struct kind *kind)
{
    if (kind->has_payloads)
        add_random_payload(t->ranges, kind->has_named, dice);
}

/* A start/end range, and the end of one before it: in the partner's stream where others end them.
 */
static void add_start(struct thread *t, int64_t ns, const struct rfw_attr *attr,
                      const struct kind *kind)
{
    const size_t i = dice(kind->ends_late ? 8 : 1);
    const uint64_t before = t->started[i];
    const bool is_elsewhere = kind->ends_elsewhere && dice(3) == 0;
    t->started[i] = rfw_start(t->ranges, ns, attr);
    add_payload(t, kind);
    if (!kind->ends_late) {
        rfw_end(t->ranges, ns + 10, t->started[i]);
    } else if (before != 0 && (!kind->ends_never || dice(5) != 0)) {
        rfw_end(is_elsewhere ? t->partner : t->ranges, ns + 3, before);
        if (!kind->ends_elsewhere && dice(10) == 0) /* which has no effect */
            rfw_end(t->ranges, ns + 4, before);
    }
}

static uint64_t define_collectives(struct rfw *w, uint32_t p)
{
    static const struct rfw_entry reduce[] = {{0, 17, "NCCL communicator ID", 0, 0},
                                              {0, 17, "Message size [bytes]", 0, 8}},
                                  ranked[] = {{0, 17, "bytes", 0, 0}, {0, 17, "NCCL rank", 0, 8}};
    const uint64_t nccl = rfw_domain(w, p, 1, 10, "NCCL");
    rfw_cuda_def(w, p, 5, RF_CUDA_DEF_KERNEL, NCCL_KERNEL, 0, 0,
                 "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    rfw_define_schema(
        w, p, &(struct rfw_schema){.id = REDUCE, .domain = (uint32_t)nccl, .size = 16}, reduce, 2);
    rfw_define_schema(
        w, p, &(struct rfw_schema){.id = RANKED, .domain = (uint32_t)nccl, .size = 16}, ranked, 2);
    return nccl;
}

/* A range of NCCL, most often around a kernel of it. */
static void add_collective(struct thread *t, struct rfw_stream *s, int64_t ns,
                           const struct kind *kind)
{
    static const char *const names[] = {"ncclAllReduce", "ncclGroupStart", "ncclBcast"};
    const uint64_t values[] = {dice(3), dice(1000)};
    const struct rfw_attr attr = {.text = names[dice(3)], .domain = t->nccl};
    const bool is_start = dice(4) == 0;
    uint64_t id = 0;
    if (is_start)
        id = rfw_start(s, ns, &attr);
    else
        rfw_push(s, ns, &attr);
    if (dice(4) != 0)
        rfw_payload(s, dice(3) == 0 ? RANKED : REDUCE, values, dice(10) == 0 ? 8 : 16, 16, 0);
    if (dice(3) != 0) {
        rfw_cuda_call(t->calls, t->tid, ns + 1, ns + 3, ++t->next_id, RFW_LAUNCH);
        rfw_cuda_kernel(t->work, ns + 5, ns + 7 + (int64_t)dice(50), t->next_id, 7, NCCL_KERNEL);
    }
    if (is_start)
        rfw_end(s, ns + 8, id);
    else if (!kind->crosses || dice(20) != 0)
        rfw_pop(s, ns + 8, t->nccl);
}

/* A signal handler annotates, and calls. */
static void add_handled(struct thread *t, int64_t ns)
{
    rfw_push(t->handler, ns, &(struct rfw_attr){.text = "handle"});
    add_call(t, ns + 2, ns + 6);
    rfw_pop(t->handler, ns + 8, 0);
}

/* Push/pop ranges whose times they say themselves. */
static void define_deferred(struct rfw *w, uint32_t p, uint64_t domain)
{
    const uint64_t time = 2u << 10, begins = 1u << 12, ends = 2u << 12;
    const struct rfw_entry entries[] = {{time | begins, 17, "begin", 0, 0},
                                        {time | ends, 17, "end", 0, 8}};
    rfw_define_schema(w, p,
                      &(struct rfw_schema){
                          .id = DEFERRED, .domain = (uint32_t)domain, .flags = 2u << 3, .size = 16},
                      entries, 2);
}

static void add_deferred(struct thread *t, int64_t ns)
{
    const uint64_t of_thread = 22;
    int64_t times[2] = {(int64_t)RFW_TICKS_0 + ns - (int64_t)dice(200), 0};
    times[1] = times[0] + (int64_t)dice(150);
    rfw_batch(t->ranges, ns, (uint32_t)t->domain, DEFERRED, of_thread, 0, 0);
    rfw_array(t->ranges, ns, 0, times, sizeof(times));
}

static void add_ranges(struct thread *t, size_t n, const struct kind *kind)
{
    static const char *const names[] = {"step",    "load 1",  "step 17", "load 25",
                                        "forward", "step 12", "load",    "a name of some words"};
    uint64_t open[6];
    size_t depth = 0;
    int64_t ns = 1000;
    uint64_t all = 0; /* a range around most of them */
    if (kind->has_long)
        all = rfw_start(t->ranges, ns, &(struct rfw_attr){.text = "all"});
    for (size_t i = 0; i < n; i++) {
        if (kind->has_long && i == n - n / 8)
            rfw_end(t->ranges, ns + 15, all);
        const uint64_t what = dice(100), d = depth % 2 * t->domain;
        struct rfw_attr attr = {.text = names[(depth + dice(2)) % 4 + 4 * dice(2)], .domain = d};
        if (kind->has_payloads)
            set_random_payload(&attr, dice);
        ns += (int64_t)(kind->has_ties ? dice(3) : 20 + dice(30));
        if (what < 35 && depth < 6) {
            rfw_push(t->ranges, ns, &attr);
            add_payload(t, kind);
            open[depth++] = d;
        } else if (what < 70 && depth > 0) {
            depth--;
            rfw_pop(t->ranges, ns,
                    kind->crosses && dice(50) == 0 ? t->domain - open[depth] : open[depth]);
            if (kind->has_end_payloads && dice(100) == 0)
                add_payload(t, kind);
        } else if (what < 72) {
            rfw_mark(t->ranges, ns, &attr);
            add_payload(t, kind);
        } else if (kind->has_collectives && what > 95) {
            add_collective(t, dice(5) == 0 ? t->partner : t->ranges, ns, kind);
        } else if (kind->has_starts && what < 75) {
            add_start(t, ns, &attr, kind);
        } else {
            const int64_t more_ns = kind->has_long_calls && dice(4) == 0 ? (int64_t)dice(1500) : 0;
            add_call(t, ns + 1, ns + 5 + more_ns + (int64_t)dice(10));
            ns += more_ns;
            ns += dice(30) == 0 ? -17 : 16; /* at times what follows begins in it */
        }
        if (kind->has_handlers && dice(50) == 0)
            add_handled(t, ns += 10);
        if (kind->has_deferred && dice(50) == 0)
            add_deferred(t, ns += 10);
        if (kind->has_losses && dice(500) == 0) {
            rfw_next_part(t->ranges, ns)->part.lost_records = 3;
            depth = 0;
        }
        if (kind->has_parts && dice(50) == 0) {
            (void)rfw_next_part(t->ranges, ns);
            (void)rfw_next_part(t->partner, ns);
        }
        if (kind->has_threads && dice(500) == 0) { /* another one takes its stream */
            t->tid++;
            rfw_thread(t->ranges, ns, t->tid, 100 + t->tid, NULL);
            depth = 0;
        }
    }
    if (dice(2) == 0)
        rfw_thread_end(t->ranges, ns + 15, NULL);
}

/* Of one base name, of names that differ by numbers alone, and one that is not defined. */
static void define_kernels(struct rfw *w, uint32_t p)
{
    static const char *const names[] = {"_ZN2ns3addIfEEvPT_i", "_ZN2ns3addIdEEvPT_i", "kernel12",
                                        "kernel7", "plain"};
    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        rfw_cuda_def(w, p, 5, RF_CUDA_DEF_KERNEL, FIRST_KERNEL + i, 0, 0, names[i]);
}

/* One to three, of which the last one may go on. */
static void add_captures(struct rfw *w, int64_t end_ns)
{
    rfw_focus(w, dice(2) == 0);
    int64_t ns = 1000;
    for (uint64_t left = 1 + dice(3); left > 0 && ns < end_ns; left--) {
        const int64_t begin_ns = ns + (int64_t)dice((uint64_t)(end_ns - ns));
        ns = begin_ns + 1 + (int64_t)dice((uint64_t)end_ns / 2);
        rfw_window(w, begin_ns, left == 1 && dice(4) == 0 ? RFW_OPEN : ns);
        ns += 1 + (int64_t)dice(100);
    }
}

/* Two processes; the calls of two threads stand in one stream, which one has behind those of the
 * other one. */
static struct rfw *random_recording(size_t n, const struct kind *kind)
{
    struct rfw *w = rfw_new();
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t p = rfw_process(w, 200 - i, "app");
        rfw_cuda_clocks(w, p);
        rfw_cuda_names(w, p);
        define_kernels(w, p);
        const uint64_t d = rfw_domain(w, p, 1, 9, "D");
        struct rfw_stream *first = rfw_stream(w, p, 0, 100, 1),
                          *second = rfw_stream(w, p, 1, 900, 2);
        struct rfw_stream *calls = rfw_stream(w, p, 2, 800, 3), *work = rfw_stream(w, p, 3, 801, 4);
        struct rfw_stream *ends[2] = {rfw_stream(w, p, 4, 901, 5), rfw_stream(w, p, 5, 902, 6)};
        const uint64_t nccl = kind->has_collectives ? define_collectives(w, p) : 0;
        struct rfw_stream *handler =
            kind->has_handlers ? rfw_stream(w, p, 6, 100, 1) : rfw_stream(w, p, 6, 903, 7);
        struct thread one = {first, calls, work, ends[0], handler, d, nccl, 100, 0, {0}},
                      two = {second, calls, work, ends[1], handler, d, nccl, 900, 1u << 20, {0}};
        if (kind->has_deferred)
            define_deferred(w, p, d);
        if (kind->has_payloads)
            define_random_schemas(w, p, (uint32_t)d);
        add_ranges(&one, n, kind);
        add_ranges(&two, n, kind);
        if (kind->has_destroyed)
            rfw_domain_destroy(w, p, 1000 + (int64_t)dice(40 * n), 9, d);
        if (dice(2) == 0)
            rfw_exit(w, p, (int64_t)n * 100);
    }
    if (kind->has_captures)
        add_captures(w, (int64_t)n * 35);
    if (kind->has_windows)
        add_windows(w, (int64_t)n * (kind->has_long_calls ? 120 : 35), dice);
    return w;
}

#endif
