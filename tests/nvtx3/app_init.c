/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens around the attaching of a tool. One argument chooses the case; run.sh sets the
 * environment and reads the tool's log.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <nvtx3/nvToolsExt.h>

#include "check.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_THREADS 16
#define EXPORTED  __attribute__((visibility("default")))

static const char *library(void)
{
    return getenv("NVTX_INJECTION64_PATH");
}

static int library_is_loaded(void)
{
    return dlopen(library(), RTLD_LAZY | RTLD_NOLOAD) != NULL;
}

/* No tool, or one that cannot be used: nothing is left behind, and it is not tried again. */
static int run_failing(void)
{
    errno = 4711;
    CHECK(nvtxRangePushA("x") == NVTX_NO_PUSH_POP_TRACKING);
    CHECK(errno == 4711);
    CHECK(dlerror() == NULL);
    CHECK(nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING);
    CHECK(nvtxRangeStartA("x") == 0);
    CHECK(nvtxDomainCreateA("x") == NULL);
    nvtxInitialize(NULL);
    nvtxMarkA("x");
    CHECK(errno == 4711);
    CHECK(!library() || !*library() || !library_is_loaded());
    return 0;
}

/* A tool that works: the first call of all reaches it, and errno is not its. */
static int run_working(void)
{
    errno = 4711;
    CHECK(nvtxRangePushA("first") == 12);
    CHECK(errno == 4711);
    CHECK(nvtxRangePop() == 14);
    CHECK(library_is_loaded());
    return 0;
}

/* nvtxInitialize loads the tool. */
static int run_initialize(void)
{
    CHECK(!library_is_loaded());
    nvtxInitialize(NULL);
    CHECK(library_is_loaded());
    return 0;
}

/* The tool annotates while it attaches, through the program's own slots: no deadlock. */
static int n_from_tool;

EXPORTED void annotate_from_tool(void);
EXPORTED void annotate_from_tool(void)
{
    errno = 815;
    CHECK(nvtxRangePushA("from tool") == NVTX_NO_PUSH_POP_TRACKING);
    CHECK(nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING);
    CHECK(nvtxDomainCreateA("from tool") == NULL);
    nvtxInitialize(NULL);
    CHECK(errno == 815);
    n_from_tool++;
}

static int run_reentrant(void)
{
    CHECK(nvtxRangePushA("first") == 12);
    CHECK(n_from_tool == 1);
    CHECK(nvtxRangePushA("second") == 12);
    return 0;
}

/* All threads make their first call at once: each arrives, one attaches. */
static pthread_barrier_t barrier;

static void *first_call(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&barrier);
    errno = 4711;
    CHECK(nvtxRangePushA("thread") == 12);
    CHECK(errno == 4711);
    return NULL;
}

static int run_threads(void)
{
    pthread_t threads[N_THREADS];
    int i;

    CHECK(!pthread_barrier_init(&barrier, NULL, N_THREADS));
    for (i = 0; i < N_THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, first_call, NULL));
    for (i = 0; i < N_THREADS; i++)
        CHECK(!pthread_join(threads[i], NULL));
    return 0;
}

/* A child forked while another thread attaches: its calls do nothing, and return. */
static pthread_barrier_t started;

EXPORTED void tool_has_started(void);
EXPORTED void tool_has_started(void)
{
    pthread_barrier_wait(&started);
}

static void *attach_slowly(void *arg)
{
    (void)arg;
    CHECK(nvtxRangePushA("parent") == 12);
    return NULL;
}

static int run_fork(void)
{
    pthread_t thread;
    pid_t child;
    int status;

    CHECK(!pthread_barrier_init(&started, NULL, 2));
    CHECK(!pthread_create(&thread, NULL, attach_slowly, NULL));
    pthread_barrier_wait(&started);
    child = fork();
    CHECK(child >= 0);
    if (!child) {
        alarm(20);
        _exit(nvtxRangePushA("child") == NVTX_NO_PUSH_POP_TRACKING ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(nvtxRangePushA("parent") == 12);
    CHECK(!pthread_join(thread, NULL));
    return 0;
}

/* A thread that is cancelled while it attaches finishes that first. */
static void *attach_and_be_cancelled(void *arg)
{
    (void)arg;
    nvtxMarkA("cancelled thread");
    pthread_testcancel();
    return NULL;
}

static int run_cancel(void)
{
    pthread_t thread;
    void *result;

    CHECK(!pthread_barrier_init(&started, NULL, 2));
    CHECK(!pthread_create(&thread, NULL, attach_and_be_cancelled, NULL));
    pthread_barrier_wait(&started);
    CHECK(!pthread_cancel(thread));
    CHECK(nvtxRangePushA("main") == 12);
    CHECK(!pthread_join(thread, &result) && result == PTHREAD_CANCELED);
    return 0;
}

/* A tool that puts back what it found in the slots is gone: no endless loop. */
static int run_leave(void)
{
    void *symbol;
    void (*leave)(void);

    CHECK(nvtxRangePushA("heard") == 12);
    symbol = dlsym(dlopen(library(), RTLD_LAZY | RTLD_NOLOAD), "count_tool_leave");
    CHECK(symbol);
    memcpy(&leave, &symbol, sizeof symbol);
    (*leave)();
    CHECK(nvtxRangePushA("not heard") == NVTX_NO_PUSH_POP_TRACKING);
    nvtxMarkA("not heard");
    CHECK(nvtxDomainRangePop(NULL) == 16);
    return 0;
}

/* A set-user-id program does not load what the environment names. Exit 77: it is not one. */
static int run_secure(void)
{
    if (!getauxval(AT_SECURE))
        return 77;
    CHECK(nvtxRangePushA("x") == NVTX_NO_PUSH_POP_TRACKING);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {
        {"failing", run_failing},     {"working", run_working}, {"initialize", run_initialize},
        {"reentrant", run_reentrant}, {"threads", run_threads}, {"fork", run_fork},
        {"cancel", run_cancel},       {"leave", run_leave},     {"secure", run_secure}};
    size_t i;

    alarm(60); /* a deadlock is a failure, not a hang */
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (argc > 1 && !strcmp(argv[1], cases[i].name))
            return cases[i].run();
    fprintf(stderr, "unknown case\n");
    return 2;
}
