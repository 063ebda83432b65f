/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens around the attaching of the extensions. One argument chooses the case; run.sh sets
 * the environment and reads the tool's log.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>

#include "check.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_THREADS 16
#define EXPORTED  __attribute__((visibility("default")))

/* All functions of the payload extension but nvtxDomainIsEnabled do nothing. */
static void check_silent_payload(void)
{
    nvtxPayloadData_t data = {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, 1, "x"};

    CHECK(nvtxRangePushPayload(NULL, &data, 1) == NVTX_NO_PUSH_POP_TRACKING);
    CHECK(nvtxRangePopPayload(NULL, &data, 1) == NVTX_NO_PUSH_POP_TRACKING);
    CHECK(nvtxRangeStartPayload(NULL, &data, 1) == 0);
    CHECK(nvtxTimestampGet() == 0);
    nvtxMarkPayload(NULL, &data, 1);
}

static void check_silent(int is_enabled)
{
    nvtxCounterAttr_t counter = {
        sizeof counter, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "x", NULL, 0, NULL, 0};

    errno = 4711;
    check_silent_payload();
    CHECK(nvtxDomainIsEnabled(NULL) == is_enabled);
    CHECK(nvtxCounterRegister(NULL, &counter) == NVTX_COUNTER_ID_NONE);
    nvtxCounterSampleInt64(NULL, 1, 1);
    CHECK(errno == 4711);
    CHECK(dlerror() == NULL);
}

/* No tool, or one that cannot be used. */
static int run_failing(void)
{
    check_silent(0);
    check_silent(0);
    return 0;
}

/* A tool that does not answer nvtxDomainIsEnabled. */
static int run_enabled(void)
{
    check_silent(1);
    CHECK(nvtxRangePushA("core") == 12);
    return 0;
}

/* A tool that takes the counters alone. */
static int run_refused(void)
{
    CHECK(nvtxDomainIsEnabled(NULL) == 0);
    check_silent_payload();
    nvtxCounterSampleInt64(NULL, 1, 1);
    return 0;
}

static int run_working(void)
{
    errno = 4711;
    CHECK(nvtxDomainIsEnabled(NULL) == 24);
    CHECK(errno == 4711);
    nvtxCounterSampleInt64(NULL, 1, 1);
    CHECK(errno == 4711);
    CHECK(nvtxRangePushA("core") == 12);
    return 0;
}

/* Events of a domain with this handle: each function that can be silent, and two that are heard. */
static void annotate_domain(uintptr_t number)
{
    nvtxDomainHandle_t domain = (nvtxDomainHandle_t)number;
    nvtxEventAttributes_t event = {0};
    const nvtxCounterBatch_t batch = {0};

    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    nvtxDomainMarkEx(domain, &event);
    (void)nvtxDomainRangePushEx(domain, &event);
    (void)nvtxDomainRangePop(domain);
    (void)nvtxDomainRangeStartEx(domain, &event);
    (void)nvtxDomainIsEnabled(domain);
    nvtxMarkPayload(domain, NULL, 0);
    (void)nvtxRangePushPayload(domain, NULL, 0);
    (void)nvtxRangePopPayload(domain, NULL, 0);
    (void)nvtxRangeStartPayload(domain, NULL, 0);
    nvtxEventSubmit(domain, NULL, 0);
    nvtxCounterSampleInt64(domain, 1, 1);
    nvtxCounterSampleFloat64(domain, 1, 1);
    nvtxCounterSample(domain, 1, NULL, 0);
    nvtxCounterSampleNoValue(domain, 1, 0);
    nvtxCounterBatchSubmit(domain, &batch);
    nvtxDomainRangeEnd(domain, 1);
    nvtxRangeEndPayload(domain, 1, NULL, 0);
}

/* What is returned for silent domains is what is returned without a tool. */
static int run_silent_domains(void)
{
    const uintptr_t first = UINTPTR_MAX - 0x1fffff, last = first + 0xfffff;
    nvtxDomainHandle_t domain = (nvtxDomainHandle_t)first;
    nvtxEventAttributes_t event = {0};

    annotate_domain(first - 1);
    annotate_domain(first);
    annotate_domain(last);
    annotate_domain(last + 1);
    annotate_domain(UINTPTR_MAX);
    CHECK(nvtxDomainRangePushEx(domain, &event) == NVTX_NO_PUSH_POP_TRACKING);
    CHECK(nvtxDomainRangePop(domain) == NVTX_NO_PUSH_POP_TRACKING);
    CHECK(nvtxDomainRangeStartEx(domain, &event) == 0);
    CHECK(nvtxRangePushPayload(domain, NULL, 0) == NVTX_NO_PUSH_POP_TRACKING);
    CHECK(nvtxRangePopPayload(domain, NULL, 0) == NVTX_NO_PUSH_POP_TRACKING);
    CHECK(nvtxRangeStartPayload(domain, NULL, 0) == 0);
    CHECK(nvtxDomainIsEnabled(domain) == 0);
    return 0;
}

/* A tool for the extensions alone, and for the core alone. */
static int run_extensions(void)
{
    CHECK(nvtxDomainIsEnabled(NULL) == 24);
    nvtxCounterSampleInt64(NULL, 1, 1);
    CHECK(nvtxRangePushA("core") == NVTX_NO_PUSH_POP_TRACKING);
    return 0;
}

static int run_core(void)
{
    check_silent(0);
    CHECK(nvtxRangePushA("core") == 12);
    return 0;
}

/* The tool annotates while it attaches: no deadlock, no second attaching. */
static int n_from_tool;

EXPORTED void annotate_from_tool(void);
EXPORTED void annotate_from_tool(void)
{
    check_silent_payload();
    CHECK(nvtxDomainIsEnabled(NULL) == 0);
    n_from_tool++;
}

static int run_reentrant(void)
{
    CHECK(nvtxDomainIsEnabled(NULL) == 24);
    CHECK(n_from_tool == 1);
    return 0;
}

/* The same while the core attaches: the extensions do so afterwards. */
static int run_reentrant_core(void)
{
    CHECK(nvtxRangePushA("core") == 12);
    CHECK(n_from_tool == 1);
    CHECK(nvtxDomainIsEnabled(NULL) == 24);
    return 0;
}

/* All threads make their first call at once: each arrives, one attaches. */
static pthread_barrier_t barrier;

static void *first_call(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&barrier);
    errno = 4711;
    CHECK(nvtxDomainIsEnabled(NULL) == 24);
    nvtxCounterSampleInt64(NULL, 1, 1);
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

/* A signal that comes while the tool attaches is handled afterwards: its handler is heard. */
static volatile sig_atomic_t n_handled;

static void annotate_in_handler(int signal_number)
{
    (void)signal_number;
    CHECK(nvtxDomainIsEnabled(NULL) == 24);
    n_handled++;
}

/* A child forked while another thread attaches: its calls do nothing, and return. */
static pthread_barrier_t started;

EXPORTED void tool_has_started(void);
EXPORTED void tool_has_started(void)
{
    if (n_handled < 0)
        CHECK(!raise(SIGUSR1));
    else
        pthread_barrier_wait(&started);
}

static int run_signal(void)
{
    CHECK(signal(SIGUSR1, annotate_in_handler) != SIG_ERR);
    n_handled = -1;
    CHECK(nvtxDomainIsEnabled(NULL) == 24);
    CHECK(n_handled == 0);
    return 0;
}

static void *attach_slowly(void *arg)
{
    (void)arg;
    CHECK(nvtxDomainIsEnabled(NULL) == 24);
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
        alarm(60);
        check_silent_payload();
        _exit(nvtxDomainIsEnabled(NULL));
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(nvtxDomainIsEnabled(NULL) == 24);
    CHECK(!pthread_join(thread, NULL));
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {{"failing", run_failing},
                 {"enabled", run_enabled},
                 {"refused", run_refused},
                 {"working", run_working},
                 {"silent-domains", run_silent_domains},
                 {"extensions", run_extensions},
                 {"core", run_core},
                 {"reentrant", run_reentrant},
                 {"reentrant-core", run_reentrant_core},
                 {"threads", run_threads},
                 {"signal", run_signal},
                 {"fork", run_fork}};
    size_t i;

    alarm(240); /* a deadlock is a failure, not a hang */
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (argc > 1 && !strcmp(argv[1], cases[i].name))
            return cases[i].run();
    fprintf(stderr, "unknown case\n");
    return 2;
}
