/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the seeds of the corpora: small recordings with something of everything. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "log/chunks.h"
#include "log/pack.h"
#include "rf_counter_writer.h"
#include "rf_cuda_writer.h"
#include "rf_payload_writer.h"

/* Two samplers with a loss, a step back in time, and a value that is no number. */
static void add_metrics(struct rfw *w)
{
    static const char *const texts[] = {"GH100", "H200", "0000:3b:00.0", "set",
                                        "m1",    "l1",   "m2",           "l2"};
    const struct rf_metrics_head lost = {
        .kind = RF_METRICS_LOST, .n = 3, .start_ns = RFW_REAL_NS_0, .end_ns = RFW_REAL_NS_0 + 9};
    rfw_metrics_source(w, 0, 0, texts, 2);
    rfw_metrics_source(w, 1, 1, texts, 1);
    rfw_metrics_samples(w, 0, 2, (double[]){10, 20, 1, 2, 20, 30, 3, 4}, 2);
    (void)rfw_metrics(w, 0, 40, &lost, NULL, 0);
    rfw_metrics_samples(w, 1, 1, (double[]){10, 20, 5}, 1);
    rfw_metrics_samples(w, 0, 2, (double[]){5000000, 5000100, 5, 6}, 1);
    rfw_metrics_samples(w, 0, 2, (double[]){40, 50, 7, (double)NAN, 30, 40, 8, 9}, 2);
}

/* A group with its times, a number of a thread, a batch, and samples that do not fit. */
static void add_counters(struct rfw *w, uint32_t p, uint32_t d, struct rfw_stream *s)
{
    const uint64_t group = 1 << 24, memory = (uint64_t)1 << 32, queue = memory + 1,
                   disk = memory + 2;
    const struct rfw_nvtx_entry entries[] = {
        {.type = RFW_NVTX_UINT32, .name = "used", .flags = RFW_NVTX_COUNTER},
        {.type = RFW_NVTX_FLOAT32, .name = "share", .flags = RFW_NVTX_COUNTER, .offset = 4},
        {.type = RFW_NVTX_INT64, .name = "at", .flags = RFW_NVTX_TIMESTAMP, .offset = 8}};
    const uint64_t samples[] = {1, RFW_TICKS_0 + 36, 2, RFW_TICKS_0 + 35};
    const uint64_t times[] = {RFW_TICKS_0 + 40, 3};
    rfw_nvtx_schema(w, p, 7, d, group, 16, entries, 3);
    rfw_nvtx_scope(w, p, 7, d, disk, 1, "host/disk");
    rfw_nvtx_counter(
        w, p, 8,
        &(struct rfw_nvtx_counter){.domain = d, .id = memory, .schema = group, .name = "memory"});
    rfw_nvtx_counter(w, p, 8,
                     &(struct rfw_nvtx_counter){.domain = d,
                                                .id = queue,
                                                .schema = RFW_NVTX_INT64,
                                                .name = "queue",
                                                .unit = "jobs",
                                                .scope = RFW_NVTX_THREAD,
                                                .flags = 4 | 1 << 4 | 4 << 8,
                                                .numerator = 2,
                                                .denominator = 3,
                                                .limit_type = 1,
                                                .clock = 1});
    rfw_ext(s, 33, d, RF_EXT_BATCH, memory, 0);
    rfw_array(s, 33, 0, samples, sizeof(samples));
    rfw_ext(s, 34, d, RF_EXT_SAMPLE, memory, 0);
    rfw_array(s, 34, 0, samples, 12);
    rfw_int64(s, 35, d, queue, 5);
    rfw_float64(s, 36, d, queue, 0.5);
    rfw_ext(s, 37, d, RF_EXT_NO_VALUE, queue, 1);
    rfw_ext(s, 38, d, RF_EXT_BATCH, queue, (uint64_t)1 << 32);
    rfw_array(s, 38, 0, samples, sizeof(samples));
    rfw_array(s, 38, 1, times, sizeof(times));
    rfw_int64(s, 39, d, disk, 5);
}

/* Batches of ranges that cross others, and of events that vary in size; a single one. */
static void add_deferred(struct rfw *w, uint32_t p, uint32_t d, struct rfw_stream *s)
{
    const uint64_t range = 2 << 24, text = range + 1, event = 22;
    const struct rfw_entry ranges[] = {{3 << 11, RFW_NVTX_INT64, "begin", 0, 0},
                                       {5 << 11, RFW_NVTX_INT64, "end", 0, 8},
                                       {0, 70, "scope", 0, 16}};
    const struct rfw_entry texts[] = {{7 << 11, RFW_NVTX_INT64, "at", 0, 0},
                                      {1 << 10 | 2 << 4 | 1 << 2, 76, "text", 0, 0},
                                      {0, 67, "id", 0, 0}};
    const uint64_t a = RFW_TICKS_0 + 10,
                   events[] = {a, a + 9, event, a + 3, a + 12, event, a, 0, 0};
    const uint64_t dynamic[] = {a, 2, 5, a + 1, 4, 6, 7};
    rfw_define_schema(w, p, &(struct rfw_schema){range, d, 1, "range", 2 << 3, 24, 0}, ranges, 3);
    rfw_define_schema(w, p, &(struct rfw_schema){text, d, 2, "text", 5 << 3, 0, 0}, texts, 3);
    rfw_batch(s, 40, d, range, 21, 0, 0);
    rfw_array(s, 40, 0, events, sizeof(events));
    rfw_batch(s, 41, d, text, 0, 1, 0x1000);
    rfw_array(s, 41, 0, dynamic, sizeof(dynamic));
    rfw_array(s, 41, 1, "one\0two", 8);
    rfw_ext(s, 42, d, RF_EXT_EVENT, 0, 0);
    rfw_payload(s, range, events, 24, 24, 0);
}

/* Heaps and regions of every kind, some of which are not there. */
static void add_memory(struct rfw *w, uint32_t p, uint32_t d, struct rfw_stream *s)
{
    const uint64_t pool = RF_MEMORY_HANDLES, arena = pool + 1, first = pool + 2;
    rfw_nvtx_heap(w, p, 9, d, pool, 0x10000, 65536, "pool");
    rfw_nvtx_heap(w, p, 9, d, arena, 0x80000, 4096, NULL);
    rfw_ext_words(s, 43, d, RF_EXT_REGIONS,
                  (uint64_t[]){pool, first, 1, 0x10000, 100, 0x10100, 200, 0x10200, 300}, 9);
    rfw_ext_words(s, 43, d, RF_EXT_REGIONS, (uint64_t[]){arena, 0, 1, 0x80000, 10}, 5);
    rfw_ext_words(s, 43, 0, RF_EXT_REGIONS, (uint64_t[]){0, 0, 0x11, 0x7000, 0}, 5);
    rfw_ext_words(s, 44, d, RF_EXT_RESIZE, (uint64_t[]){1, 0x10100, 250}, 3);
    rfw_ext_words(s, 44, d, RF_EXT_REGION_NAME, (uint64_t[]){1 | (uint64_t)7 << 32, 0x10200, 0}, 3);
    rfw_array(s, 44, 0, "weights", 7);
    rfw_ext_words(s, 45, d, RF_EXT_UNREGISTER, (uint64_t[]){2, first, first + 9, 0x10100}, 4);
    rfw_ext_words(s, 45, d, RF_EXT_HEAP_END, (uint64_t[]){arena, 1}, 2);
    rfw_ext_words(s, 46, d, RF_EXT_REGIONS, (uint64_t[]){0x10000, 0, 1, 0x10200, 30}, 5);
    rfw_ext_words(s, 46, d, RF_EXT_REGIONS, (uint64_t[]){0xbad, 0, 1, 0x20000, 40}, 5);
    rfw_ext_words(s, 47, d, RF_EXT_HEAP_END, (uint64_t[]){pool, 0}, 2);
    rfw_ext_words(s, 47, d, RF_EXT_MEMORY_CALL, (uint64_t[]){7, 0, 0}, 3);
    rfw_ext_words(s, 47, d, RF_EXT_MEMORY_CALL, (uint64_t[]){3, RF_MEMORY_COUNT, UINT64_MAX}, 3);
}

/* Every record and definition once, in two processes and four streams. */
static struct rfw *everything(void)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    uint32_t d = rfw_domain(w, p, 1, 100, "lib"), r = rfw_string(w, p, 2, 100, d, "registered");
    uint32_t lock = rfw_sync_create(w, p, 3, 100, d, "lock");
    uint32_t buffer = rfw_resource(w, p, 3, 100, d, 1, 0x100, "buffer");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    struct rfw_stream *h = rfw_stream(w, p, 2, 100, 1);
    rfw_category(w, p, 4, 100, d, 7, "category");
    rfw_thread_name(w, p, 5, 100, 101, "worker");
    rfw_object_name(w, p, 6, 100, RF_OBJECT_CU_STREAM, 0x55, "stream");
    rfw_push(s, 10,
             &(struct rfw_attr){.text = "push", .has_color = 1, .color = 0xff00ff00, .domain = d});
    rfw_mark(h, 12, &(struct rfw_attr){.text = "handler"});
    uint64_t id =
        rfw_start(s, 15, &(struct rfw_attr){.string = r, .payload_kind = 3, .payload = 9});
    (void)rfw_start(t, 16, &(struct rfw_attr){.text = "open", .domain = d});
    rfw_mark(s, 17, &(struct rfw_attr){.has_category = 1, .category = 7, .domain = 0xffffff});
    rfw_push(t, 18, &(struct rfw_attr){.is_null_message = 1});
    rfw_end(t, 19, id);
    rfw_sync(s, 20, lock, RF_SYNC_ACQUIRE_SUCCESS);
    rfw_pop(s, 21, d);
    rfw_pop(s, 22, 0);
    rfw_next_part(s, 23)->part.lost_records = 1;
    rfw_mark(s, 24, NULL);
    rfw_thread_end(t, 25, "worker");
    rfw_thread(t, 26, 102, 3, "next");
    rfw_push(t, 27, &(struct rfw_attr){.string = 99});
    rfw_cuda_names(w, p);
    rfw_cuda_clocks(w, p);
    rfw_cuda_def(w, p, 27, RF_CUDA_DEF_OBJECT, 13, 0x55, RF_OBJECT_CU_STREAM, "context=1\n");
    rfw_cuda_everything(t, 100, 1000, 1);
    add_counters(w, p, d, s);
    add_deferred(w, p, d, s);
    add_memory(w, p, d, s);
    rfw_resource_destroy(w, p, 28, 100, buffer);
    rfw_sync_destroy(w, p, 28, 100, lock);
    rfw_domain_destroy(w, p, 29, 100, d);
    uint32_t q = rfw_process_bare(w);
    rfw_fact(w, q, 30, RF_PROC_PID, 200, NULL);
    rfw_fact(w, q, 30, RF_PROC_FORK_OF, p, NULL);
    struct rfw_stream *u = rfw_stream(w, q, 0, 200, 1);
    rfw_mark(u, 31, &(struct rfw_attr){.string = r, .domain = d});
    rfw_end(u, 32, id);
    rfw_exit(w, q, 40);
    add_metrics(w);
    return w;
}

static void save(const char *folder, const char *name, const void *data, size_t size)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    rfw_write_file(path, data, size);
}

static void seed_packed(const char *folder)
{
    struct rfw *w = rfw_new();
    struct rfw_bytes bytes;
    rfw_packed_bytes(w, &bytes);
    save(folder, "seed-empty", bytes.data, bytes.size);
    free(bytes.data);
    rfw_free(w);
    w = everything();
    rfw_packed_bytes(w, &bytes);
    save(folder, "seed-everything", bytes.data, bytes.size);
    /* without session and index: what a fuzzer can change without meeting a checksum */
    save(folder, "seed-no-index", bytes.data,
         (size_t)((uint8_t *)memmem(bytes.data, bytes.size, RF_CONTROL_MAGIC, 8) - bytes.data) -
             64);
    free(bytes.data);
    rfw_free(w);
}

static void add_section(struct rfw_bytes *out, unsigned kind, unsigned process, const void *data,
                        size_t size)
{
    const uint8_t *p = data;
    while (size > 0) {
        size_t n = size < 4088 ? size : 4088;
        unsigned head = kind | process << 2 | (unsigned)n << 4;
        uint8_t two[2] = {(uint8_t)head, (uint8_t)(head >> 8)};
        rfw_add(out, two, 2);
        rfw_add(out, p, n);
        p += n;
        size -= n;
    }
}

/* The first piece has the begin of the first part of the first stream, where a range is open, and
 * all of the second one. */
static void add_taken(struct rfw_bytes *out, const struct rfw *w)
{
    struct rfw_bytes taken = {0}, part = {0};
    for (uint32_t slot = 0; slot < 2; slot++) {
        const struct rf_taken what = {.n_starts = slot,
                                      .offset = slot == 0 ? RF_PART_RECORDS_OFFSET + 24 : 400,
                                      .tid = 100 + slot,
                                      .serial = 1 + slot,
                                      .n_parts = slot == 0};
        const struct rf_chunk_header chunk = {.magic = RF_CHUNK_MAGIC,
                                              .type = RF_CHUNK_TAKEN,
                                              .header_size = sizeof(chunk),
                                              .size = sizeof(what),
                                              .slot = slot,
                                              .seq = 1 + slot,
                                              .ticks = RFW_TICKS_0};
        rfw_add(&taken, &chunk, sizeof(chunk));
        rfw_add(&taken, &what, sizeof(what));
        if (slot == 0) {
            rfw_part_bytes(w->process[0]->stream[1]->part[0], &part);
            rfw_add(&taken, part.data, part.size);
        }
    }
    add_section(out, 0, 0, taken.data, taken.size);
    free(taken.data);
    free(part.data);
}

/* A part and definitions that compress, and the log of a session that does it. */
static void seed_compressed(const char *files, const char *directories, const char *chunks)
{
    struct rfw *w = everything();
    struct rfw_bytes bytes = {0}, out = {0};
    struct rfw_stream *s = w->process[0]->stream[0];
    char *work = rfw_make_tmpdir(), session[4096], packed[4096];
    w->control.version = RF_FORMAT_COMPRESSED;
    for (int64_t i = 0; i < 90; i++) {
        rfw_push(s, 200 + 10 * i, &(struct rfw_attr){.text = i % 3 ? "one name" : "another name"});
        rfw_end(s, 205 + 10 * i, rfw_start(s, 202 + 10 * i, NULL));
        rfw_pop(s, 206 + 10 * i, 0);
        (void)rfw_string(w, 0, 200 + i, 100, 0, "a registered string");
    }
    (void)snprintf(session, sizeof(session), "%s/a.rfdir", work);
    (void)snprintf(packed, sizeof(packed), "%s/a.rf", work);
    rfw_save_directory(w, session);
    if (rf_pack(session, packed, false, NULL, NULL) != RF_OK)
        abort();
    rfw_read_file(packed, &bytes);
    save(files, "seed-compressed", bytes.data, bytes.size);
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    add_section(&out, 0, 0, (uint8_t *)&w->control + 16, 272);
    rf_chunk_walk_init(&walk, bytes.data, bytes.size, sizeof(struct rf_file_header));
    for (int n = 0; rf_chunk_walk_next(&walk, &chunk);) {
        char name[64];
        if (chunk.header.type != RF_CHUNK_COMPRESSED && chunk.header.type != RF_CHUNK_PART)
            continue;
        add_section(&out, 1, chunk.header.process, bytes.data + chunk.offset, chunk.size);
        (void)snprintf(name, sizeof(name), "seed-%d", n++);
        if (chunk.header.type == RF_CHUNK_COMPRESSED)
            save(chunks, name, bytes.data + chunk.offset, chunk.size);
    }
    const struct rf_chunk_header moment = {.magic = RF_CHUNK_MAGIC,
                                           .type = RF_CHUNK_MOMENT,
                                           .header_size = sizeof(moment),
                                           .size = sizeof(struct rf_moment),
                                           .seq = 1,
                                           .ticks = RFW_TICKS_0 + (1ULL << 52)};
    const struct rf_moment held = {RF_PART_RECORDS_OFFSET};
    add_section(&out, 1, 0, &moment, sizeof(moment));
    memcpy(out.data + out.size - sizeof(moment) - 2,
           &(uint16_t){1 | (sizeof(moment) + sizeof(held)) << 4}, 2);
    rfw_add(&out, &held, sizeof(held));
    save(directories, "seed-compressed", out.data, out.size);
    free(bytes.data);
    free(out.data);
    rfw_remove_tree(work);
    free(work);
    rfw_free(w);
}

static void seed_directory(const char *folder)
{
    struct rfw *w = everything();
    struct rfw_bytes out = {0}, pool = {0};
    add_section(&out, 0, 0, (uint8_t *)&w->control + 16, 272);
    for (unsigned i = 0; i < w->n_processes; i++) {
        const struct rfw_process *p = w->process[i];
        add_section(&out, 2, i, p->defs.data, p->defs.size);
        for (size_t k = 0; k < p->n_streams; k++) {
            struct rfw_bytes part = {0};
            rfw_part_bytes(p->stream[k]->part[0], &part);
            add_section(&out, 1, i, part.data, part.size);
            free(part.data);
        }
    }
    add_section(&out, 1, 3, w->metrics.data, w->metrics.size);
    save(folder, "seed-logs", out.data, out.size);
    add_taken(&out, w);
    save(folder, "seed-pieces", out.data, out.size);
    out.size = 0;
    struct rf_pool_slot slot[2] = {{.part = {{1, RF_PART_ACTIVE, 0}, {0, 0, 0}}},
                                   {.part = {{1, RF_PART_FULL, 400}, {2, RF_PART_ACTIVE, 0}}}};
    rfw_add(&pool, slot, sizeof(slot));
    for (int i = 0; i < 4; i++) {
        struct rfw_bytes part = {0};
        struct rfw_stream *s = w->process[0]->stream[i / 2];
        rfw_part_bytes(s->part[i == 1 ? 1 : 0], &part);
        while (part.size < 480)
            rfw_add(&part, &(uint64_t){0}, 8);
        rfw_add(&pool, part.data, 480);
        free(part.data);
    }
    add_section(&out, 3, 0, pool.data, pool.size);
    add_section(&out, 2, 0, w->process[0]->defs.data, w->process[0]->defs.size);
    save(folder, "seed-pool", out.data, out.size);
    free(out.data);
    free(pool.data);
    rfw_free(w);
}

/* As `rangefinder profile` packs it: what its parts come to stands in a chunk of its own. */
static void seed_counts(const char *folder)
{
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app"), d = rfw_domain(w, p, 1, 100, "domain");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    char *work = rfw_make_tmpdir(), session[4096], packed[4096];
    struct rfw_bytes bytes = {0};
    for (int64_t i = 0; i < 6; i++) {
        rfw_push(s, 10 * i + 10, &(struct rfw_attr){.text = "outer"});
        rfw_push(s, 10 * i + 12, &(struct rfw_attr){.text = "inner", .domain = d});
        rfw_mark(s, 10 * i + 13, &(struct rfw_attr){.text = "mark"});
        rfw_pop(s, 10 * i + 14, d);
        (void)rfw_next_part(s, 10 * i + 15); /* a range is open from part to part */
        rfw_pop(s, 10 * i + 16, 0);
        rfw_push(t, 10 * i + 17, &(struct rfw_attr){.text = "range", .domain = d});
    }
    rfw_end(t, 90, rfw_start(t, 80, &(struct rfw_attr){.text = "start"}));
    (void)snprintf(session, sizeof(session), "%s/a.rfdir", work);
    (void)snprintf(packed, sizeof(packed), "%s/a.rf", work);
    rfw_save_directory(w, session);
    if (rf_pack(session, packed, false, NULL, NULL) != RF_OK)
        abort();
    rfw_read_file(packed, &bytes);
    save(folder, "seed-counts", bytes.data, bytes.size);
    free(bytes.data);
    rfw_remove_tree(work);
    free(work);
    rfw_free(w);
}

/* The same as a focused run with two captures. */
static void seed_focused(const char *files, const char *directories)
{
    struct rfw *w = everything();
    struct rfw_bytes out = {0}, session = {0};
    struct rfw_stream *s = w->process[0]->stream[0];
    rfw_counter(s, 33, 40);
    (void)rfw_start(s, 34, NULL);
    rfw_void(s, 35, 3);
    s->part[1]->part.is_first = 1;
    rfw_cuda_everything(s, 100, 5100000, 20);
    rfw_mark(s, 5500000, NULL); /* long after all the rest */
    rfw_focus(w, 1);
    rfw_window(w, 14, 20);
    rfw_window(w, 5000000, 6000000);
    rfw_packed_bytes(w, &out);
    save(files, "seed-focused", out.data, out.size);
    out.size = 0;
    w->control.records_all = 2; /* fuzz_dir.c */
    rfw_add(&session, (uint8_t *)&w->control + 16, 272);
    rfw_add(&session, w->control.window, 2 * sizeof(w->control.window[0]));
    add_section(&out, 0, 0, session.data, session.size);
    for (unsigned i = 0; i < w->n_processes; i++) {
        const struct rfw_process *p = w->process[i];
        add_section(&out, 2, i, p->defs.data, p->defs.size);
        for (size_t k = 0; k < p->n_streams; k++) {
            for (size_t m = 0; m < p->stream[k]->n_parts; m++) {
                struct rfw_bytes part = {0};
                rfw_part_bytes(p->stream[k]->part[m], &part);
                add_section(&out, 1, i, part.data, part.size);
                free(part.data);
            }
        }
    }
    add_section(&out, 1, 3, w->metrics.data, w->metrics.size);
    save(directories, "seed-focused", out.data, out.size);
    free(out.data);
    free(session.data);
    rfw_free(w);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        (void)fprintf(stderr,
                      "usage: %s CORPUS_OF_FILES CORPUS_OF_DIRECTORIES CORPUS_OF_COMPRESSED\n",
                      argv[0]);
        return 2;
    }
    (void)mkdir(argv[1], 0777);
    (void)mkdir(argv[2], 0777);
    (void)mkdir(argv[3], 0777);
    seed_packed(argv[1]);
    seed_counts(argv[1]);
    seed_directory(argv[2]);
    seed_focused(argv[1], argv[2]);
    seed_compressed(argv[1], argv[2], argv[3]);
    return 0;
}
