/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads of several schemas, for the columns that they make. */
#include "rf_dump.h"
#include "rf_payload_writer.h"
#include "sample.h"

#define ID(n)   ((1ULL << 32) + (n))
#define FIXED   (1u << 4)
#define POINTER (1u << 1)

static void define(struct rfw *w, uint32_t process)
{
    static const struct rfw_enum_value operations[] = {{"sum", 0, 0}, {"max", 2, 0}};
    static const struct rfw_entry comm[] = {{0, 18, "id", 0, 0}, {0, 15, "rank", 0, 0}};
    static const struct rfw_entry collective[] = {{0, ID(2), "comm", 0, 0}, {0, ID(1), "op", 0, 0},
                                                  {0, 43, "scale", 0, 0},   {FIXED, 16, "n", 2, 0},
                                                  {0, 75, "=name,", 8, 0},  {0, 16, NULL, 0, 0}};
    static const struct rfw_entry send[] = {{0, 15, "rank", 0, 0}, {POINTER, 17, "to", 0, 0}};
    rfw_define_enum(w, process, ID(1), 4, operations, 2);
    rfw_define_schema(w, process, &(struct rfw_schema){.id = ID(2), .name = "comm"}, comm, 2);
    rfw_define_schema(w, process, &(struct rfw_schema){.id = ID(3), .name = "all"}, collective, 6);
    rfw_define_schema(w, process, &(struct rfw_schema){.id = ID(4), .name = "send"}, send, 2);
}

rf_recording *sample_payloads_new(struct rfw *w)
{
    const struct {
        uint64_t id;
        int32_t rank, pad;
        uint32_t operation;
        float scale;
        uint32_t n[2];
        char name[8];
        uint32_t last;
    } all = {1ULL << 60, -1, 0, 2, 0.1f, {7, 8}, "=1+\"2\"", 5};
    const struct {
        int32_t rank, pad;
        uint64_t to;
    } send = {3, 0, 0x1000};
    const int64_t target = -9;
    uint32_t process = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, process, 0, 100, 1);
    define(w, process);
    rfw_push(s, 1000, &(struct rfw_attr){.text = "collective"});
    rfw_payload(s, ID(3), &all, sizeof(all), sizeof(all), 0);
    rfw_mark(s, 1500, &(struct rfw_attr){.text = "no payload"});
    rfw_pop(s, 2000, 0);
    rfw_payload(s, ID(4), &send, sizeof(send), sizeof(send), 0);
    rfw_reference(s, 0x1000, &target, sizeof(target));
    rfw_mark(s, 3000, &(struct rfw_attr){.text = "send"});
    rfw_payload(s, ID(4), &send, sizeof(send), sizeof(send), 0);
    rfw_mark(s, 4000, &(struct rfw_attr){.text = "a number"});
    rfw_payload(s, 17, &target, sizeof(target), sizeof(target), 0);
    return rfw_reopen(w, 0, 0);
}
