/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include <math.h>
#include <string.h>

#include "model/ranks.h"

#define NONE RF_NO_TIME

static struct rf_event *mark(rf_recording *rec, int64_t ns, uint32_t domain, const char *name)
{
    return fake_event(rec, 0, RF_EVENT_MARK, ns, NONE, domain, name);
}

static struct rf_event *push(rf_recording *rec, uint32_t thread, int64_t start_ns, int64_t end_ns,
                             uint32_t domain, const char *name)
{
    return fake_event(rec, thread, RF_EVENT_PUSH_POP, start_ns, end_ns, domain, name);
}

static void payload(struct rf_event *event, int type, uint64_t bits)
{
    event->payload_type = (uint8_t)type;
    event->payload = bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Ranges of three domains that cross on one thread, texts of every awkward sort. */
static void add_main_thread(rf_recording *rec, uint32_t domain, uint32_t nameless)
{
    struct rf_event *event;
    fake_event(rec, 0, RF_EVENT_DOMAIN_CREATE, 1000, NONE, domain, "my.domain");
    fake_event(rec, 0, RF_EVENT_DOMAIN_CREATE, 1010, NONE, domain, "my.domain");
    fake_event(rec, 0, RF_EVENT_DOMAIN_CREATE, 1020, NONE, nameless, NULL);
    event = fake_event(rec, 0, RF_EVENT_CATEGORY, 1100, NONE, 0, "io, \"disk\"");
    event->category = 5;
    event = fake_event(rec, 0, RF_EVENT_CATEGORY, 1110, NONE, domain, "zero");
    event->category = 0;
    push(rec, 0, 2000, 9000, 0, "outer");
    event = push(rec, 0, 2001, 5000, domain, "crossing begins");
    event->flags = RF_EVENT_HAS_COLOR | RF_EVENT_HAS_CATEGORY;
    event->color = 0xffff8000;
    event->category = 5;
    push(rec, 0, 2500, 8000, 0, "inner");
    push(rec, 0, 3000, 3000, 0, "zero length");
    push(rec, 0, 4000, 8500, nameless, "in a domain without name");
    push(rec, 0, 6000, 7000, 0, "same");
    push(rec, 0, 6000, 7000, 0, "same");
    event = push(rec, 0, 10000, 90000, domain, "never popped");
    event->cut = RF_CUT_KILLED;
    event = mark(rec, 11000, 0, "registered");
    event->flags = RF_EVENT_REGISTERED;
    event = mark(rec, 11010, domain, "registered");
    event->flags = RF_EVENT_REGISTERED;
    event = mark(rec, 11020, 0, "0x1234");
    event->flags = RF_EVENT_REGISTERED | RF_EVENT_BAD_HANDLE;
    mark(rec, 11100, 0, "");
    mark(rec, 11110, 0, NULL);
    mark(rec, 11120, 0, "bad \xff\xfe\xc3 end\xe2\x82");
    mark(rec, 11130, 0, "tab\there \"quoted\" back\\slash\nnew\x1b[31mline\x7f");
    mark(rec, 11140, 0, "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80 \xc2\x9b");
}

static void add_payloads(rf_recording *rec)
{
    struct rf_event *event = mark(rec, 12000, 0, "payload");
    payload(event, RF_TYPE_UINT64, UINT64_MAX);
    event = mark(rec, 12001, 0, "payload");
    payload(event, RF_TYPE_INT64, (uint64_t)-5);
    event = mark(rec, 12002, 0, "payload");
    payload(event, RF_TYPE_DOUBLE, double_bits(0.1));
    event = mark(rec, 12003, 0, "payload");
    payload(event, RF_TYPE_UINT32, 0xffffffff);
    event = mark(rec, 12004, 0, "payload");
    payload(event, RF_TYPE_INT32, (uint32_t)-7);
    event = mark(rec, 12005, 0, "payload");
    payload(event, RF_TYPE_FLOAT, float_bits(1.1f));
    event = mark(rec, 12006, 0, "payload");
    payload(event, RF_TYPE_DOUBLE, double_bits((double)NAN));
    event = mark(rec, 12007, 0, "payload");
    payload(event, RF_TYPE_FLOAT, float_bits(INFINITY));
    event = mark(rec, 12008, 0, "payload");
    payload(event, RF_TYPE_OTHER, 0xabcdef);
    event = mark(rec, 12009, 0, "color");
    event->flags = RF_EVENT_HAS_COLOR;
    event->color = 0;
    event = mark(rec, 12010, 0, "category zero");
    event->flags = RF_EVENT_HAS_CATEGORY;
}

static void add_objects(rf_recording *rec, uint32_t domain)
{
    struct rf_event *event = fake_event(rec, 0, RF_EVENT_OBJECT_NAME, 13000, NONE, 0, "my stream");
    event->object_kind = RF_NAMED_CUDA_STREAM;
    event->handle = 0x7f0000001000;
    event = fake_event(rec, 0, RF_EVENT_RESOURCE, 13010, NONE, domain, "my mutex");
    event->identifier_type = 0x10003;
    event->identifier = 0xffffffff80001000;
    event->resource_index = 1;
    event = fake_event(rec, 0, RF_EVENT_RESOURCE_DESTROY, 13020, NONE, domain, NULL);
    event->resource_index = 1;
    event->handle = 1;
    event = fake_event(rec, 0, RF_EVENT_SYNC_CREATE, 13030, NONE, domain, "lock");
    event->sync_index = 2;
    for (uint32_t operation = 1; operation <= 4; operation++) {
        event = fake_event(rec, 0, RF_EVENT_SYNC, 13030 + 10 * operation, NONE, domain, "lock");
        event->sync_index = 2;
        event->sync_operation = operation;
        event->handle = 2;
    }
    event = fake_event(rec, 0, RF_EVENT_SYNC_DESTROY, 13080, NONE, domain, NULL);
    event->sync_index = 2;
    event->handle = 2;
    fake_event(rec, 0, RF_EVENT_DOMAIN_DESTROY, 14000, NONE, domain, NULL);
}

/* A named thread, a range that it ends for another, a tid that is used again. */
static void add_worker(rf_recording *rec)
{
    uint32_t worker = fake_thread(rec, 0, 101, "worker, \"1\"");
    fake_thread_at(rec, worker)->is_named = 1;
    fake_thread_at(rec, worker)->end_ns = 50000;
    struct rf_event *event =
        fake_event(rec, worker, RF_EVENT_THREAD_NAME, 1500, NONE, 0, "worker, \"1\"");
    event->named_tid = 101;
    event = fake_event(rec, worker, RF_EVENT_THREAD_NAME, 1600, NONE, 0, "stranger");
    event->named_tid = 12345;
    push(rec, worker, 20000, 21000, 0, "same");
    event = push(rec, worker, 30000, 50000, 0, "same");
    event->cut = RF_CUT_THREAD_ENDED;
    event = fake_start_end(rec, 0, 15000, 40000, worker, "handed over");
    payload(event, RF_TYPE_UINT64, 42);
    event = fake_start_end(rec, 0, 16000, 16000, 0, "clamped");
    event->flags = RF_EVENT_CLAMPED | RF_EVENT_FOREIGN_END;
    uint32_t again = fake_thread(rec, 0, 101, "app");
    push(rec, again, 60000, 61500, 0, "same");
}

/* A fork's child that never created the domain it uses, exec, and a handle nobody gave. */
static void add_children(rf_recording *rec)
{
    uint32_t child = fake_process(rec, 200, "child");
    fake_process_at(rec, child)->parent = 0;
    fake_process_at(rec, child)->first_ns = 70000;
    uint32_t inherited = fake_domain(rec, child, 1, "my.domain");
    uint32_t bogus = fake_domain(rec, child, 0x1234, NULL);
    fake_domain_at(rec, bogus)->is_valid = 0;
    fake_domain_at(rec, bogus)->handle = 0x1234;
    uint32_t thread = fake_thread(rec, child, 200, NULL);
    push(rec, thread, 71000, 72000, inherited, "never popped");
    push(rec, thread, 73000, 74000, bogus, "lost its domain");
    uint32_t image = fake_process(rec, 200, "exec'd \xff");
    fake_process_at(rec, image)->first_ns = 80000;
    fake_process_at(rec, image)->exit_ns = 90000;
    thread = fake_thread(rec, image, 200, "exec'd");
    fake_event(rec, thread, RF_EVENT_MARK, 81000, NONE, fake_domain(rec, image, 1, "my.domain"),
               "after exec");
}

rf_recording *sample_new(void)
{
    rf_recording *rec = fake_new();
    uint32_t domain = fake_domain(rec, 0, 1, "my.domain");
    uint32_t nameless = fake_domain(rec, 0, 2, NULL);
    static uint32_t args[2];
    static uint32_t env[2];
    args[0] = fake_string(rec, "app");
    args[1] = fake_string(rec, "--fast");
    env[0] = fake_string(rec, "OMP_NUM_THREADS=4");
    env[1] = fake_string(rec, "RANK=1");
    fake_process_at(rec, 0)->args = args;
    fake_process_at(rec, 0)->n_args = 2;
    fake_process_at(rec, 0)->env = env;
    fake_process_at(rec, 0)->n_env = 2;
    rf_find_ranks(rec);
    fake_category_name(rec, domain, 5, "io, \"disk\"");
    fake_message(rec, "capture \"x\" began");
    add_main_thread(rec, domain, nameless);
    add_payloads(rec);
    add_objects(rec, domain);
    add_worker(rec);
    add_children(rec);
    struct rf_info *info = fake_info(rec);
    info->n_cut = 2;
    info->n_lost_records = 3;
    info->n_foreign_ends = 1;
    info->end_ns = 95000;
    return rec;
}

rf_recording *sample_focused_new(void)
{
    rf_recording *rec = fake_new();
    struct rf_event *event;
    fake_capture(rec, 10000, 20500, 0);
    fake_capture(rec, 30000, 95000, 1);
    event = push(rec, 0, 2000, 20500, 0, "whole first");
    event->flags = RF_EVENT_CUT_AT_START;
    event->cut = RF_CUT_CAPTURE_ENDED;
    push(rec, 0, 11000, 12000, 0, "inside");
    event = fake_start_end(rec, 0, 25000, 31000, 0, "into the second");
    event->flags = RF_EVENT_CUT_AT_START | RF_EVENT_REGISTERED;
    event = push(rec, 0, 90000, 95000, 0, "goes on");
    event->cut = RF_CUT_LIVE;
    fake_info(rec)->n_cut = 2;
    fake_info(rec)->n_cut_at_start = 2;
    fake_info(rec)->end_ns = 95000;
    return rec;
}
