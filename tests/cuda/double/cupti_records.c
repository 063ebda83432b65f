/* SPDX-License-Identifier: Apache-2.0 */
/* What libcuda tells becomes records, and what is wrong with some of them: RF_DOUBLE_ZERO_TIMES,
 * _REVERSED_TIMES, _EARLY_TIMES=N: each N-th kernel; RF_DOUBLE_UNKNOWN=N: a record of a kind that
 * nobody knows behind each N-th; RF_DOUBLE_DROPPED=N: the first N kernels have none;
 * RF_DOUBLE_TIMESTAMPS=N: there are times for N kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti.h"

static uint32_t n_kernels; /* atomic */

static bool is_nth(const char *setting, uint32_t n)
{
    uint64_t each = double_setting(setting, 0);
    return each && n % each == 0;
}

static void spoil(struct double_op *op, uint32_t n)
{
    if (is_nth("RF_DOUBLE_ZERO_TIMES", n) ||
        n > double_setting("RF_DOUBLE_TIMESTAMPS", UINT32_MAX)) {
        op->start = op->end = 0;
    } else if (is_nth("RF_DOUBLE_REVERSED_TIMES", n)) {
        uint64_t start = op->start;
        op->start = op->end;
        op->end = start;
    } else if (is_nth("RF_DOUBLE_EARLY_TIMES", n)) {
        op->start -= 50000000;
        op->end -= 50000000;
    }
}

static void add_unknown(uint32_t n)
{
    uint8_t record[CUPTI_MAX_RECORD];
    if (!is_nth("RF_DOUBLE_UNKNOWN", n))
        return;
    cupti_lay_unknown(record);
    cupti_add(record, cupti_record_size(CUPTI_UNKNOWN_KIND), NULL, true);
}

static void add_overhead(void)
{
    uint8_t record[CUPTI_MAX_RECORD];
    uint64_t now = cupti_time(cupti_gpu()->now());
    if (!cupti_is_enabled(17))
        return;
    cupti_lay_overhead(record, 5u << 16, cupti_thread_id(), now - 10000, now);
    cupti_add(record, cupti_record_size(17), NULL, false);
}

/* A graph is told of as a whole and node by node. */
static bool op_is_wanted(const struct double_op *op)
{
    if (op->node && cupti_is_enabled(51))
        return false;
    return cupti_is_enabled(cupti_kind_of(op));
}

static void take_op(const struct double_op *op)
{
    struct double_op kept = *op;
    if (!op_is_wanted(op))
        return;
    if (op->kind == OP_KERNEL) {
        uint32_t n = __atomic_add_fetch(&n_kernels, 1, __ATOMIC_RELAXED);
        if (n == 1)
            add_overhead();
        if (n <= double_setting("RF_DOUBLE_DROPPED", 0)) {
            cupti_drop_record();
            return;
        }
        add_unknown(n);
        spoil(&kept, n);
    }
    cupti_add_pending(&kept);
}

static void take_call(struct double_call *call, bool is_exit)
{
    uint8_t record[CUPTI_MAX_RECORD];
    uint32_t kind = call->domain == DOUBLE_DRIVER ? 4 : 5;
    if (!is_exit) {
        call->is_traced = cupti_is_enabled(kind) && cupti_api_is_wanted(call->domain, call->cbid);
        cupti_call_back(call, false);
        return;
    }
    if (call->domain == DOUBLE_RUNTIME && call->cbid == CBID_cudaDeviceReset)
        cupti_forget_records();
    cupti_call_back(call, true);
    if (!call->is_traced || !cupti_is_enabled(kind))
        return;
    cupti_lay_call(record, call, cupti_thread_id());
    cupti_add(record, cupti_record_size(kind), NULL, false);
}

static void add_context(const struct double_context *context)
{
    uint8_t record[CUPTI_MAX_RECORD];
    if (!cupti_is_enabled(9))
        return;
    cupti_lay_context(record, context);
    cupti_add(record, cupti_record_size(9), NULL, true);
}

static void add_stream(struct double_stream *stream)
{
    uint8_t record[CUPTI_MAX_RECORD];
    if (!cupti_is_enabled(37))
        return;
    cupti_lay_stream(record, stream);
    cupti_add(record, cupti_record_size(37), NULL, true);
}

static void add_devices(void)
{
    for (uint32_t device = 0; device < cupti_gpu()->n_devices(); device++) {
        uint8_t record[CUPTI_MAX_RECORD];
        char name[32];
        snprintf(name, sizeof name, "Double %u", device);
        char *text = strdup(name);
        cupti_lay_device(record, device, text);
        cupti_add(record, cupti_record_size(8), text, true);
    }
}

/* Devices have their records when the first context is made. */
static void take_context(struct double_context *context)
{
    cupti_call_back_context(context);
    if (cupti_is_enabled(8) && context->device == 0)
        add_devices();
    add_context(context);
}

static void take_stream(struct double_stream *stream)
{
    cupti_call_back_made(3, stream->context, stream);
    add_stream(stream);
}

/* What was made before its kind was enabled has a record only if it is dumped. */
void cupti_dump(uint32_t kind)
{
    if (kind == 8 && cupti_gpu()->context(0))
        add_devices();
    for (uint32_t device = 0; kind == 9 && device < cupti_gpu()->n_devices(); device++)
        if (cupti_gpu()->context(device))
            add_context(cupti_gpu()->context(device));
    if (kind == 37)
        cupti_gpu()->each_stream(add_stream);
}

const struct double_hooks cupti_hooks = {
    .call = take_call,
    .op = take_op,
    .context = take_context,
    .stream = take_stream,
};
