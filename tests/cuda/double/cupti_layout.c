/* SPDX-License-Identifier: Apache-2.0 */
/* Records byte by byte, by offsets of their own: a mistake in the recorder's structures is not
 * repeated here. */
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "cupti.h"

#define POISON 0xA5

/* From these versions on a record is longer: 12.2 is 20, 12.8 is 26. tests/cuda/real holds them
 * against the libraries. */
struct growth {
    uint32_t kind;
    struct {
        uint32_t version;
        size_t size;
    } steps[6];
};

static const struct growth growths[] = {
    {1, {{0, 88}, {26, 96}, {130400, 112}}},
    {2, {{0, 88}, {130400, 104}}},
    {4, {{0, 40}}},
    {5, {{0, 40}}},
    {8, {{0, 176}, {20, 184}, {130200, 192}}},
    {9, {{0, 16}, {22, 24}, {23, 32}, {130100, 40}}},
    {10, {{0, 200}, {19, 208}, {130000, 216}, {130100, 224}, {130300, 232}, {130400, 248}}},
    {17, {{0, 40}, {21, 48}, {22, 56}}},
    {22, {{0, 96}}},
    {36, {{0, 24}, {26, 56}, {130500, 80}}},
    {37, {{0, 24}}},
    {38, {{0, 40}, {26, 56}}},
    {39, {{0, 24}}},
    {49, {{0, 120}, {24, 128}}},
    {51, {{0, 48}, {21, 56}}},
    {CUPTI_UNKNOWN_KIND, {{0, 72}}},
};

size_t cupti_record_size(uint32_t kind)
{
    size_t size = 0;
    for (size_t i = 0; i < sizeof growths / sizeof *growths; i++)
        for (size_t k = 0; k < 6 && growths[i].kind == kind; k++)
            if (growths[i].steps[k].size && growths[i].steps[k].version <= cupti_version())
                size = growths[i].steps[k].size;
    return size;
}

static void put8(uint8_t *record, size_t at, uint8_t value)
{
    record[at] = value;
}

static void put16(uint8_t *record, size_t at, uint16_t value)
{
    memcpy(record + at, &value, sizeof value);
}

static void put32(uint8_t *record, size_t at, uint32_t value)
{
    memcpy(record + at, &value, sizeof value);
}

static void put64(uint8_t *record, size_t at, uint64_t value)
{
    memcpy(record + at, &value, sizeof value);
}

static void put_text(uint8_t *record, size_t at, const char *text)
{
    memcpy(record + at, &text, sizeof text);
}

static void put_all32(uint8_t *record, size_t at, const uint32_t *values, int n)
{
    for (int i = 0; i < n; i++)
        put32(record, at + 4u * (size_t)i, values[i]);
}

static void start(uint8_t *record, uint32_t kind)
{
    memset(record, POISON, CUPTI_MAX_RECORD);
    put32(record, 0, kind);
}

static void put_place(uint8_t *record, size_t at, const struct double_op *op)
{
    put32(record, at, op->device);
    put32(record, at + 4, op->context);
    put32(record, at + 8, op->stream);
}

static void lay_kernel(uint8_t *record, const struct double_op *op, const char *name)
{
    put16(record, 4, 0); /* cache and shared memory configuration */
    put16(record, 6, op->registers);
    put64(record, 8, 0);
    put64(record, 16, op->start);
    put64(record, 24, op->end);
    put64(record, 32, 0);
    put_place(record, 40, op);
    put_all32(record, 52, op->grid, 3);
    put_all32(record, 64, op->block, 3);
    put32(record, 76, 16);
    put32(record, 80, op->shared);
    put64(record, 84, 0);
    put32(record, 92, op->correlation);
    put64(record, 96, op->correlation); /* grid id */
    put_text(record, 104, name);
    put64(record, 120, 0);
    put64(record, 128, 0);
    memset(record + 136, 0, 3);
    put32(record, 140, 1024);
    put64(record, 144, op->node);
    put32(record, 152, 0);
    put32(record, 156, op->graph);
    put64(record, 160, 0);
    put64(record, 168, 0); /* channel and its type */
    memset(record + 176, 0, 24);
    put64(record, 200, 0); /* clusters */
    put8(record, 208, 0);
    put32(record, 216, 0);
    put32(record, 224, 0);
    put64(record, 232, 0);
    put64(record, 240, 0);
}

static void lay_memcpy(uint8_t *record, const struct double_op *op)
{
    put8(record, 4, op->copy_kind);
    put8(record, 5, op->copy_kind == 1 ? 1 : 3);
    put8(record, 6, op->copy_kind == 2 ? 1 : 3);
    put8(record, 7, 1); /* asynchronous */
    put64(record, 8, op->bytes);
    put64(record, 16, op->start);
    put64(record, 24, op->end);
    put_place(record, 32, op);
    put32(record, 44, op->correlation);
    put32(record, 48, 0);
    put64(record, 64, op->node);
    put32(record, 72, op->graph);
    put64(record, 76, 0);
    put8(record, 84, 0);
    put64(record, 88, 1);
}

static void lay_peer(uint8_t *record, const struct double_op *op)
{
    const uint32_t sides[4] = {op->device, op->context, op->target_device, op->target_device + 1};
    put8(record, 4, op->copy_kind);
    put8(record, 5, 3);
    put8(record, 6, 3);
    put8(record, 7, 1);
    put64(record, 8, op->bytes);
    put64(record, 16, op->start);
    put64(record, 24, op->end);
    put_place(record, 32, op);
    put_all32(record, 44, sides, 4);
    put32(record, 60, op->correlation);
    put64(record, 72, op->node);
    put32(record, 80, op->graph);
    put64(record, 84, 0);
}

static void lay_memset(uint8_t *record, const struct double_op *op)
{
    put32(record, 4, op->value);
    put64(record, 8, op->bytes);
    put64(record, 16, op->start);
    put64(record, 24, op->end);
    put_place(record, 32, op);
    put32(record, 44, op->correlation);
    put16(record, 48, 1);
    put16(record, 50, 3);
    put64(record, 64, op->node);
    put32(record, 72, op->graph);
    put64(record, 76, 0);
    put8(record, 84, 0);
}

static void lay_sync(uint8_t *record, const struct double_op *op)
{
    put32(record, 4, op->sync_type);
    put64(record, 8, op->start);
    put64(record, 16, op->end);
    put32(record, 24, op->correlation);
    put32(record, 28, op->context);
    put32(record, 32, op->stream);
    put32(record, 36, op->event);
    put64(record, 40, op->event == UINT32_MAX ? 0 : 1000u + op->event);
    put32(record, 48, 0);
}

static void lay_graph(uint8_t *record, const struct double_op *op)
{
    put32(record, 4, op->correlation);
    put64(record, 8, op->start);
    put64(record, 16, op->end);
    put32(record, 24, op->device);
    put32(record, 28, op->graph);
    put32(record, 32, op->context);
    put32(record, 36, op->stream);
    put32(record, 48, op->device);
    put32(record, 52, op->context);
}

static void lay_memory(uint8_t *record, const struct double_op *op)
{
    put32(record, 4, op->is_release ? 2 : 1);
    put32(record, 8, 3);
    put32(record, 12, op->correlation);
    put64(record, 16, op->address);
    put64(record, 24, op->bytes);
    put64(record, 32, op->start);
    put64(record, 40, 0x400000);
    put32(record, 48, (uint32_t)getpid());
    put_place(record, 52, op);
    put_text(record, 64, NULL);
    put32(record, 72, 0);
    put32(record, 80, 0); /* no pool; its other fields are not valid then */
    put_text(record, 120, NULL);
}

static void lay_event(uint8_t *record, const struct double_op *op)
{
    put32(record, 4, op->correlation);
    put32(record, 8, op->context);
    put32(record, 12, op->stream);
    put32(record, 16, op->event);
    put32(record, 24, op->device);
    put64(record, 40, 0); /* not asked for */
    put64(record, 48, 1000u + op->event);
}

uint32_t cupti_kind_of(const struct double_op *op)
{
    static const uint8_t kinds[] = {
        [OP_KERNEL] = 10, [OP_MEMCPY] = 1, [OP_PEER_COPY] = 22, [OP_MEMSET] = 2,
        [OP_SYNC] = 38,   [OP_GRAPH] = 51, [OP_MEMORY] = 49,    [OP_EVENT] = 36,
    };
    return kinds[op->kind];
}

void cupti_lay_op(uint8_t *record, const struct double_op *op, const char *name)
{
    start(record, cupti_kind_of(op));
    switch (op->kind) {
    case OP_KERNEL:
        lay_kernel(record, op, name);
        break;
    case OP_MEMCPY:
        lay_memcpy(record, op);
        break;
    case OP_PEER_COPY:
        lay_peer(record, op);
        break;
    case OP_MEMSET:
        lay_memset(record, op);
        break;
    case OP_SYNC:
        lay_sync(record, op);
        break;
    case OP_GRAPH:
        lay_graph(record, op);
        break;
    case OP_MEMORY:
        lay_memory(record, op);
        break;
    case OP_EVENT:
        lay_event(record, op);
        break;
    }
}

void cupti_lay_call(uint8_t *record, const struct double_call *call, uint32_t thread)
{
    start(record, call->domain == DOUBLE_DRIVER ? 4 : 5);
    put32(record, 4, call->cbid);
    put64(record, 8, cupti_time(call->start));
    put64(record, 16, cupti_time(call->end));
    put32(record, 24, (uint32_t)getpid());
    put32(record, 28, thread);
    put32(record, 32, call->correlation);
    put32(record, 36, call->result);
}

void cupti_lay_context(uint8_t *record, const struct double_context *context)
{
    start(record, 9);
    put32(record, 4, context->id);
    put32(record, 8, context->device);
    put16(record, 12, 1);
    put16(record, 14, (uint16_t)context->null_stream);
    put32(record, 16, UINT32_MAX);
    put8(record, 20, 0);
    put16(record, 22, 132);
    put32(record, 24, 0);
}

void cupti_lay_stream(uint8_t *record, const struct double_stream *stream)
{
    start(record, 37);
    put32(record, 4, stream->context->id);
    put32(record, 8, stream->id);
    put32(record, 12, 0);
    put32(record, 16, stream->id == stream->context->null_stream ? 3 : 1);
    put32(record, 20, 0);
}

void cupti_lay_device(uint8_t *record, uint32_t device, const char *name)
{
    start(record, 8);
    memset(record + 4, 0, 172);
    put32(record, 4, 0);
    put64(record, 8, 4800000000u);
    put64(record, 16, (uint64_t)80 << 30);
    put32(record, 24, 65536);
    put32(record, 28, 50 << 20);
    put32(record, 32, 32);
    put32(record, 36, 1980000);
    put32(record, 40, 3);
    put32(record, 44, 132);
    put32(record, 104, 9);
    put32(record, 108, 0);
    put32(record, 112, device);
    put32(record, 116, 1);
    memset(record + 120, (int)device + 1, 16);
    put_text(record, 136, name);
    put8(record, 144, 1);
    put64(record, 176, 0);
}

void cupti_lay_overhead(uint8_t *record, uint32_t kind, uint32_t thread, uint64_t begun,
                        uint64_t ended)
{
    start(record, 17);
    put32(record, 4, kind);
    put32(record, 8, 2);
    put32(record, 12, (uint32_t)getpid());
    put32(record, 16, thread);
    put32(record, 20, 0);
    put64(record, 24, begun);
    put64(record, 32, ended);
    put32(record, 40, 0);
    put_text(record, 48, NULL);
}

void cupti_lay_unknown(uint8_t *record)
{
    start(record, CUPTI_UNKNOWN_KIND);
}
