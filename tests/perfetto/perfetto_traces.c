/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto_traces FOLDER: recordings that are built in memory, in every form that Perfetto reads;
 * next to each its events as JSON lines and as a database, for comparison. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

enum { GPU_EVENTS = 1, BY_CATEGORY = 2, IS_KINETO = 4 };

static void export_as(const rf_recording *rec, const char *folder, const char *name,
                      const char *format, const char *ending, int how)
{
    char path[512];
    struct rf_err err = {0};
    const struct rf_kineto_options kineto = {.size = sizeof(kineto), .rank = -1};
    (void)snprintf(path, sizeof(path), "%s/%s.%s", folder, name, ending);
    struct rf_export_options options = {.size = sizeof(options),
                                        .format = format,
                                        .output = path,
                                        .can_overwrite = 1,
                                        .kineto = (how & IS_KINETO) != 0 ? &kineto : NULL,
                                        .gpu_events = (how & GPU_EVENTS) != 0,
                                        .tracks_by_category = (how & BY_CATEGORY) != 0};
    if (rf_export(rec, &options, &err) == RF_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", path, err.text);
    exit(1);
}

static void write_and_free(rf_recording *rec, const char *folder, const char *name)
{
    export_as(rec, folder, name, "perfetto", "pftrace", 0);
    export_as(rec, folder, name, "perfetto", "events.pftrace", GPU_EVENTS);
    export_as(rec, folder, name, "perfetto", "category.pftrace", BY_CATEGORY);
    export_as(rec, folder, name, "perfetto", "pftrace.gz", 0);
    export_as(rec, folder, name, "json", "json", 0);
    export_as(rec, folder, name, "json", "category.json", BY_CATEGORY);
    export_as(rec, folder, name, "json", "kineto.json", IS_KINETO);
    export_as(rec, folder, name, "fxt", "fxt", 0);
    export_as(rec, folder, name, "jsonl", "jsonl", 0);
    export_as(rec, folder, name, "sqlite", "sqlite", 0);
    fake_free(rec);
}

/* Names that are no text, ids that mean something else to viewers, times before 0. */
static rf_recording *hostile_new(void)
{
    rf_recording *rec = fake_new();
    size_t n_long = 3 << 20;
    char *text = malloc(n_long + 1);
    if (text == NULL)
        abort();
    memset(text, 'x', n_long);
    text[n_long] = '\0';
    memcpy(text + (1 << 20) - 1, "\xe2\x82\xac", 3); /* a character where it is cut */
    uint32_t zero = fake_process(rec, 0, "zero \xff");
    uint32_t thread = fake_thread(rec, zero, 0, "\xc3(");
    uint32_t bad = fake_domain(rec, zero, 77, NULL);
    fake_domain_at(rec, bad)->is_valid = 0;
    fake_domain_at(rec, bad)->handle = 0xdead;
    uint32_t domain = fake_domain(rec, zero, 1, "\xed\xa0\x80 domain");
    (void)fake_event(rec, thread, RF_EVENT_PUSH_POP, -500, 1000, domain, "\xf0\x9f\x98");
    (void)fake_event(rec, thread, RF_EVENT_PUSH_POP, -500, -500, bad, "bad domain");
    (void)fake_event(rec, thread, RF_EVENT_MARK, 0, RF_NO_TIME, bad, "\x80\x80");
    (void)fake_event(rec, thread, RF_EVENT_PUSH_POP, 10, 20, domain, text);
    (void)fake_event(rec, thread, RF_EVENT_PUSH_POP, 15, 15, domain, "");
    (void)fake_event(rec, thread, RF_EVENT_PUSH_POP, 15, 15, domain, "again");
    free(text);
    fake_info(rec)->epoch_mono_ns = 0;
    fake_info(rec)->epoch_utc_ns = 0;
    return rec;
}

/* Ranges of one domain that cross, more of them than there are lanes, and start/end ranges of which
 * many are open at once. */
static rf_recording *crossing_new(void)
{
    rf_recording *rec = fake_new();
    for (int i = 0; i < 100; i++)
        (void)fake_event(rec, 0, RF_EVENT_PUSH_POP, i, 1000 + i, 0, "crossing");
    for (int i = 0; i < 100; i++)
        (void)fake_start_end(rec, 0, 2000 + i, 3000 - i, 0, "overlapping");
    for (int i = 0; i < 100; i++)
        (void)fake_start_end(rec, 0, 4000 + i * 10, 4010 + i * 10, 0, "in turn");
    return rec;
}

/* More names than are remembered. */
static rf_recording *many_new(void)
{
    rf_recording *rec = fake_new();
    for (int i = 0; i < 70000; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "name %d", i);
        (void)fake_event(rec, 0, RF_EVENT_PUSH_POP, i * 10, i * 10 + 5, 0, name);
        if (i % 100 == 0)
            (void)fake_event(rec, 0, RF_EVENT_MARK, i * 10 + 7, RF_NO_TIME, 0, "common");
    }
    return rec;
}

/* Counters of two GPUs, in two sets, more of them than are described together; of a process, of the
 * machine, and ones with few samples. */
static rf_recording *counters_new(void)
{
    char name[64];
    rf_recording *rec = fake_new();
    (void)fake_gpu(rec, 0, "Example GPU");
    for (int i = 0; i < 70; i++) {
        (void)snprintf(name, sizeof(name), "SM Part %d [Throughput %%]", i);
        (void)fake_counter(rec, 0, RF_NO_INDEX, i < 35 ? "Set A" : "Set B", name);
        for (int k = 0; k < 20; k++)
            fake_sample(rec, -50 + 100 * k, i + k);
    }
    (void)fake_counter(rec, 0, RF_NO_INDEX, "Set C", "SM Part 0 [Throughput %]"); /* again */
    fake_sample(rec, 10, 0.25);
    fake_sample(rec, 35, -1.5e300);
    (void)fake_counter(rec, 1, RF_NO_INDEX, NULL, "GPC Clock Frequency [MHz]");
    fake_sample(rec, 100, 1980e6); /* nsys's label says MHz, its values are in Hz */
    fake_sample(rec, 100, 1981e6);
    (void)fake_counter(rec, 1, RF_NO_INDEX, NULL, "no samples");
    (void)fake_counter(rec, 0, 0, NULL, "Device memory in use [bytes]");
    fake_sample(rec, 100, 0);
    fake_sample(rec, 200, 4096);
    fake_sample(rec, 300, 1024.5);
    (void)fake_counter(rec, RF_NO_INDEX, RF_NO_INDEX, NULL, "Power [W]");
    fake_sample(rec, 700, 3);
    (void)fake_counter(rec, RF_NO_INDEX, RF_NO_INDEX, NULL, NULL);
    return rec;
}

static struct rf_nvtx_counter *nvtx_counter(rf_recording *rec, const char *name, uint32_t domain,
                                            const double values[3])
{
    (void)fake_counter(rec, RF_NO_INDEX, 0, NULL, name);
    for (int i = 0; i < 3; i++)
        fake_sample(rec, 100 + 100 * i, values[i]);
    return fake_nvtx_counter(rec, domain);
}

/* Counters of NVTX: with a gap, of a thread, differences that hold up to their time, of a scope. */
static rf_recording *nvtx_counters_new(void)
{
    rf_recording *rec = fake_new();
    uint32_t engine = fake_domain(rec, 0, 1, "engine");
    uint32_t worker = fake_thread(rec, 0, 101, "worker");
    (void)fake_event(rec, 0, RF_EVENT_PUSH_POP, 0, 1000, 0, "work");
    struct rf_nvtx_counter *nvtx =
        nvtx_counter(rec, "queue", engine, (const double[]){4, (double)NAN, 8});
    nvtx->unit = fake_string(rec, "jobs");
    nvtx->description = fake_string(rec, "jobs that wait");
    nvtx = nvtx_counter(rec, "memory", 0, (const double[]){1, 2, 3});
    nvtx->unit = fake_string(rec, "bytes");
    nvtx->thread = worker;
    nvtx->scope = fake_string(rec, "thread");
    nvtx = nvtx_counter(rec, "read", engine, (const double[]){512, 256, (double)INFINITY});
    nvtx->scope = fake_string(rec, "host/disk[0]");
    nvtx->value_type = RF_COUNTER_DELTA;
    nvtx->interpolation = RF_COUNTER_SINCE_LAST;
    nvtx->scale_denominator = 1024;
    nvtx->factor = 1.0 / 1024;
    return rec;
}

static void in_category(rf_recording *rec, uint32_t thread, int kind, int64_t start_ns,
                        uint32_t domain, uint32_t category)
{
    char name[32];
    (void)snprintf(name, sizeof(name), "%u in %u", category, domain);
    struct rf_event *event =
        fake_event(rec, thread, kind, start_ns, kind == RF_EVENT_MARK ? RF_NO_TIME : start_ns + 100,
                   domain, name);
    event->flags = RF_EVENT_HAS_CATEGORY;
    event->category = category;
}

/* Ranges of categories with names and without, in domains that have ranges of no category and in
 * one that has none, on two threads. */
static rf_recording *categories_new(void)
{
    rf_recording *rec = fake_new();
    uint32_t library = fake_domain(rec, 0, 1, "library");
    uint32_t other = fake_thread(rec, 0, 101, "other");
    fake_category_name(rec, 0, 1, "io");
    fake_category_name(rec, library, 1, "math");
    (void)fake_event(rec, 0, RF_EVENT_PUSH_POP, 0, 1000, 0, "of no category");
    in_category(rec, 0, RF_EVENT_PUSH_POP, 10, 0, 1);
    in_category(rec, 0, RF_EVENT_PUSH_POP, 50, 0, 2); /* crosses the one before */
    in_category(rec, 0, RF_EVENT_PUSH_POP, 80, 0, 1); /* crosses one of its own category */
    in_category(rec, 0, RF_EVENT_MARK, 90, 0, 0);
    in_category(rec, other, RF_EVENT_PUSH_POP, 10, library, 1);
    in_category(rec, other, RF_EVENT_MARK, 20, library, UINT32_MAX);
    for (int i = 0; i < 3; i++) {
        struct rf_event *event = fake_start_end(rec, other, 30 + i, 60, other, "copying");
        event->flags = i < 2 ? RF_EVENT_HAS_CATEGORY : 0;
        event->category = 1;
    }
    return rec;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    write_and_free(sample_new(), argv[1], "sample");
    write_and_free(sample_focused_new(), argv[1], "focused");
    write_and_free(sample_gpu_new(), argv[1], "gpu");
    write_and_free(fake_new(), argv[1], "empty");
    write_and_free(hostile_new(), argv[1], "hostile");
    write_and_free(crossing_new(), argv[1], "crossing");
    write_and_free(many_new(), argv[1], "many");
    write_and_free(counters_new(), argv[1], "counters");
    write_and_free(categories_new(), argv[1], "categories");
    write_and_free(nvtx_counters_new(), argv[1], "nvtx_counters");
    return 0;
}
