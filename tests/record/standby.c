/* SPDX-License-Identifier: Apache-2.0 */
/* A program that wants the recorder in standby, and begins and ends sessions itself. Its first word
 * says what it does, its second is the folder of the sessions' directories 0, 1 and so on:
 * - plain: two sessions, with names from before, in and between them
 * - payloads: three sessions, with schemas and counters from before, in and between them
 * - threads N: threads mark numbers all the time, while N sessions come and go
 * - signals N: the same, with a signal handler that marks too
 * - short N: the same with threads that live for one event each
 * - fork: children before, in and across a session, two with sessions of their own
 * - fork-threads N: in a child, a thread of it and the one that forked mark N numbers each
 * - killed: SIGKILL in a session
 * - exit: an end in a session
 * - refused: what cannot be begun or ended
 * - exec PROGRAM ...: a program that inherits the marker */
#include <dlfcn.h>
#include <errno.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*session_begin)(const char *directory);
static int (*session_end)(void);
static const char *folder;
static atomic_int is_over;

static void die(const char *what)
{
    fprintf(stderr, "standby: %s: %s\n", what, strerror(errno));
    exit(99);
}

static void find_functions(void)
{
    void *library = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);
    if (library == NULL)
        die(dlerror());
    *(void **)&session_begin = dlsym(library, "rangefinder_standby_begin");
    *(void **)&session_end = dlsym(library, "rangefinder_standby_end");
    if (session_begin == NULL || session_end == NULL)
        die("no entry points");
}

static void want_standby(void)
{
    char pid[16];
    (void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
    if (setenv("RANGEFINDER_STANDBY", pid, 1) != 0)
        die("setenv");
}

static int begin(int number)
{
    char directory[4096];
    (void)snprintf(directory, sizeof(directory), "%s/%d", folder, number);
    if (mkdir(directory, 0700) != 0 && errno != EEXIST)
        die(directory);
    return session_begin(directory);
}

static void expect(int status, const char *what)
{
    if (status == 0)
        return;
    errno = -status;
    die(what);
}

static void mark_number(nvtxDomainHandle_t domain, uint64_t number)
{
    nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                        .payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
                                        .payload.ullValue = number,
                                        .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                        .message.ascii = "number"};
    nvtxDomainMarkEx(domain, &attributes);
}

static void mark_registered(nvtxDomainHandle_t domain, nvtxStringHandle_t string)
{
    nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                        .category = 7,
                                        .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
                                        .message.registered = string};
    nvtxDomainMarkEx(domain, &attributes);
}

static void plain(void)
{
    nvtxDomainHandle_t early = nvtxDomainCreateA("early");
    nvtxStringHandle_t before = nvtxDomainRegisterStringA(early, "registered before");
    nvtxDomainNameCategoryA(early, 7, "seven");
    mark_registered(early, before);
    nvtxRangePushA("began before");
    expect(begin(0), "first session");
    nvtxRangePop();
    mark_registered(early, before);
    nvtxDomainHandle_t middle = nvtxDomainCreateA("middle");
    mark_registered(middle, nvtxDomainRegisterStringA(middle, "registered in it"));
    nvtxRangePushA("inside");
    nvtxRangePop();
    nvtxRangeId_t crossing = nvtxRangeStartA("crossing");
    nvtxRangePushA("ends after");
    expect(session_end(), "end of the first session");
    nvtxRangePop();
    nvtxMarkA("between");
    nvtxStringHandle_t between = nvtxDomainRegisterStringA(middle, "registered between");
    expect(begin(1), "second session");
    nvtxRangeEnd(crossing);
    mark_registered(early, before);
    mark_registered(middle, between);
    nvtxRangeEnd(nvtxRangeStartA("second"));
    expect(session_end(), "end of the second session");
    nvtxMarkA("after");
}

/* ---- Payloads and counters ---- */

struct node {
    int64_t number;
    const char *text; /* what it points to is recorded */
};

static uint64_t register_node(nvtxDomainHandle_t domain, const char *name)
{
    static const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "number", NULL, 0, 0, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", NULL, 0, 8,
         NULL, NULL}};
    const nvtxPayloadSchemaAttr_t a = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
        .name = name,
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .flags = NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY,
        .entries = entries,
        .numEntries = 2,
        .payloadStaticSize = sizeof(struct node)};
    return nvtxPayloadSchemaRegister(domain, &a);
}

static uint64_t register_counter(nvtxDomainHandle_t domain, const char *name)
{
    const nvtxCounterAttr_t a = {sizeof(a), NVTX_PAYLOAD_ENTRY_TYPE_INT64, name, NULL, 0,
                                 NULL,      NVTX_COUNTER_ID_NONE};
    return nvtxCounterRegister(domain, &a);
}

static void mark_node(nvtxDomainHandle_t domain, uint64_t schema, int64_t number, const char *text)
{
    const struct node node = {number, text};
    const nvtxPayloadData_t data = {schema, sizeof(node), &node};
    nvtxMarkPayload(domain, &data, 1);
}

/* A schema and a counter from before the sessions, one of each from the first, one from between. */
static void with_payloads(void)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("payloads");
    uint64_t schemas[3] = {register_node(domain, "before")};
    uint64_t counters[3] = {register_counter(domain, "before")};
    for (int session = 0; session < 3; session++) {
        mark_node(domain, schemas[0], -1, "not recorded");
        nvtxCounterSampleInt64(domain, counters[0], -1);
        expect(begin(session), "session");
        if (session == 0) {
            schemas[1] = register_node(domain, "in it");
            counters[1] = register_counter(domain, "in it");
        }
        for (int i = 0; i < 3 && schemas[i] != 0; i++) {
            char text[32];
            (void)snprintf(text, sizeof(text), "text %d of %d", i, session);
            mark_node(domain, schemas[i], session * 10 + i, text);
            nvtxCounterSampleInt64(domain, counters[i], session * 10 + i);
        }
        expect(session_end(), "end of a session");
        if (session == 0) {
            schemas[2] = register_node(domain, "between");
            counters[2] = register_counter(domain, "between");
        }
    }
}

/* ---- Threads ---- */

static void *mark_numbers(void *argument)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("numbers");
    uint64_t number = 0;
    (void)argument;
    while (!atomic_load(&is_over)) {
        mark_number(domain, ++number);
        if (number % 1000 == 0) {
            char text[32];
            (void)snprintf(text, sizeof(text), "text %d", (int)(number / 1000));
            (void)nvtxDomainRegisterStringA(domain, text);
        }
    }
    return NULL;
}

static void mark_in_handler(int number)
{
    int saved_errno = errno;
    (void)number;
    nvtxMarkA("handler");
    errno = saved_errno;
}

static void let_handlers_in(void)
{
    const struct itimerval often = {{0, 150}, {0, 150}};
    struct sigaction action = {.sa_handler = mark_in_handler, .sa_flags = SA_RESTART};
    if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &often, NULL) != 0)
        die("no signals");
}

static void *mark_once(void *argument)
{
    nvtxMarkA("short");
    return argument;
}

static void *start_short_threads(void *argument)
{
    while (!atomic_load(&is_over)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, mark_once, NULL) == 0)
            (void)pthread_join(thread, NULL);
    }
    return argument;
}

static void with_threads(void *(*function)(void *), int n_sessions)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, function, NULL) != 0)
            die("pthread_create");
    for (int i = 0; i < n_sessions; i++) {
        expect(begin(i), "session");
        nvtxMarkA("session");
        (void)usleep(i % 4 == 0 ? 4000 : 300);
        expect(session_end(), "end");
        (void)usleep(i % 3 * 500u);
    }
    atomic_store(&is_over, 1);
    for (int i = 0; i < 3; i++)
        (void)pthread_join(threads[i], NULL);
}

/* ---- Processes ---- */

static void wait_for(pid_t pid)
{
    int status;
    if (waitpid(pid, &status, 0) != pid || status != 0)
        die("a child failed");
}

static void with_forks(void)
{
    int in[2], out[2];
    char byte = 0;
    nvtxDomainHandle_t domain = nvtxDomainCreateA("inherited");
    if (pipe(in) != 0 || pipe(out) != 0)
        die("pipe");
    pid_t early = fork();
    if (early == 0) { /* of before the session: it is none of it, and has one of its own */
        nvtxMarkA("early child");
        expect(begin(1), "session of a child");
        nvtxMarkA("own session");
        mark_number(domain, 1);
        expect(session_end(), "end of a child's session");
        exit(0);
    }
    expect(begin(0), "session");
    nvtxMarkA("parent");
    pid_t inner = fork();
    if (inner == 0) {
        if (session_end() != -EINVAL)
            die("a child ends its parent's session");
        nvtxMarkA("child");
        mark_number(domain, 2);
        (void)nvtxDomainCreateA("of the child");
        exit(0);
    }
    wait_for(early);
    wait_for(inner);
    pid_t crossing = fork();
    if (crossing == 0) {
        (void)!read(out[0], &byte, 1);
        (void)nvtxDomainCreateA("known to the child only"); /* it gets the parent's handle */
        nvtxMarkA("crossing child");
        (void)!write(in[1], &byte, 1);
        (void)!read(out[0], &byte, 1);
        nvtxMarkA("crossing child, late");
        expect(begin(2), "session of a child of a session");
        nvtxMarkA("a session later");
        mark_number(domain, 3);
        expect(session_end(), "its end");
        exit(0);
    }
    mark_number(nvtxDomainCreateA("known to the parent only"), 4);
    (void)!write(out[1], &byte, 1);
    (void)!read(in[0], &byte, 1);
    expect(session_end(), "end");
    (void)!write(out[1], &byte, 1);
    wait_for(crossing);
}

static long n_numbers;
static pthread_barrier_t has_begun;

static void *mark_so_many(void *domain)
{
    (void)pthread_barrier_wait(&has_begun);
    for (long i = 1; i <= n_numbers; i++)
        mark_number((nvtxDomainHandle_t)domain, (uint64_t)i);
    return NULL;
}

static void *mark_once_and_so_many(void *domain)
{
    nvtxMarkA("short");
    return mark_so_many(domain);
}

/* The thread that forked has annotated in its parent; another one is the first in the child. */
static void with_threads_of_a_child(void)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("numbers");
    pthread_t thread;
    expect(begin(0), "session");
    nvtxMarkA("session");
    expect(session_end(), "end");
    pid_t child = fork();
    if (child == 0) {
        expect(begin(1), "session of a child");
        (void)pthread_barrier_init(&has_begun, NULL, 2);
        if (pthread_create(&thread, NULL, mark_once_and_so_many, (void *)domain) != 0)
            die("pthread_create");
        (void)mark_so_many(domain);
        nvtxMarkA("session");
        (void)pthread_join(thread, NULL);
        expect(session_end(), "end of a child's session");
        exit(0);
    }
    wait_for(child);
}

/* ---- Ends ---- */

static void refused(void)
{
    printf("end without begin %d\n", session_end() == -EINVAL);
    printf("relative %d\n", session_begin("relative") == -EIO);
    printf("missing %d\n", session_begin("/nonexistent/directory") == -EIO);
    expect(begin(0), "session");
    printf("second %d\n", begin(1) == -EBUSY);
    nvtxMarkA("in it");
    expect(session_end(), "end");
    printf("end again %d\n", session_end() == -EINVAL);
    expect(begin(2), "session");
    expect(session_end(), "end");
}

int main(int argc, char **argv)
{
    const char *word = argc > 2 ? argv[1] : "";
    folder = argc > 2 ? argv[2] : "";
    if (strcmp(word, "exec") == 0 && argc > 3) {
        want_standby();
        pid_t child = fork();
        if (child == 0) {
            (void)execv(argv[3], argv + 3);
            _exit(98);
        }
        wait_for(child);
        return 0;
    }
    want_standby();
    find_functions();
    nvtxMarkA("first call");
    if (strcmp(word, "plain") == 0)
        plain();
    else if (strcmp(word, "payloads") == 0)
        with_payloads();
    else if (strcmp(word, "threads") == 0 && argc > 3)
        with_threads(mark_numbers, atoi(argv[3]));
    else if (strcmp(word, "signals") == 0 && argc > 3) {
        let_handlers_in();
        with_threads(mark_numbers, atoi(argv[3]));
    } else if (strcmp(word, "short") == 0 && argc > 3)
        with_threads(start_short_threads, atoi(argv[3]));
    else if (strcmp(word, "fork") == 0)
        with_forks();
    else if (strcmp(word, "fork-threads") == 0 && argc > 3) {
        n_numbers = atol(argv[3]);
        with_threads_of_a_child();
    } else if (strcmp(word, "refused") == 0)
        refused();
    else if (strcmp(word, "killed") == 0 || strcmp(word, "exit") == 0) {
        expect(begin(0), "session");
        nvtxRangePushA("open");
        nvtxMarkA("last");
        if (strcmp(word, "killed") == 0)
            (void)raise(SIGKILL);
    } else {
        fprintf(stderr, "standby: unknown word\n");
        return 2;
    }
    return 0;
}
