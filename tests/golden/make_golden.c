/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the golden recording of a format version, once, when that version is new:
 *
 *     make_golden v1.8.rf
 *     make_golden v3.0.rf --compress
 *
 * That of 1.7 is one of NVTXW: its streams have a mark, ranges, counters, a scope, and clocks that
 * points and a slope relate.
 *
 * v2.0.rf is v1.7.rf, compressed by what wrote version 2.0. v3.0.rf has threads with times in steps
 * and without, and what the first one has.
 *
 * The files that were made so are kept for ever; test_golden.c reads them all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/pack.h"
#include "rf_counter_writer.h"
#include "rf_payload_writer.h"
#include "rf_cuda_writer.h"
#include "rf_writer.h"

static void record_parent(struct rfw *w, uint32_t p)
{
    uint32_t d = rfw_domain(w, p, 100, 100, "lib"), r = rfw_string(w, p, 110, 100, d, "registered");
    uint32_t lock = rfw_sync_create(w, p, 120, 100, d, "lock");
    uint32_t buffer = rfw_resource(w, p, 130, 100, 0, 0x10001, 0xb0ff, "buffer");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    struct rfw_stream *h = rfw_stream(w, p, 2, 100, 1);
    rfw_category(w, p, 140, 100, 0, 1, "first");
    rfw_category(w, p, 150, 100, d, 1, "first of lib");
    rfw_thread_name(w, p, 160, 100, 101, "named worker");
    rfw_object_name(w, p, 170, 100, RF_OBJECT_CUDA_STREAM, 0xcafe, "copies");
    rfw_push(s, 1000, &(struct rfw_attr){.text = "outer"});
    rfw_push(s, 1100, &(struct rfw_attr){.string = r, .domain = d});
    for (int kind = 1; kind <= RF_PAYLOAD_OTHER; kind++)
        rfw_mark(s, 1200 + kind,
                 &(struct rfw_attr){.text = "payload",
                                    .payload_kind = (enum rf_payload_kind)kind,
                                    .payload = 0x4010000040100000ULL + (unsigned)kind});
    rfw_mark(s, 1300, &(struct rfw_attr){.text = "\xc3\xa9 \xff", .has_color = 1, .color = 0});
    rfw_mark(s, 1310, &(struct rfw_attr){.is_null_message = 1, .has_category = 1, .category = 1});
    rfw_mark(s, 1320, &(struct rfw_attr){.text = ""});
    rfw_mark(s, 1330, &(struct rfw_attr){.string = 0x1234, .domain = 0x5678});
    rfw_mark(h, 1400, &(struct rfw_attr){.text = "in a signal handler"});
    uint64_t id = rfw_start(s, 1500, &(struct rfw_attr){.text = "crosses threads"});
    (void)rfw_start(s, 1510, &(struct rfw_attr){.text = "never ended"});
    (void)rfw_start(t, 1520, &(struct rfw_attr){.text = "domain goes", .domain = d});
    rfw_push(t, 1600, &(struct rfw_attr){.text = "thread goes"});
    rfw_end(t, 1700, id);
    rfw_end(t, 1710, 0xbad);
    rfw_pop(t, 1720, d);
    rfw_sync(s, 1800, lock, RF_SYNC_ACQUIRE_START);
    rfw_sync(s, 1810, lock, RF_SYNC_ACQUIRE_SUCCESS);
    rfw_thread_end(t, 1900, "worker");
    rfw_thread(t, 2000, 102, 3, "second");
    rfw_push(t, 2010, &(struct rfw_attr){.text = "in a used slot"});
    rfw_pop(t, 2020, 0);
    rfw_domain_destroy(w, p, 2100, 100, d);
    rfw_resource_destroy(w, p, 2110, 100, buffer);
    rfw_sync_destroy(w, p, 2120, 100, lock);
    rfw_pop(s, 2200, d);
    struct rfw_part *part = rfw_next_part(s, 2300);
    part->part.lost_records = 3;
    part->part.lost_bytes = 96;
    rfw_mark(s, 2310, &(struct rfw_attr){.text = "after a loss"});
    rfw_exit(w, p, 3000);
}

static void record_child(struct rfw *w, uint32_t parent)
{
    uint32_t q = rfw_process_bare(w);
    struct rfw_stream *s = rfw_stream(w, q, 0, 200, 1);
    rfw_fact(w, q, 1750, RF_PROC_PID, 200, NULL);
    rfw_fact(w, q, 1750, RF_PROC_PPID, 100, NULL);
    rfw_fact(w, q, 1750, RF_PROC_START_TIME, 1234, NULL);
    rfw_fact(w, q, 1750, RF_PROC_FORK_OF, parent, NULL);
    rfw_push(s, 1760, &(struct rfw_attr){.string = 1, .domain = 1});
    rfw_end(s, 1770, rf_range_id(parent, 0, 1));
}

/* What 1.1 added: captures, ids that were taken back, and a stream whose past was left out. */
static void record_focused(struct rfw *w)
{
    uint32_t p = rfw_process(w, 400, "focused");
    struct rfw_stream *s = rfw_stream(w, p, 0, 400, 1);
    rfw_next_part(s, 700)->part.is_first = 1;
    s->part[0]->chunk.seq = 5;
    rfw_push(s, 710, &(struct rfw_attr){.text = "before the first"});
    rfw_counter(s, 720, 41);
    uint64_t id = rfw_start(s, 720, &(struct rfw_attr){.text = "counted"});
    rfw_mark(s, 730, &(struct rfw_attr){.text = "outside"});
    rfw_void(s, 740, 6);
    rfw_mark(s, 1300, &(struct rfw_attr){.text = "inside"});
    rfw_pop(s, 1310, 0);
    rfw_pop(s, 1311, 0);
    rfw_end(s, 1900, id);
    rfw_push(s, 1910, &(struct rfw_attr){.text = "between"});
    rfw_pop(s, 1920, 0);
    rfw_push(s, 2200, &(struct rfw_attr){.text = "in the second"});
    rfw_focus(w, 1);
    w->control.n_left_out = 2;
    rfw_window(w, 1250, 1750);
    rfw_window(w, 2005, RFW_OPEN);
}

/* What 1.2 added: CUDA, and samples of GPU metrics. Those in the second capture are shown. */
static void record_cuda(struct rfw *w)
{
    static const char *const texts[] = {"GH100", "H100", "0000:01:00.0", "set",
                                        "sm__a", "SMs",  "dram__b",      "Memory"};
    static const double rows[][4] = {
        {1800, 1900, 12.5, 0.25}, {1900, 2100, 37.5, 0.5}, {2100, 2300, 100, 1e300}};
    uint32_t p = rfw_process(w, 600, "cuda");
    struct rfw_stream *s = rfw_stream(w, p, 0, 600, 1);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_everything(s, 600, 2100, 5);
    rfw_metrics_source(w, 0, 0, texts, 2);
    rfw_metrics_samples(w, 0, 2, rows[0], sizeof(rows) / sizeof(rows[0]));
}

/* What 1.3 added: a record over what could not be read, behind which another thread goes on. */
static void record_salvaged(struct rfw *w)
{
    uint32_t p = rfw_process(w, 500, "salvaged");
    struct rfw_stream *s = rfw_stream(w, p, 0, 500, 1);
    rfw_push(s, 1260, &(struct rfw_attr){.text = "its end is lost"});
    struct rf_lost lost = {.n_starts = 7, .tid = 501, .serial = 2, .n_records = 12, .n_bytes = 400};
    lost.head = (RFW_TICKS_0 + 1260) << RF_WORD_TICK_SHIFT | sizeof(lost) / 8 << RF_WORD_TYPE_BITS |
                RF_REC_LOST;
    rfw_raw(s, (const uint64_t *)(const void *)&lost, sizeof(lost) / 8);
    rfw_void(s, 1260, 45);
    (void)rfw_start(s, 1300, &(struct rfw_attr){.text = "the eighth"});
    rfw_end(s, 1400, rf_range_id(p, 0, 8));
    w->control.salvaged = RF_SALVAGED_DAMAGED | RF_SALVAGED_NO_END;
    w->control.lost_records = w->control.n_lost_about = 40;
    w->control.lost_bytes = 1300;
    w->control.n_lost_parts = 3;
    w->control.n_damaged_bytes = 21;
    w->has_early_copies = 1;
}

/* What 1.4 added: counters, of which one is a group, with samples of every kind. */
static void record_counters(struct rfw *w)
{
    const uint64_t group = 1 << 24, queue = (uint64_t)1 << 32, memory = queue + 1;
    const struct rfw_nvtx_entry entries[] = {
        {.type = RFW_NVTX_UINT32, .name = "used", .description = "bytes in use"},
        {.type = RFW_NVTX_FLOAT32, .name = "share", .offset = 4},
        {.type = RFW_NVTX_INT64, .name = "at", .flags = RFW_NVTX_TIMESTAMP, .offset = 8}};
    const uint64_t rows[] = {7 | (uint64_t)0x3f000000 << 32, RFW_TICKS_0 + 1450, 8,
                             RFW_TICKS_0 + 1430};
    const int64_t values[] = {1, 2, 3}, pair[] = {(int64_t)RFW_TICKS_0 + 1500, 10};
    uint32_t p = rfw_process(w, 700, "counters"), d = rfw_domain(w, p, 1300, 700, "engine");
    struct rfw_stream *s = rfw_stream(w, p, 0, 700, 1);
    struct rfw_nvtx_counter counter = {.domain = d,
                                       .id = queue,
                                       .schema = RFW_NVTX_INT64,
                                       .name = "queue",
                                       .unit = "jobs",
                                       .scope = RFW_NVTX_THREAD,
                                       .flags = 4 | 8 | 1 << 4 | 4 << 8,
                                       .max = 100,
                                       .limit_type = 1};
    rfw_nvtx_schema(w, p, 1310, d, group, 16, entries, 3);
    rfw_nvtx_scope(w, p, 1310, d, queue + 2, 1, "host/disk[0]");
    rfw_nvtx_counter(w, p, 1320, &counter);
    counter = (struct rfw_nvtx_counter){
        .domain = d, .id = memory, .schema = group, .name = "memory", .scope = queue + 2};
    rfw_nvtx_counter(w, p, 1320, &counter);
    rfw_int64(s, 1350, d, queue, INT64_MAX);
    rfw_ext(s, 1360, d, RF_EXT_NO_VALUE, queue, 1);
    rfw_float64(s, 1370, d, queue, 0.5);
    rfw_ext(s, 1380, d, RF_EXT_NO_VALUE, queue, 2);
    rfw_ext(s, 1460, d, RF_EXT_BATCH, memory, 6);
    rfw_array(s, 1460, 0, rows, sizeof(rows));
    rfw_ext(s, 1470, d, RF_EXT_SAMPLE, memory, 0);
    rfw_array(s, 1470, 0, rows, 16);
    rfw_ext(s, 1480, d, RF_EXT_BATCH, queue, (uint64_t)1 << 32);
    rfw_array(s, 1480, 0, values, sizeof(values));
    rfw_array(s, 1480, 1, pair, sizeof(pair));
}

/* And payloads: of a schema with an enum, arrays and a text; of a list whose nodes point to each
 * other; of the begin and the end of a range; without a schema. */
static void record_payloads(struct rfw *w)
{
    enum { REDUCE = 1 << 24, NODE, LIST };
    enum { INT16 = 13, INT32 = 15, UINT64 = 18, DOUBLE = 20, CSTRING = 75, RAW = 1023 };
    const uint64_t op = (uint64_t)1 << 33;
    const struct rfw_enum_value ops[] = {{"sum", 0, 0}, {"max", 2, 0}};
    const struct rfw_entry reduce[] = {{.type = UINT64, .name = "bytes"},
                                       {.type = op, .name = "op", .offset = 8},
                                       {1 << 4, INT16, "peers", 2, 12},
                                       {0, CSTRING, "name", 8, 16}};
    const struct rfw_entry node[] = {{.type = INT32, .name = "id"},
                                     {1 << 1 | 1 << 8, NODE, "next", 0, 8}};
    const struct rfw_entry list[] = {{.type = UINT64, .name = "size"},
                                     {3 << 4, DOUBLE, "data", 0, 0}};
    const struct {
        uint64_t bytes;
        int32_t op;
        int16_t peers[2];
        char name[8];
    } made = {1 << 20, 2, {3, -1}, "ring"};
    const uint64_t first[] = {1, 0x7f0000002000}, second[] = {2, 0x7f0000003000}, third[] = {3, 0};
    const double numbers[] = {0.5, -1.5};
    uint8_t listed[24] = {2};
    memcpy(listed + 8, numbers, sizeof(numbers));
    uint32_t p = rfw_process(w, 800, "payloads"), d = rfw_domain(w, p, 1500, 800, "library");
    struct rfw_stream *s = rfw_stream(w, p, 0, 800, 1);
    rfw_define_enum(w, p, op, 4, ops, 2);
    rfw_define_schema(w, p,
                      &(struct rfw_schema){.domain = d, .id = REDUCE, .name = "reduce", .size = 24},
                      reduce, 4);
    rfw_define_schema(w, p, &(struct rfw_schema){.domain = d, .id = NODE, .name = "node"}, node, 2);
    rfw_define_schema(w, p, &(struct rfw_schema){.domain = d, .id = LIST, .type = 2}, list, 2);
    rfw_push(s, 1510, &(struct rfw_attr){.domain = d, .text = "reduce"});
    rfw_payload(s, REDUCE, &made, sizeof(made), sizeof(made), 0);
    rfw_mark(s, 1520, &(struct rfw_attr){.domain = d, .text = "nodes"});
    rfw_payload(s, NODE, first, sizeof(first), sizeof(first), 0x7f0000001000);
    rfw_reference(s, 0x7f0000002000, second, sizeof(second));
    rfw_reference(s, 0x7f0000003000, third, sizeof(third));
    rfw_pop(s, 1530, d);
    rfw_payload(s, LIST, listed, sizeof(listed), sizeof(listed), 0);
    rfw_payload(s, RAW, "\1\2\3", 3, 3, 0);
}

/* What 1.5 added: how good the clocks are, and a program with another CLOCK_MONOTONIC. */
static void record_clocks(struct rfw *w)
{
    struct rf_control *control = &w->control;
    const struct rf_clock_pair first = control->clock[0];
    control->time_namespace = 4026531834;
    control->quality[0] = (struct rf_clock_quality){1500, 20, RF_CLOCK_TAKEN | 1};
    control->quality[1] = (struct rf_clock_quality){
        16000000, UINT16_MAX, RF_CLOCK_TAKEN | RF_CLOCK_UNSYNC | RF_CLOCK_FAKED_MONO};
    control->clock[2] = (struct rf_clock_pair){
        first.ticks + 1000000000, first.mono_ns + 1001000000000, 0, first.real_ns + 1000000000};
    control->n_clocks = 3;
}

/* What 1.6 added: one of several files of a run. Of two processes whose range is open one goes on.
 */
static void record_piece(struct rfw *w)
{
    uint32_t p = rfw_process(w, 900, "goes on"), q = rfw_process(w, 901, "was killed");
    struct rfw_stream *s = rfw_stream(w, p, 0, 900, 1), *t = rfw_stream(w, q, 0, 901, 1);
    rfw_push(s, 1500, &(struct rfw_attr){.text = "ends in the next file"});
    (void)rfw_start(s, 1510, &(struct rfw_attr){.text = "this too"});
    rfw_push(t, 1520, &(struct rfw_attr){.text = "cut by a signal"});
    rfw_fact(w, p, 2600, RF_PROC_EXIT, 0, NULL);
    rfw_fact(w, p, 2700, RF_PROC_ALIVE, 0, NULL);
    w->control.pieces = (struct rf_pieces){.is_split = 1,
                                           .n_pieces = 3,
                                           .piece = 4,
                                           .goes_on = 1,
                                           .begin_ticks = RFW_TICKS_0 + 1200,
                                           .n_removed = 2,
                                           .removed_records = 1000,
                                           .removed_bytes = 40000};
}

/* What 1.8 added: heaps and regions of memory, and calls that make no sense. */
static void record_memory(struct rfw *w)
{
    const uint64_t pool = RF_MEMORY_HANDLES, arena = pool + 1, first = pool + 2;
    const uint32_t p = rfw_process(w, 1000, "memory"),
                   d = rfw_domain(w, p, 1300, 1000, "allocator");
    struct rfw_stream *s = rfw_stream(w, p, 0, 1000, 1);
    rfw_nvtx_heap(w, p, 1310, d, pool, 0x10000, 65536, "pool");
    rfw_nvtx_heap(w, p, 1310, d, arena, 0x80000, 4096, NULL);
    rfw_ext_words(s, 1350, d, RF_EXT_REGIONS,
                  (uint64_t[]){pool, first, 1, 0x10000, 100, 0x10100, 200, 0x10200, 300}, 9);
    rfw_ext_words(s, 1360, d, RF_EXT_REGIONS, (uint64_t[]){arena, 0, 1, 0x80000, 10}, 5);
    rfw_ext_words(s, 1370, 0, RF_EXT_REGIONS, (uint64_t[]){0, 0, 0x11, 0x7000, 0}, 5);
    rfw_ext_words(s, 1380, d, RF_EXT_RESIZE, (uint64_t[]){1, 0x10100, 250}, 3);
    rfw_ext_words(s, 1390, d, RF_EXT_REGION_NAME, (uint64_t[]){1 | (uint64_t)7 << 32, 0x10200, 0},
                  3);
    rfw_array(s, 1390, 0, "weights", 7);
    rfw_ext_words(s, 1400, d, RF_EXT_UNREGISTER, (uint64_t[]){2, first, first + 9, 0x10100}, 4);
    rfw_ext_words(s, 1410, d, RF_EXT_HEAP_END, (uint64_t[]){arena, 1}, 2);
    rfw_ext_words(s, 1420, d, RF_EXT_REGIONS, (uint64_t[]){0x10000, 0, 1, 0x10200, 30}, 5);
    rfw_ext_words(s, 1430, d, RF_EXT_REGIONS, (uint64_t[]){0xbad, 0, 1, 0x20000, 40}, 5);
    rfw_ext_words(s, 1440, d, RF_EXT_HEAP_END, (uint64_t[]){pool, 0}, 2);
    rfw_ext_words(s, 1450, d, RF_EXT_MEMORY_CALL, (uint64_t[]){7, 0, 0}, 3);
    rfw_ext_words(s, 1460, d, RF_EXT_MEMORY_CALL, (uint64_t[]){3, RF_MEMORY_COUNT, UINT64_MAX}, 3);
}

/* What 3.0 added: times of a counter that has every 24th and 25th value in turn. The times of
 * another thread are of no such counter, and those of a third of one that misses a step. */
static void record_steps(struct rfw *w)
{
    const uint32_t p = rfw_process(w, 1100, "steps");
    struct rfw_stream *s = rfw_stream(w, p, 0, 1100, 1), *t = rfw_stream(w, p, 1, 1101, 2);
    struct rfw_stream *u = rfw_stream(w, p, 2, 1102, 3);
    int64_t other = 1000;
    char name[64];
    for (int i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof(name), "a registered string, number %d", i);
        (void)rfw_string(w, p, 900 + i, 1100, 0, name);
    }
    for (int64_t i = 0; i < 120; i++) {
        const struct rfw_attr attr = {.text = i % 3 ? "inner" : "outer"};
        const int64_t begin = 1000 + 49 * 8 * i / 2, end = 1000 + 49 * (8 * i + i % 7 + 1) / 2;
        rfw_push(s, begin, &attr);
        rfw_pop(s, end, 0);
        rfw_push(t, other, &attr);
        rfw_pop(t, other + 1 + i % 3, 0);
        other += 5 + i * i % 17;
        rfw_push(u, begin + (i == 70 ? 3 : 0), &attr);
        rfw_pop(u, end, 0);
    }
    rfw_exit(w, p, 40000);
}

static int save_compressed(struct rfw *w, const char *path)
{
    char *folder = rfw_make_tmpdir(), session[4096];
    struct rf_packed packed;
    struct rf_err err;
    (void)snprintf(session, sizeof(session), "%s/golden.rfdir", folder);
    rfw_save_directory(w, session);
    const int status = rf_pack(session, path, 0, &packed, &err);
    if (status != RF_OK)
        (void)fprintf(stderr, "%s\n", err.text);
    rfw_remove_tree(folder);
    free(folder);
    return status == RF_OK ? 0 : 1;
}

static void record_everything(struct rfw *w)
{
    char text[3000];
    memset(text, 'x', sizeof(text));
    uint32_t q = rfw_process(w, 300, "other");
    struct rfw_stream *s = rfw_stream(w, q, 0, 300, 1);
    rfw_mark(s, 500, &(struct rfw_attr){.text = text, .text_size = 1000});
    rfw_next_part(s, 600);
    record_focused(w);
    record_cuda(w);
    record_salvaged(w);
    record_counters(w);
    record_payloads(w);
    record_clocks(w);
    record_piece(w);
    record_memory(w);
    (void)snprintf(w->control.message[0], RF_MESSAGE_SIZE, "a message for people");
}

int main(int argc, char **argv)
{
    struct rfw *w = rfw_new();
    const int is_compressed = argc == 3 && strcmp(argv[2], "--compress") == 0;
    int status = 0;
    if (argc != 2 && !is_compressed) {
        (void)fprintf(stderr, "usage: %s FILE [--compress]\n", argv[0]);
        return 2;
    }
    uint32_t p = rfw_process(w, 100, "app");
    rfw_fact(w, p, 0, RF_PROC_ENV, 0, "OMP_NUM_THREADS=2");
    record_parent(w, p);
    record_child(w, p);
    if (is_compressed) {
        w->control.version = RF_FORMAT_COMPRESSED;
        record_steps(w);
        status = save_compressed(w, argv[1]);
    } else {
        record_everything(w);
        rfw_save_packed(w, argv[1]);
    }
    rfw_free(w);
    return status;
}
