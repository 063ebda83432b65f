/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, their definitions, threads' names, and the calls that name things. */
#include "unit.h"

static const char *text(const rf_recording *rec, uint32_t id)
{
    return rf_string(rec, id, NULL);
}

static const struct rf_event *first_of(const rf_recording *rec, uint32_t thread, int kind)
{
    size_t n;
    const struct rf_event *e = rf_thread_events(rec, thread, &n);
    for (size_t i = 0; i < n; i++)
        if (e[i].kind == kind)
            return &e[i];
    return NULL;
}

static void test_facts(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 4711, "app");
    (void)state;
    rfw_fact(w, p, 1, RF_PROC_ARG, 0, "it's");
    rfw_fact(w, p, 1, RF_PROC_ENV, 0, "OMP_NUM_THREADS=4");
    rfw_fact(w, p, 1, RF_PROC_ENV, 0, "LANG=C");
    rfw_fact(w, p, 1, (enum rf_proc_key)99, 5, "of a later version");
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_process *process = rf_process_at(rec, 0);
    assert_int_equal(rf_n_processes(rec), 1);
    assert_int_equal(process->pid, 4711);
    assert_int_equal(process->ppid, 1);
    assert_int_equal(process->parent, RF_NO_INDEX);
    assert_int_equal(process->start_time, 5711);
    assert_int_equal(process->pid_ns, 4026531836u);
    assert_string_equal(text(rec, process->name), "app");
    assert_string_equal(text(rec, process->exe), "/usr/bin/app");
    assert_string_equal(text(rec, process->command), "/usr/bin/app 'two words' 'it'\\''s'");
    assert_string_equal(text(rec, process->cwd), "/home/user");
    assert_int_equal(process->n_args, 3);
    assert_string_equal(text(rec, process->args[2]), "it's");
    assert_int_equal(process->n_env, 2);
    assert_string_equal(text(rec, process->env[0]), "OMP_NUM_THREADS=4");
    assert_int_equal(process->first_ns, 0);
    assert_int_equal(process->exit_ns, RF_NO_TIME);
    rf_close(rec);
    rfw_free(w);
}

static void test_info(void **state)
{
    struct rfw *w = rfw_new();
    struct rf_control *c = &w->control;
    (void)state;
    c->lost_defs = 1;
    c->n_failed_processes = 2;
    c->n_stalls = 3;
    c->stall_ns = 4;
    c->root_status = 42;
    c->utc_offset_s = INT32_MIN; /* of no place */
    (void)snprintf(c->message[3], RF_MESSAGE_SIZE, "first");
    memset(c->message[9], 'x', RF_MESSAGE_SIZE); /* without an end */
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_info *info = rf_get_info(rec);
    assert_string_equal(info->product, "rangefinder test");
    assert_string_equal(info->host, "testhost");
    assert_int_equal(info->epoch_utc_ns, RFW_REAL_NS_0);
    assert_int_equal(info->epoch_mono_ns, RFW_TICKS_0);
    assert_int_equal(info->utc_offset_s, 0);
    assert_string_equal(info->clock_name, "monotonic");
    assert_true(info->clock_hz > 999999999 && info->clock_hz < 1000000001);
    assert_int_equal(info->end_ns, 10000000000);
    assert_int_equal(info->n_lost_defs, 1);
    assert_int_equal(info->n_failed_processes, 2);
    assert_int_equal(info->n_stalls, 3);
    assert_int_equal(info->stall_ns, 4);
    assert_int_equal(info->root_status, 42);
    assert_int_equal(info->is_finished, 1);
    assert_int_equal(info->is_live, 0);
    assert_string_equal(rf_message_at(rec, 0), "first");
    assert_int_equal(strlen(rf_message_at(rec, 1)), RF_MESSAGE_SIZE - 1);
    assert_null(rf_message_at(rec, 2));
    rf_close(rec);
    rfw_free(w);
}

/* ---- Domains and handles ---- */

static void test_domains(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    uint32_t a = rfw_domain(w, p, 1, 100, "A"), same = rfw_domain(w, p, 2, 101, "A");
    uint32_t null = rfw_domain(w, p, 3, 100, NULL), empty = rfw_domain(w, p, 4, 100, "");
    size_t n;
    (void)state;
    rfw_mark(s, 10, &(struct rfw_attr){.domain = a});
    rfw_mark(s, 11, &(struct rfw_attr){.domain = same});
    rfw_mark(s, 12, &(struct rfw_attr){.domain = null});
    rfw_mark(s, 13, &(struct rfw_attr){.domain = empty});
    rfw_mark(s, 14, &(struct rfw_attr){.domain = 0x1234});
    rfw_mark(s, 15, &(struct rfw_attr){.domain = 0x1234});
    rfw_mark(s, 16, &(struct rfw_attr){.domain = 0xdeadbeefdeadbeef});
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_domains(rec), 6);
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 3 + 7);
    e += 3;
    assert_int_equal(e[0].domain, e[1].domain);
    assert_int_equal(rf_domain_at(rec, e[0].domain)->id, 1);
    assert_int_equal(rf_domain_at(rec, e[2].domain)->id, 2);
    assert_null(text(rec, rf_domain_at(rec, e[2].domain)->name));
    assert_int_equal(rf_domain_at(rec, e[2].domain)->is_valid, 1);
    assert_string_equal(text(rec, rf_domain_at(rec, e[3].domain)->name), "");
    assert_int_equal(e[4].domain, e[5].domain);
    assert_int_equal(rf_domain_at(rec, e[4].domain)->id, 0x1234);
    assert_int_equal(rf_domain_at(rec, e[4].domain)->is_valid, 0);
    assert_int_equal(rf_domain_at(rec, e[6].domain)->handle, 0xdeadbeefdeadbeef);
    assert_int_equal(rf_domain_at(rec, e[6].domain)->id, UINT32_MAX);
    /* one creation per domain; the second one's caller has no event */
    assert_int_equal(rf_n_threads(rec), 1);
    rf_close(rec);
    rfw_free(w);
}

static void test_strings(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app"), q = rfw_process(w, 200, "other");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, q, 0, 200, 1);
    uint32_t hello = rfw_string(w, p, 1, 100, 0, "hello"), null = rfw_string(w, p, 2, 100, 0, NULL);
    size_t n;
    (void)state;
    rfw_mark(s, 10, &(struct rfw_attr){.string = hello});
    rfw_mark(s, 11, &(struct rfw_attr){.string = null});
    rfw_mark(s, 12, &(struct rfw_attr){.string = 77});
    rfw_mark(s, 13, &(struct rfw_attr){.string = 0xffffffffffffffff});
    rfw_mark(t, 14, &(struct rfw_attr){.string = hello}); /* no handle of that process */
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_string_equal(text(rec, e[0].name), "hello");
    assert_int_equal(e[0].flags, RF_EVENT_REGISTERED);
    assert_int_equal(e[1].name, RF_NO_STRING);
    assert_int_equal(e[1].flags, RF_EVENT_REGISTERED);
    assert_string_equal(text(rec, e[2].name), "0x4d");
    assert_int_equal(e[2].flags, RF_EVENT_REGISTERED | RF_EVENT_BAD_HANDLE);
    assert_string_equal(text(rec, e[3].name), "0xffffffffffffffff");
    e = rf_thread_events(rec, 1, &n);
    assert_string_equal(text(rec, e[0].name), "0x1");
    rf_close(rec);
    rfw_free(w);
}

static void test_categories(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    uint32_t d = rfw_domain(w, p, 1, 100, "D");
    size_t n;
    (void)state;
    rfw_category(w, p, 2, 100, 0, 5, "five");
    rfw_category(w, p, 3, 100, d, 5, "five of D");
    rfw_category(w, p, 4, 100, 0, 5, "five again");
    rfw_category(w, p, 5, 100, 0, UINT32_MAX, "");
    rfw_category(w, p, 6, 100, 0, 6, NULL);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 6);
    assert_int_equal(e[1].kind, RF_EVENT_CATEGORY);
    assert_int_equal(e[1].category, 5);
    assert_int_equal(e[1].flags, RF_EVENT_HAS_CATEGORY);
    assert_string_equal(text(rec, e[1].name), "five");
    uint32_t domain = e[2].domain;
    assert_string_equal(text(rec, rf_category_name(rec, e[1].domain, 5)), "five again");
    assert_string_equal(text(rec, rf_category_name(rec, domain, 5)), "five of D");
    assert_string_equal(text(rec, rf_category_name(rec, 0, UINT32_MAX)), "");
    assert_int_equal(rf_category_name(rec, 0, 6), RF_NO_STRING);
    assert_int_equal(rf_category_name(rec, 0, 7), RF_NO_STRING);
    assert_int_equal(rf_category_name(rec, 99, 5), RF_NO_STRING);
    rf_close(rec);
    rfw_free(w);
}

static void test_objects(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app"), d = rfw_domain(w, p, 1, 100, "D");
    size_t n;
    (void)state;
    rfw_object_name(w, p, 2, 100, RF_OBJECT_CUDA_STREAM, 0xabc, "copies");
    uint32_t r = rfw_resource(w, p, 3, 100, d, 0x10002, 0xdef, "buffer");
    rfw_resource_destroy(w, p, 4, 100, r);
    rfw_resource_destroy(w, p, 5, 100, 0x99);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 5);
    assert_int_equal(e[1].kind, RF_EVENT_OBJECT_NAME);
    assert_int_equal(e[1].object_kind, RF_NAMED_CUDA_STREAM);
    assert_int_equal(e[1].handle, 0xabc);
    assert_int_equal(e[1].payload_type, RF_TYPE_NONE);
    assert_string_equal(text(rec, e[1].name), "copies");
    assert_int_equal(e[2].kind, RF_EVENT_RESOURCE);
    assert_int_equal(e[2].identifier_type, 0x10002);
    assert_int_equal(e[2].identifier, 0xdef);
    assert_int_equal(e[2].resource_index, r);
    assert_int_equal(e[2].end_ns, RF_NO_TIME);
    assert_int_equal(rf_domain_at(rec, e[2].domain)->id, 1);
    assert_int_equal(e[3].kind, RF_EVENT_RESOURCE_DESTROY);
    assert_int_equal(e[3].resource_index, r);
    assert_int_equal(e[3].domain, e[2].domain);
    assert_int_equal(e[4].handle, 0x99);
    assert_int_equal(rf_domain_at(rec, e[4].domain)->id, 0);
    rf_close(rec);
    rfw_free(w);
}

/* Definitions that were reserved and never finished are passed over. */
static void test_unfinished_definition(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    struct rf_def def = {.tid = 100, .index = 7};
    size_t n;
    (void)state;
    size_t at = rfw_def(w, p, &def, 1, RF_REC_STRING, "half", 4);
    memset(w->process[p]->defs.data + at, 0, 8);
    def.index = 8;
    (void)rfw_def(w, p, &def, 2, RF_REC_STRING, "whole", 5);
    rfw_mark(s, 10, &(struct rfw_attr){.string = 7});
    rfw_mark(s, 11, &(struct rfw_attr){.string = 8});
    for (int as_directory = 0; as_directory < 2; as_directory++) {
        rf_recording *rec = rfw_reopen(w, as_directory, 0);
        const struct rf_event *e = rf_thread_events(rec, 0, &n);
        assert_string_equal(text(rec, e[0].name), "0x7");
        assert_string_equal(text(rec, e[1].name), "whole");
        assert_int_equal(rf_get_info(rec)->n_damaged_bytes, 0);
        rf_close(rec);
    }
    rfw_free(w);
}

static void test_definition_lengths(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rf_def def = {.tid = 100, .index = 7};
    (void)state;
    size_t at = rfw_def(w, p, &def, 1, RF_REC_STRING, "text", 4);
    /* text_size reaches behind the record */
    ((struct rf_def *)(void *)(w->process[p]->defs.data + at))->text_size = 1000;
    at = rfw_def(w, p, &def, 2, RF_REC_STRING, "text", 4);
    ((struct rf_def *)(void *)(w->process[p]->defs.data + at))->n_words = 4;
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_get_info(rec)->n_damaged_bytes, 48);
    rf_close(rec);
    rfw_free(w);
}

/* ---- Forks ---- */

static void test_fork(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    uint32_t a = rfw_domain(w, p, 1, 100, "A"), b = rfw_domain(w, p, 2, 100, "B");
    uint32_t early = rfw_string(w, p, 3, 100, 0, "early");
    size_t n;
    (void)state;
    rfw_category(w, p, 4, 100, b, 1, "cat of B");
    uint64_t parents = rfw_start(s, 10, &(struct rfw_attr){.text = "parent's"});
    rfw_push(s, 15, &(struct rfw_attr){.text = "open at the fork"});
    uint32_t q = rfw_process_bare(w);
    rfw_fact(w, q, 20, RF_PROC_PID, 101, NULL);
    rfw_fact(w, q, 20, RF_PROC_FORK_OF, p, NULL);
    uint32_t late = rfw_string(w, p, 30, 100, 0, "late");
    w->process[q]->n_domains = 2;
    uint32_t c = rfw_domain(w, q, 40, 101, "C");
    struct rfw_stream *t = rfw_stream(w, q, 0, 101, 1);
    rfw_mark(t, 50, &(struct rfw_attr){.domain = c, .string = early});
    rfw_mark(t, 51, &(struct rfw_attr){.domain = b, .string = late});
    rfw_pop(t, 52, 0);
    rfw_end(t, 53, parents);
    rfw_end(s, 60, parents);
    rfw_pop(s, 70, 0);
    /* and a child of the child */
    uint32_t r = rfw_process_bare(w);
    rfw_fact(w, r, 80, RF_PROC_FORK_OF, q, NULL);
    struct rfw_stream *u = rfw_stream(w, r, 0, 102, 1);
    rfw_mark(u, 90, &(struct rfw_attr){.domain = a, .string = early});
    rfw_mark(u, 91, &(struct rfw_attr){.domain = c});
    rfw_end(u, 92, parents);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_processes(rec), 3);
    assert_int_equal(rf_process_at(rec, 0)->parent, RF_NO_INDEX);
    assert_int_equal(rf_process_at(rec, 1)->parent, 0);
    assert_int_equal(rf_process_at(rec, 2)->parent, 1);
    /* the child: B is inherited and stands before its own C */
    const struct rf_event *e = rf_thread_events(rec, 1, &n);
    assert_int_equal(n, 4);
    assert_int_equal(e[0].kind, RF_EVENT_DOMAIN_CREATE);
    assert_string_equal(text(rec, e[0].name), "B");
    assert_int_equal(e[0].start_ns, 20);
    assert_int_equal(rf_domain_at(rec, e[0].domain)->process, 1);
    assert_int_equal(rf_domain_at(rec, e[0].domain)->id, 1);
    assert_int_equal(rf_domain_at(rec, e[1].domain)->id, 2);
    assert_string_equal(text(rec, e[2].name), "early");
    assert_int_equal(e[2].flags, RF_EVENT_REGISTERED);
    assert_int_equal(e[3].domain, e[0].domain);
    assert_string_equal(text(rec, e[3].name), "0x2"); /* defined after the fork: not the child's */
    assert_string_equal(text(rec, rf_category_name(rec, e[3].domain, 1)), "cat of B");
    e = rf_thread_events(rec, 2, &n);
    assert_int_equal(n, 4);
    assert_string_equal(text(rec, e[0].name), "A");
    assert_string_equal(text(rec, e[1].name), "C");
    assert_string_equal(text(rec, e[2].name), "early");
    /* the parent's range: ended by itself, marked */
    e = first_of(rec, 0, RF_EVENT_START_END);
    assert_int_equal(e->end_ns, 60);
    assert_int_equal(e->cut, RF_CUT_NONE);
    assert_int_equal(e->flags, RF_EVENT_FOREIGN_END);
    assert_int_equal(rf_get_info(rec)->n_foreign_ends, 2);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 1);
    rf_close(rec);
    rfw_free(w);
}

/* Processes that claim to be forked from themselves, from a later one, or from none that is there.
 */
static void test_fork_nonsense(void **state)
{
    static const uint64_t parents[] = {1, 2, 0, 7};
    struct rfw *w = rfw_new();
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t p = rfw_process(w, 100 + i, "app");
        struct rfw_stream *s = rfw_stream(w, p, 0, 100 + i, 1);
        rfw_fact(w, p, 1, RF_PROC_FORK_OF, parents[i], NULL);
        rfw_mark(s, 10, &(struct rfw_attr){.string = 5, .domain = 6});
    }
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_process_at(rec, 0)->parent, RF_NO_INDEX);
    assert_int_equal(rf_process_at(rec, 1)->parent, RF_NO_INDEX);
    assert_int_equal(rf_process_at(rec, 2)->parent, 0);
    assert_int_equal(rf_process_at(rec, 3)->parent, RF_NO_INDEX);
    assert_int_equal(rf_get_info(rec)->n_marks, 4);
    rf_close(rec);
    rfw_free(w);
}

/* An end of a range of a process that is no relative, 1,024 processes apart. */
static void test_foreign_stranger(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    uint64_t id = rfw_start(s, 10, NULL);
    while (w->n_processes < 1024) {
        uint32_t missing = rfw_process_bare(w);
        w->process[missing]->is_missing = 1;
    }
    uint32_t q = rfw_process(w, 101, "app"), r = rfw_process(w, 102, "app");
    assert_int_equal(q, 1024);
    struct rfw_stream *t = rfw_stream(w, q, 0, 101, 1), *u = rfw_stream(w, r, 0, 102, 1);
    uint64_t own = rfw_start(t, 20, NULL);
    assert_int_equal(own, id); /* numbers modulo 1,024: its own range comes first */
    rfw_end(t, 30, own);
    rfw_end(u, 40, id);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_processes(rec), 3);
    assert_int_equal(first_of(rec, 1, RF_EVENT_START_END)->end_ns, 30);
    const struct rf_event *e = first_of(rec, 0, RF_EVENT_START_END);
    assert_int_equal(e->flags, RF_EVENT_FOREIGN_END);
    assert_int_equal(e->end_ns, 40);
    assert_int_equal(e->cut, RF_CUT_NONE);
    assert_int_equal(rf_start_end_at(rec, e->link)->end_thread, 2);
    assert_int_equal(rf_get_info(rec)->n_foreign_ends, 1);
    rf_close(rec);
    rfw_free(w);
}

/* A range that two other processes end: the earlier of their ends counts; before its start it is
 * clamped. */
static void test_foreign_ends(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app"), q = rfw_process(w, 101, "app"),
             r = rfw_process(w, 102, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, q, 0, 101, 1),
                      *u = rfw_stream(w, r, 0, 102, 1);
    (void)state;
    uint64_t both = rfw_start(s, 10, NULL), early = rfw_start(s, 60, NULL);
    rfw_end(t, 50, both);
    rfw_end(u, 40, both);
    rfw_end(u, 45, early);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = first_of(rec, 0, RF_EVENT_START_END);
    assert_int_equal(e[0].end_ns, 40);
    assert_int_equal(e[0].flags, RF_EVENT_FOREIGN_END);
    assert_int_equal(rf_start_end_at(rec, e[0].link)->end_thread, 2);
    assert_int_equal(e[1].end_ns, 60);
    assert_int_equal(e[1].flags, RF_EVENT_FOREIGN_END | RF_EVENT_CLAMPED);
    assert_int_equal(rf_get_info(rec)->n_foreign_ends, 3);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 0);
    rf_close(rec);
    rfw_free(w);
}

/* ---- Threads' names ---- */

static void test_thread_names(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    size_t n;
    (void)state;
    rfw_thread_name(w, p, 1, 100, 101, "early"); /* before its first event */
    rfw_thread_name(w, p, 2, 100, 12345, "nobody");
    rfw_mark(s, 10, NULL);
    rfw_thread(t, 11, 101, 2, "sys");
    rfw_mark(t, 12, NULL);
    rfw_thread_name(w, p, 20, 101, 101, "late");
    rfw_thread_name(w, p, 21, 101, 101, NULL);
    rfw_thread_end(t, 30, "sixteen-bytes-xy");
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_threads(rec), 3);
    assert_string_equal(text(rec, rf_thread_at(rec, 0)->name), "app"); /* the main thread */
    assert_int_equal(rf_thread_at(rec, 0)->is_named, 0);
    assert_string_equal(text(rec, rf_thread_at(rec, 1)->name), "late");
    assert_int_equal(rf_thread_at(rec, 1)->is_named, 1);
    assert_int_equal(rf_thread_at(rec, 2)->tid, 12345);
    assert_int_equal(rf_thread_at(rec, 2)->serial, 0);
    assert_string_equal(text(rec, rf_thread_at(rec, 2)->name), "nobody");
    assert_int_equal(rf_thread_at(rec, 2)->first_ns, RF_NO_TIME);
    assert_null(rf_thread_events(rec, 2, &n));
    /* the calls are events of the callers */
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 3);
    assert_int_equal(e[1].kind, RF_EVENT_THREAD_NAME);
    assert_int_equal(e[1].named_tid, 12345);
    assert_string_equal(text(rec, e[0].name), "early");
    rf_close(rec);
    rfw_free(w);
}

/* A tid that the system used again: each name belongs to the thread that had it then. */
static void test_tid_reuse(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 101, 1), *t = rfw_stream(w, p, 1, 101, 3);
    struct rfw_stream *u = rfw_stream(w, p, 2, 101, 2);
    size_t n;
    (void)state;
    rfw_mark(s, 10, NULL);
    rfw_thread_name(w, p, 15, 101, 101, "one");
    rfw_thread_end(s, 20, "x");
    rfw_thread_name(w, p, 25, 100, 101, "two");
    rfw_mark(u, 30, NULL);
    rfw_mark(u, 40, NULL);
    rfw_mark(t, 50, NULL);
    rfw_thread_name(w, p, 60, 101, 101, "three");
    rfw_mark(t, 70, NULL);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_string_equal(text(rec, rf_thread_at(rec, 0)->name), "one");
    assert_string_equal(text(rec, rf_thread_at(rec, 1)->name), "two");
    assert_string_equal(text(rec, rf_thread_at(rec, 2)->name), "three");
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 2);
    assert_int_equal(e[1].kind, RF_EVENT_THREAD_NAME);
    e = rf_thread_events(rec, 2, &n);
    assert_int_equal(n, 3);
    assert_int_equal(e[1].kind, RF_EVENT_THREAD_NAME);
    assert_int_equal(e[1].start_ns, 60);
    rf_close(rec);
    rfw_free(w);
}

/* Namings stand among the events by time, whether there are few or many of them. */
static void test_naming_order(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    size_t n;
    (void)state;
    for (int64_t i = 0; i < 10000; i++) {
        if (i % 2 == 0)
            rfw_category(w, p, i, 100, 0, (uint32_t)i, "c");
        else
            rfw_mark(s, i, NULL);
    }
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 10000);
    for (int64_t i = 0; i < 10000; i++) {
        assert_int_equal(e[i].start_ns, i);
        assert_int_equal(e[i].kind, i % 2 == 0 ? RF_EVENT_CATEGORY : RF_EVENT_MARK);
    }
    rf_close(rec);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_domains),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_categories),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_unfinished_definition),
        cmocka_unit_test(test_definition_lengths),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_nonsense),
        cmocka_unit_test(test_foreign_stranger),
        cmocka_unit_test(test_foreign_ends),
        cmocka_unit_test(test_thread_names),
        cmocka_unit_test(test_tid_reuse),
        cmocka_unit_test(test_naming_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
