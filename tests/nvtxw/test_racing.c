/* SPDX-License-Identifier: Apache-2.0 */
/* What threads do at the same time as others end the session, or fork. The thread sanitizer runs
 * this too. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "writing.h"

/* What a thread does until it is refused. */
typedef int step(struct writing *w, struct nvtxw_stream *stream, int64_t i);

struct worker {
    struct writing *w;
    struct nvtxw_stream *stream;
    step *step;
    int64_t n_done; /* atomic */
    int result;
    pthread_t thread;
};

enum { LEAST = 200 }; /* steps of each worker before something happens */

static int write_mark(struct writing *w, struct nvtxw_stream *stream, int64_t i)
{
    const struct mark mark = {i, NULL};
    return writing_event(w, stream, w->mark, &mark, sizeof(mark));
}

static int add_string(struct writing *w, struct nvtxw_stream *stream, int64_t i)
{
    nvtxStringHandle_t string;
    (void)stream, (void)i;
    return w->nvtxw->string_register(w->domain, "a string", &string);
}

static int add_domain(struct writing *w, struct nvtxw_stream *stream, int64_t i)
{
    const struct nvtxw_domain_attributes given = {sizeof(given), i % 2 != 0 ? "odd" : "even"};
    nvtxDomainHandle_t domain;
    (void)stream;
    return w->nvtxw->domain_register(w->session, &given, &domain);
}

static int open_and_close(struct writing *w, struct nvtxw_stream *stream, int64_t i)
{
    const struct nvtxw_stream_attributes given = {.struct_size = sizeof(given), .name = "short"};
    struct nvtxw_stream *opened = NULL;
    (void)stream, (void)i;
    const int result = w->nvtxw->stream_open(w->session, &given, &opened);
    return result == NVTXW_SUCCESS ? w->nvtxw->stream_close(opened) : result;
}

static int relate(struct writing *w, struct nvtxw_stream *stream, int64_t i)
{
    return w->nvtxw->time_sync_point_write(stream, 0, NVTX_TIMESTAMP_TYPE_CPU_TSC, i, i);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    while ((worker->result = worker->step(worker->w, worker->stream, worker->n_done)) ==
           NVTXW_SUCCESS)
        (void)__atomic_fetch_add(&worker->n_done, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void begin(struct worker *workers, size_t n, struct writing *w, step *const *steps)
{
    for (size_t i = 0; i < n; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "s%zu", i);
        workers[i] = (struct worker){
            .w = w,
            .stream =
                i % 2 == 0 ? w->stream : writing_open(w, name, (struct nvtxw_stream_attributes){0}),
            .step = steps[i]};
    }
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (size_t i = 0; i < n; i++)
        while (__atomic_load_n(&workers[i].n_done, __ATOMIC_RELAXED) < LEAST)
            (void)usleep(100);
}

/* Returns how many marks were written. */
static int64_t join(struct worker *workers, size_t n)
{
    int64_t n_marks = 0;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].result, NVTXW_INVALID_ARGUMENT);
        n_marks += workers[i].step == write_mark ? workers[i].n_done : 0;
    }
    return n_marks;
}

/* What was accepted is in the recording, and nothing else. */
static void test_end(void **state)
{
    step *const steps[] = {write_mark, write_mark, write_mark,    add_string,
                           add_domain, relate,     open_and_close};
    enum { N = sizeof(steps) / sizeof(steps[0]) };
    struct writing *w = *state;
    struct worker workers[N];
    begin(workers, N, w, steps);
    assert_int_equal(w->nvtxw->session_end(w->session), NVTXW_SUCCESS);
    const int64_t n_marks = join(workers, N);
    w->session = NULL;
    assert_int_equal(rf_open(w->path, 0, &w->rec, NULL), RF_OK);
    assert_int_equal(rf_get_info(w->rec)->n_marks, n_marks);
}

/* In a child of a program that was writing nothing waits for threads that are not there. */
static int use_in_child(struct writing *w)
{
    char config[5000];
    struct nvtxw_session *session = NULL, *parents = w->session;
    nvtxDomainHandle_t domain;
    const struct nvtxw_domain_attributes unnamed = {sizeof(unnamed), NULL};
    (void)snprintf(config, sizeof(config), "output=%s/child.rf|force=true", w->folder);
    const struct nvtxw_session_attributes a = {sizeof(a), "child", config};
    if (write_mark(w, w->stream, 1) != NVTXW_INVALID_ARGUMENT ||
        add_string(w, NULL, 1) != NVTXW_INVALID_ARGUMENT ||
        add_domain(w, NULL, 1) != NVTXW_INVALID_ARGUMENT ||
        open_and_close(w, NULL, 1) != NVTXW_INVALID_ARGUMENT ||
        w->nvtxw->stream_close(w->stream) != NVTXW_INVALID_ARGUMENT ||
        w->nvtxw->session_end(parents) != NVTXW_INVALID_ARGUMENT)
        return 2;
    if (w->nvtxw->session_begin(&a, &session) != NVTXW_SUCCESS ||
        w->nvtxw->domain_register(session, &unnamed, &domain) != NVTXW_SUCCESS ||
        w->nvtxw->session_end(session) != NVTXW_SUCCESS)
        return 3;
    return 0;
}

static void test_fork(void **state)
{
    step *const steps[] = {write_mark, add_string, add_string, write_mark};
    enum { N = sizeof(steps) / sizeof(steps[0]), FORKS = 8 };
    struct writing *w = *state;
    struct worker workers[N];
    begin(workers, N, w, steps);
    for (int i = 0; i < FORKS; i++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(use_in_child(w));
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_int_equal(w->nvtxw->session_end(w->session), NVTXW_SUCCESS);
    const int64_t n_marks = join(workers, N);
    w->session = NULL;
    assert_int_equal(rf_open(w->path, 0, &w->rec, NULL), RF_OK);
    assert_int_equal(rf_get_info(w->rec)->n_marks, n_marks);
}

/* ---- nvtxwFinalize() ---- */

/* A thread that calls it, again and again. */
struct finalizer {
    struct writing *w;
    int64_t n_done; /* atomic, likewise is_over */
    bool is_over;
    pthread_t thread;
};

static void *finalize(void *argument)
{
    struct finalizer *f = argument;
    while (!__atomic_load_n(&f->is_over, __ATOMIC_RELAXED)) {
        f->w->finalize();
        (void)__atomic_fetch_add(&f->n_done, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Waits until nvtxwFinalize() was called, and has returned, often since now. */
static void await_more(const struct finalizer *f)
{
    const int64_t n = __atomic_load_n(&f->n_done, __ATOMIC_RELAXED);
    while (__atomic_load_n(&f->n_done, __ATOMIC_RELAXED) < n + LEAST)
        (void)usleep(100);
}

static void stop(struct finalizer *f)
{
    __atomic_store_n(&f->is_over, true, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(f->thread, NULL), 0);
}

/* Whoever uses a handle too late is refused. */
static void assert_refused(struct writing *w, struct nvtxw_session *session)
{
    assert_int_equal(write_mark(w, w->stream, 1), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(add_string(w, NULL, 1), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(add_domain(w, NULL, 1), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(relate(w, w->stream, 1), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(open_and_close(w, NULL, 1), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(w->nvtxw->stream_close(w->stream), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(w->nvtxw->session_end(session), NVTXW_INVALID_ARGUMENT);
}

/* Beside threads that write, and one that ends the session: what was accepted is in the recording,
 * and handles that are used too late are refused. */
static void test_finalize(void **state)
{
    step *const steps[] = {write_mark, write_mark, add_string, add_domain, relate, open_and_close};
    enum { N = sizeof(steps) / sizeof(steps[0]) };
    struct writing *w = *state;
    struct nvtxw_session *session = w->session;
    struct finalizer f = {.w = w};
    struct worker workers[N];
    begin(workers, N, w, steps);
    assert_int_equal(pthread_create(&f.thread, NULL, finalize, &f), 0);
    await_more(&f);
    assert_int_equal(w->nvtxw->session_end(session), NVTXW_SUCCESS);
    const int64_t n_marks = join(workers, N);
    await_more(&f);
    assert_refused(w, session);
    stop(&f);
    w->session = NULL;
    assert_int_equal(rf_open(w->path, 0, &w->rec, NULL), RF_OK);
    assert_int_equal(rf_get_info(w->rec)->n_marks, n_marks);
}

/* Sessions that begin and end meanwhile. */
static void test_finalize_beside_ends(void **state)
{
    struct writing *w = *state;
    struct finalizer f = {.w = w};
    char config[5000];
    (void)snprintf(config, sizeof(config), "output=%s/short.rf|force=true", w->folder);
    const struct nvtxw_session_attributes a = {sizeof(a), "short", config};
    const struct nvtxw_domain_attributes named = {sizeof(named), "a domain"};
    assert_int_equal(pthread_create(&f.thread, NULL, finalize, &f), 0);
    await_more(&f);
    for (int i = 0; i < 50; i++) {
        struct nvtxw_session *session = NULL;
        nvtxDomainHandle_t domain;
        assert_int_equal(w->nvtxw->session_begin(&a, &session), NVTXW_SUCCESS);
        assert_int_equal(w->nvtxw->domain_register(session, &named, &domain), NVTXW_SUCCESS);
        assert_int_equal(w->nvtxw->session_end(session), NVTXW_SUCCESS);
        assert_int_equal(w->nvtxw->session_end(session), NVTXW_INVALID_ARGUMENT);
        assert_int_equal(w->nvtxw->category_register(domain, 1, "a"), NVTXW_INVALID_ARGUMENT);
    }
    stop(&f);
    assert_int_equal(write_mark(w, w->stream, 1), NVTXW_SUCCESS); /* it is open */
}

/* A program that unloads the library and goes on using it, as other threads may. */
static void test_unload(void **state)
{
    struct writing *w = *state;
    struct nvtxw_session *session = w->session;
    assert_int_equal(w->nvtxw->session_end(session), NVTXW_SUCCESS);
    w->session = NULL;
    w->finalize();
    void *library = dlopen(RF_NVTXW, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    for (int i = 0; i < 64; i++) /* more often than tests opened it */
        (void)dlclose(library);
    assert_refused(w, session);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, writing_set_up, writing_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_end), TEST(test_fork), TEST(test_finalize),
                                       TEST(test_finalize_beside_ends), TEST(test_unload)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
