/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/advise/advise_work.h"

#include <stdio.h>
#include <stdlib.h>

#include "stats/gpu_busy.h"

#define OF_GPUS  "their time from the first work to the last"
#define OF_STEPS "the steps"

enum {
    LAUNCHES,
    WAITS_FOR_HOST,
    COMMUNICATES,
    COPIES,
    PAGEABLE,
    ALLOCATES,
    WAITS_IN_CALLS,
    TINY_RANGES,
    LOST,
    N_RULES
};

static const struct rf_advice_rule rules[] = {
    [LAUNCHES] =
        {"gpu-waits-for-launches",
         "GPUs were idle for at least 10 % of their time after the call of their next work had "
         "begun",
         "are idle while their next work is being launched", OF_GPUS,
         "the call that launches the next work had begun, and nothing ran",
         "launch less often: larger batches, fused kernels, CUDA graphs",
         "stats -r breakdown,launch_latency", 10, 0},
    [WAITS_FOR_HOST] =
        {"gpu-waits-for-host",
         "GPUs were idle for at least 10 % of their time before the call of their next "
         "work began",
         "wait for the program", OF_GPUS,
         "nothing ran, and the call of the next work had not begun",
         "let the program work ahead: fewer calls that wait for the GPU, data that "
         "is loaded in the background",
         "stats -r breakdown,gpu_gaps,critical", 10, 0},
    [COMMUNICATES] = {"exposed-communication",
                      "GPUs communicated for at least 10 % of their time with nothing beside it",
                      "communicate, and do nothing else", OF_GPUS,
                      "kernels of communication ran alone",
                      "overlap communication with computation, or send less",
                      "stats -r breakdown,collectives", 10, 0},
    [COPIES] = {"exposed-copies",
                "GPUs copied for at least 10 % of their time with nothing beside it",
                "copy, and do nothing else", OF_GPUS, "copies and sets ran alone",
                "copy from pinned memory, in a stream of its own, while kernels run",
                "stats -r breakdown,cuda_gpu_mem_time_sum", 10, 0},
    [PAGEABLE] = {"pageable-copies",
                  "copies between a GPU and pageable memory took at least 2 % of the GPUs' time",
                  "copy from or to pageable memory", OF_GPUS,
                  "such copies pass through a buffer of the driver, and block their caller",
                  "allocate the memory on the host with cudaMallocHost, or pin_memory=True in "
                  "PyTorch's DataLoader",
                  "stats -r cuda_gpu_mem_time_sum", 2, 0},
    [ALLOCATES] = {"allocations-in-steps",
                   "calls that allocate or free memory of a GPU took at least 2 % of all steps but "
                   "each thread's first",
                   "allocate or free memory of the GPU", OF_STEPS,
                   "these calls block, and cudaFree waits for the GPU",
                   "allocate once, before the loop, or from a pool (cudaMallocAsync)",
                   "stats -r cuda_api_sum", 2, 0},
    [WAITS_IN_CALLS] = {"waits-in-calls",
                        "calls of the operating system's libraries took at least 10 % of the steps",
                        "are in calls of the operating system", OF_STEPS,
                        "the thread waits, or reads and writes",
                        "do in another thread what can be done there, and look at what holds the "
                        "lock",
                        "stats -r osrt_sum", 10, 0},
    [TINY_RANGES] =
        {"tiny-ranges",
         "recording its ranges took at least 5 %, and 1 ms, of the time that threads were in "
         "ranges, at 30 ns each",
         "spend their time in being recorded", "the time in ranges",
         "at 30 ns for each range, by estimate",
         "leave out the innermost ranges, or annotate batches", "stats -r nvtx_sum", 5, 0},
    [LOST] = {"events-lost", "events could not be recorded",
              "events could not be recorded: tables and findings are without them", "",
              "the recorder "
              "counts what it cannot keep",
              "record less, or with --overflow=block", "info", 0, 1},
};

const struct rf_advice_rule *rf_advice_work_rule(size_t i)
{
    return i < N_RULES ? &rules[i] : NULL;
}

/* ---- GPUs ---- */

static const uint8_t rule_of_moment[RF_N_GPU_MOMENTS] = {
    [RF_GPU_COMPUTES] = N_RULES,
    [RF_GPU_HIDES] = N_RULES,
    [RF_GPU_COMMUNICATES] = COMMUNICATES,
    [RF_GPU_COPIES] = COPIES,
    [RF_GPU_WAITS_FOR_HOST] = WAITS_FOR_HOST,
    [RF_GPU_LAUNCHES] = LAUNCHES,
    [RF_GPU_IDLES] = N_RULES,
};

/* Of one kind of moment, over all GPUs. */
static int add_moment(struct rf_findings *findings, const struct rf_gpu_busy *busy, size_t n, int m)
{
    char most[32] = "";
    struct rf_measure measure = {.subject = "GPUs"};
    for (size_t i = 0; i < n; i++) {
        measure.gain_ns += busy[i].ns[m];
        measure.of_ns += (uint64_t)busy[i].end_ns - (uint64_t)busy[i].start_ns;
        if (busy[i].ns[m] > measure.most_ns) {
            measure.most_ns = busy[i].ns[m];
            (void)snprintf(most, sizeof(most), "GPU %u", busy[i].gpu);
        }
    }
    measure.most = most[0] != '\0' ? most : NULL;
    return rf_findings_add(findings, &rules[rule_of_moment[m]], &measure);
}

static bool is_pageable(const rf_recording *rec, const struct rf_gpu_op *op)
{
    enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, PAGEABLE_MEMORY = 0 };
    if (op->kind != RF_OP_MEMCPY)
        return false;
    const struct rf_transfer *transfer = rf_gpu_op_detail(rec, op);
    return transfer != NULL &&
           ((transfer->copy_kind == HOST_TO_DEVICE && transfer->source_memory == PAGEABLE_MEMORY) ||
            (transfer->copy_kind == DEVICE_TO_HOST && transfer->target_memory == PAGEABLE_MEMORY));
}

/* Of all GPUs: what a device copies to its memory. */
static int add_pageable(struct rf_findings *findings, const rf_recording *rec, uint64_t of_ns)
{
    struct rf_measure measure = {.subject = "GPUs", .of_ns = of_ns};
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        if (is_pageable(rec, &op[i])) {
            measure.gain_ns += (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns;
            measure.n++;
        }
    return rf_findings_add(findings, &rules[PAGEABLE], &measure);
}

static int add_gpus(struct rf_findings *findings, const rf_recording *rec)
{
    struct rf_gpu_busy *busy = NULL;
    size_t n = 0;
    uint64_t of_ns = 0;
    int status = rf_gpu_busy_find(rec, &busy, &n);
    for (int m = 0; m < RF_N_GPU_MOMENTS && status == RF_OK && n > 0; m++)
        if (rule_of_moment[m] != N_RULES)
            status = add_moment(findings, busy, n, m);
    for (size_t i = 0; i < n; i++)
        of_ns += (uint64_t)busy[i].end_ns - (uint64_t)busy[i].start_ns;
    if (status == RF_OK && n > 0)
        status = add_pageable(findings, rec, of_ns);
    free(busy);
    return status;
}

/* ---- Calls in steps ---- */

enum call_class { OTHER_CALL, ALLOCATION, OS_CALL, N_CLASSES };

struct calls {
    const rf_recording *rec;
    uint8_t *class_of; /* by string: 1 + what a CUDA call of this name is; 0: not looked at */
    uint64_t *ns;      /* by string: of allocations and calls of the system */
    uint64_t sum_ns[N_CLASSES], n[N_CLASSES];
    uint64_t of_ns, of_later_ns; /* of steps; of those but the first of each thread */
};

static bool begins_with(const char *name, const char *begin)
{
    return strncmp(name, begin, strlen(begin)) == 0;
}

/* Pools are made for this: cudaMallocAsync and cuMemFreeAsync do not count. */
static bool is_allocation(const char *name)
{
    static const char *const begins[] = {"cudaMalloc", "cudaFree",  "cudaHostAlloc",
                                         "cuMemAlloc", "cuMemFree", "cuMemHostAlloc"};
    if (strstr(name, "Async") != NULL)
        return false;
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (begins_with(name, begins[i]))
            return true;
    return false;
}

static enum call_class class_of(struct calls *calls, const struct rf_call *call)
{
    if (call->kind == RF_CALL_OS)
        return OS_CALL;
    const char *name = rf_string(calls->rec, call->name, NULL);
    if (name == NULL)
        return OTHER_CALL;
    uint8_t *known = &calls->class_of[call->name];
    if (*known == 0)
        *known = (uint8_t)(1 + (is_allocation(name) ? ALLOCATION : OTHER_CALL));
    return (enum call_class)(*known - 1);
}

/* Calls inside other calls count with these. */
static void add_calls(struct calls *calls, const struct rf_step *step, size_t *next,
                      int64_t *until_ns)
{
    size_t n = 0;
    const struct rf_event *range = rf_thread_event_at(calls->rec, step->thread, step->event);
    const struct rf_call *call = rf_thread_calls(calls->rec, step->thread, &n);
    calls->of_ns += step->duration_ns;
    calls->of_later_ns += step->number > 1 ? step->duration_ns : 0;
    while (*next < n && call[*next].start_ns < range->start_ns)
        ++*next;
    for (; *next < n && call[*next].start_ns < range->end_ns; ++*next) {
        const struct rf_call *at = &call[*next];
        const enum call_class class = class_of(calls, at);
        if (class == OTHER_CALL || at->end_ns > range->end_ns || at->end_ns <= *until_ns ||
            (class == ALLOCATION && step->number == 1))
            continue;
        const int64_t from_ns = at->start_ns > *until_ns ? at->start_ns : *until_ns;
        const uint64_t ns = (uint64_t)at->end_ns - (uint64_t)from_ns;
        *until_ns = at->end_ns;
        calls->sum_ns[class] += ns;
        calls->n[class]++;
        if (at->name < rf_n_strings(calls->rec))
            calls->ns[at->name] += ns;
    }
}

static int add_class(struct rf_findings *findings, struct calls *calls, enum call_class class,
                     int rule, uint64_t of_ns)
{
    uint32_t most = RF_NO_STRING;
    const uint32_t n_strings = rf_n_strings(calls->rec);
    for (uint32_t i = 0; i < n_strings; i++) {
        const bool is_allocation_call = calls->class_of[i] == 1 + ALLOCATION;
        if (calls->ns[i] > 0 && is_allocation_call == (class == ALLOCATION) &&
            (most == RF_NO_STRING || calls->ns[i] > calls->ns[most]))
            most = i;
    }
    const struct rf_measure measure = {.subject = "steps",
                                       .gain_ns = calls->sum_ns[class],
                                       .of_ns = of_ns,
                                       .n = calls->n[class],
                                       .most = rf_string(calls->rec, most, NULL),
                                       .most_ns = most != RF_NO_STRING ? calls->ns[most] : 0};
    return rf_findings_add(findings, &rules[rule], &measure);
}

static bool has_calls(const rf_recording *rec, const struct rf_steps *steps)
{
    for (size_t i = 0; i < steps->n; i++)
        if (rf_thread_call_at(rec, steps->step[i].thread, 0) != NULL)
            return true;
    return false;
}

static int add_steps(struct rf_findings *findings, const rf_recording *rec,
                     const struct rf_steps *steps)
{
    const size_t n_strings = rf_n_strings(rec);
    size_t next = 0;
    int64_t until_ns = INT64_MIN;
    if (!has_calls(rec, steps))
        return RF_OK;
    struct calls calls = {.rec = rec,
                          .class_of = calloc(n_strings + 1, sizeof(*calls.class_of)),
                          .ns = calloc(n_strings + 1, sizeof(*calls.ns))};
    int status = calls.class_of != NULL && calls.ns != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < steps->n && status == RF_OK; i++) {
        if (i > 0 && steps->step[i].thread != steps->step[i - 1].thread) {
            next = 0;
            until_ns = INT64_MIN;
        }
        add_calls(&calls, &steps->step[i], &next, &until_ns);
    }
    if (status == RF_OK)
        status = add_class(findings, &calls, ALLOCATION, ALLOCATES, calls.of_later_ns);
    if (status == RF_OK)
        status = add_class(findings, &calls, OS_CALL, WAITS_IN_CALLS, calls.of_ns);
    free(calls.class_of);
    free(calls.ns);
    return status;
}

/* ---- The recording ---- */

#define RANGE_NS      30      /* what recording a range takes: docs/performance.md */
#define LEAST_TINY_NS 1000000 /* in all: less is no reason to change a program */

/* The time that a thread was in ranges. */
static uint64_t covered_ns(const struct rf_event *event, size_t n)
{
    uint64_t sum = 0;
    int64_t until_ns = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        if (event[i].kind != RF_EVENT_PUSH_POP || event[i].end_ns <= until_ns)
            continue;
        sum += (uint64_t)event[i].end_ns -
               (uint64_t)(event[i].start_ns > until_ns ? event[i].start_ns : until_ns);
        until_ns = event[i].end_ns;
    }
    return sum;
}

static int add_recording(struct rf_findings *findings, const rf_recording *rec)
{
    const struct rf_info *info = rf_get_info(rec);
    struct rf_measure tiny = {.subject = "threads"};
    const struct rf_measure lost = {.subject = "", .n = info->n_lost_records};
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n = 0;
        const struct rf_event *event = rf_thread_events(rec, t, &n);
        tiny.of_ns += covered_ns(event, n);
        tiny.gain_ns += (uint64_t)n * RANGE_NS;
    }
    int status = rf_findings_add(findings, &rules[LOST], &lost);
    if (status == RF_OK && tiny.of_ns > 0 && tiny.gain_ns >= LEAST_TINY_NS && !info->is_import)
        status = rf_findings_add(findings, &rules[TINY_RANGES], &tiny);
    return status;
}

int rf_advice_add_work(struct rf_findings *findings, const rf_recording *rec,
                       const struct rf_steps *steps)
{
    int status = add_gpus(findings, rec);
    if (status == RF_OK)
        status = add_steps(findings, rec, steps);
    return status == RF_OK ? add_recording(findings, rec) : status;
}
