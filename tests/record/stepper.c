/* SPDX-License-Identifier: Apache-2.0 */
/* Signals at every instruction. A tracer steps through one annotation by K instructions, then lets
 * a signal in whose handler annotates; then the same with K + 1. No window in the recorder is too
 * small to be hit: what both wrote must be there, whole and in order. */
#include "truth.h"

#include "modes.h"

#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#if defined(__x86_64__)
#define BREAKPOINT() __asm__ volatile("int3")
#else
#define BREAKPOINT() ((void)0)
#endif

static int step; /* how far into the annotation the signal comes */

static void set_handler(void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
}

/* The steps must end before the next breakpoint. */
static void spend(int n_instructions)
{
    for (volatile int i = 0; i < n_instructions; i++)
        ;
}

/* ---- The tracer ---- */

/* Waits for a stop of any thread; returns it, or 0 at the end of the process, with its status in
 * *status. */
static pid_t wait_for_stop(pid_t pid, int *status)
{
    for (;;) {
        pid_t tid = waitpid(-1, status, __WALL);
        if (tid > 0 && WIFSTOPPED(*status) && WSTOPSIG(*status) == SIGCHLD) {
            ptrace(PTRACE_CONT, tid, NULL, NULL); /* a child of the handler's has ended */
            continue;
        }
        if (tid > 0 && WIFSTOPPED(*status))
            return tid;
        if (tid == pid || (tid < 0 && errno != EINTR))
            return 0;
    }
}

/* From the first breakpoint on k steps, and one into the handler; from the next `stride` more. */
static int trace(pid_t pid, int k, int stride)
{
    int status = 0;
    for (;; k += stride) {
        pid_t tid = wait_for_stop(pid, &status);
        for (int i = 0; i <= k && tid != 0; i++) {
            if (WSTOPSIG(status) != SIGTRAP)
                return 1;
            ptrace(PTRACE_SINGLESTEP, tid, NULL, (void *)(uintptr_t)(i < k ? 0 : SIGUSR1));
            tid = wait_for_stop(pid, &status);
        }
        if (tid == 0)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        ptrace(PTRACE_CONT, tid, NULL, NULL);
    }
}

static int run_traced(int (*run)(void), int first, int stride)
{
    step = first;
    pid_t pid = fork();
    if (pid == 0)
        exit(run());
    return pid > 0 ? trace(pid, first, stride) : 1;
}

/* ---- A thread that has annotated before, and whose handler fills parts ---- */

enum { N_STEPS = 350, N_IN_HANDLER = 140, TEXT_SIZE = 480 };

static void annotate_much(int signal_number)
{
    (void)signal_number;
    for (int i = 0; i < N_IN_HANDLER; i++) {
        char text[TEXT_SIZE + 1];
        memset(text, '.', TEXT_SIZE);
        text[TEXT_SIZE] = 0;
        int n = snprintf(text, sizeof text, "handler %d %d", step, i);
        text[n] = '.';
        nvtxMarkA(text);
    }
}

/* Annotates once after each stop, in one of three ways. */
static int annotate_in_steps(void)
{
    set_handler(annotate_much);
    nvtxMarkA("before");
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
    for (; step < N_STEPS; step++) {
        char text[32];
        snprintf(text, sizeof text, "main %d", step);
        nvtxRangePushA("around");
        BREAKPOINT();
        if (step % 2)
            nvtxMarkA(text);
        else
            nvtxRangePop();
        if (step % 2)
            nvtxRangePop();
        else
            nvtxMarkA(text);
        spend(N_STEPS);
    }
    return 0;
}

static int run_marks(int argc, char **argv)
{
    (void)argc, (void)argv;
    return run_traced(annotate_in_steps, 0, 1);
}

/* ---- Payloads and samples ---- */

/* Two payloads: which step, and many bytes of that number, now and then more than a part has. */
static void mark_payloads(int64_t who, size_t size)
{
    static uint8_t many[70000];
    const int64_t number = who * 1000 + step;
    const nvtxPayloadData_t data[] = {{NVTX_PAYLOAD_ENTRY_TYPE_INT64, sizeof number, &number},
                                      {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, size, many}};
    nvtxMarkPayload(NULL, data, 2);
}

static void mark_in_handler(int signal_number)
{
    (void)signal_number;
    nvtxCounterSampleInt64(NULL, 2, step);
    for (int i = 0; i < 4; i++)
        mark_payloads(2, 400 * (size_t)i);
}

static int annotate_payloads(void)
{
    set_handler(mark_in_handler);
    mark_payloads(1, 0);
    nvtxCounterSampleInt64(NULL, 1, -1);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
    for (; step < N_STEPS; step++) {
        BREAKPOINT();
        if (step % 2) {
            nvtxCounterSampleInt64(NULL, 1, step);
            mark_payloads(1, step % 16 == 1 ? 70000 : 40);
        } else {
            mark_payloads(1, 40);
            nvtxCounterSampleInt64(NULL, 1, step);
        }
        spend(N_STEPS);
    }
    return 0;
}

static int run_payloads(int argc, char **argv)
{
    (void)argc, (void)argv;
    return run_traced(annotate_payloads, 0, 1);
}

/* ---- A handler whose text ends near the end of a part ---- */

enum { FILLER_SIZE = 66000 };

static int text_size;

/* As a text, and in every other step as a payload. */
static void mark_long_text(int signal_number)
{
    static char text[65536];
    const nvtxPayloadData_t data = {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, (size_t)text_size, text};
    nvtxEventAttributes_t e = {.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE};
    (void)signal_number;
    memset(text, '.', (size_t)text_size);
    e.messageType = NVTX_MESSAGE_TYPE_ASCII;
    e.message.ascii = step % 2 ? "handler" : memcpy(text, "handler", 7);
    if (step % 2) {
        NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N(e, &data, 1)
    }
    nvtxMarkEx(&e);
}

/* Another thread, whose parts lie behind those of the first. */
static void *mark_beside(void *barrier)
{
    nvtxMarkA("beside");
    (void)pthread_barrier_wait(barrier);
    (void)pthread_barrier_wait(barrier);
    nvtxMarkA("beside");
    return NULL;
}

static int step_behind_text(void)
{
    char text[TEXT_SIZE + 1];
    set_handler(mark_long_text);
    memset(text, '.', TEXT_SIZE);
    text[snprintf(text, sizeof text, "main %d %d", step, text_size)] = '.';
    text[TEXT_SIZE] = 0;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
    BREAKPOINT();
    nvtxMarkA(text);
    spend(N_STEPS);
    return 0;
}

static int annotate_behind_text(void)
{
    static char filler[FILLER_SIZE + 1];
    pthread_t thread;
    pthread_barrier_t barrier;
    memset(filler, '.', FILLER_SIZE);
    nvtxMarkA("before");
    if (pthread_barrier_init(&barrier, NULL, 2) != 0 ||
        pthread_create(&thread, NULL, mark_beside, &barrier) != 0)
        return 1;
    (void)pthread_barrier_wait(&barrier);
    nvtxMarkA(filler);
    int status = step_behind_text();
    (void)pthread_barrier_wait(&barrier);
    return pthread_join(thread, NULL) != 0 ? 1 : status;
}

/* long-text N SIZE...: for each of N steps and each size a process. It fills its first part, and
 * marks in its second; what its handler marks there leaves less of the part than that takes. */
static int run_long_text(int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++)
        for (int k = 0; k < atoi(argv[0]) && status == 0; k++) {
            text_size = atoi(argv[i]);
            status = run_traced(annotate_behind_text, k, 1);
        }
    return status;
}

/* ---- A handler that forks ---- */

static int returns; /* the child goes on in what its handler interrupted, and annotates then */
static int is_child;

static void annotate_in_child(void)
{
    char text[32];
    snprintf(text, sizeof text, "child %d", step);
    nvtxMarkA(text);
    _exit(0);
}

static void fork_and_annotate(int signal_number)
{
    int status = 1;
    (void)signal_number;
    pid_t pid = fork();
    is_child = pid == 0;
    if (is_child && returns)
        return;
    if (is_child)
        annotate_in_child();
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (status != 0)
        _exit(1);
}

/* forks [return]: a handler forks, at every tenth instruction of an annotation. */
static int annotate_and_fork(void)
{
    set_handler(fork_and_annotate);
    nvtxMarkA("before");
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
    for (; step < N_STEPS; step += 10) {
        char text[32];
        snprintf(text, sizeof text, "main %d", step);
        BREAKPOINT();
        nvtxMarkA(text);
        spend(N_STEPS);
        if (is_child)
            annotate_in_child();
    }
    return 0;
}

static int run_forks(int argc, char **argv)
{
    returns = argc > 0 && strcmp(argv[0], "return") == 0;
    return run_traced(annotate_and_fork, 0, 10);
}

/* ---- Focused runs ---- */

static void annotate_and_leave_one_open(int signal_number)
{
    (void)signal_number;
    nvtxRangePushA("handler");
    nvtxMarkA("handler");
    nvtxRangeEnd(nvtxRangeStartA("handler"));
    nvtxRangePop();
    if (step % 50 == 49)
        nvtxRangeStartA("left open");
}

/* Between captures: steps through a start or a pop. */
static int annotate_armed(void)
{
    set_handler(annotate_and_leave_one_open);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
    for (; step < N_STEPS; step++) {
        nvtxRangePushA("around");
        BREAKPOINT();
        if (step % 2)
            nvtxRangeEnd(nvtxRangeStartA("start"));
        nvtxRangePop();
        spend(N_STEPS);
    }
    nvtxRangePushA("step");
    nvtxMarkA("in");
    nvtxRangePop();
    return 0;
}

enum { N_TRIGGER_STEPS = 160 };

static void annotate_and_trigger(int signal_number)
{
    (void)signal_number;
    if (step % 4 < 2)
        nvtxRangePushA("step");
    nvtxRangePushA("handler");
    nvtxRangePop();
    if (step % 4 < 2)
        nvtxRangePop();
}

/* Steps through the begin of a trigger, or its end. */
static int annotate_triggers(void)
{
    set_handler(annotate_and_trigger);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
    for (int end = step + N_TRIGGER_STEPS; step < end; step++) {
        if (step % 2)
            BREAKPOINT();
        nvtxRangePushA("step");
        nvtxMarkA("in");
        if (step % 2 == 0)
            BREAKPOINT();
        nvtxRangePop();
        nvtxMarkA("out");
        spend(step);
    }
    return 0;
}

static int run_armed(int argc, char **argv)
{
    (void)argc, (void)argv;
    return run_traced(annotate_armed, 0, 1);
}

/* triggers FIRST: from the step FIRST on. */
static int run_triggers(int argc, char **argv)
{
    return argc > 0 ? run_traced(annotate_triggers, atoi(argv[0]), 1) : 2;
}

/* ---- The first annotation of a thread, or its end ---- */

enum { N_THREADS = 2000, N_AFTER = 10 };

static volatile sig_atomic_t is_done; /* what is stepped through */
static volatile sig_atomic_t n_after; /* signals that came after it */
static pthread_key_t keys[2];         /* whose destructors come before the recorder's, and after */

static void annotate_step(const char *who)
{
    char text[32];
    snprintf(text, sizeof text, "%s %d", who, step);
    nvtxMarkA(text);
}

static void annotate_once(int signal_number)
{
    (void)signal_number;
    n_after += is_done;
    annotate_step("handler");
}

static void be_traced(void)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        exit(77);
    BREAKPOINT();
}

static void *be_born(void *unused)
{
    (void)unused;
    be_traced();
    nvtxMarkA("first");
    is_done = 1;
    spend(10 * N_AFTER);
    annotate_step("second");
    return NULL;
}

static void *die(void *unused)
{
    (void)unused;
    nvtxMarkA("first");
    annotate_step("second");
    pthread_setspecific(keys[0], keys);
    pthread_setspecific(keys[1], keys);
    return NULL;
}

static void begin_to_die(void *unused)
{
    (void)unused;
    be_traced();
}

static void end_to_die(void *unused)
{
    (void)unused;
    is_done = 1;
    spend(10 * N_AFTER);
}

/* Thread after thread, until the signal comes after all that is to be stepped through. Prints how
 * many. */
static int run_threads(void *(*run)(void *))
{
    pthread_t thread;
    set_handler(annotate_once);
    pthread_key_create(&keys[0], begin_to_die);
    nvtxMarkA("before");
    pthread_key_create(&keys[1], end_to_die);
    for (; step < N_THREADS && n_after < N_AFTER; step++) {
        is_done = 0;
        if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
            return 1;
    }
    printf("%d\n", step);
    return n_after < N_AFTER;
}

static int bear(void)
{
    return run_threads(be_born);
}

static int bury(void)
{
    return run_threads(die);
}

static int run_births(int argc, char **argv)
{
    (void)argc, (void)argv;
    return run_traced(bear, 0, 1);
}

static int run_deaths(int argc, char **argv)
{
    (void)argc, (void)argv;
    return run_traced(bury, 0, 1);
}

/* ---- The first annotation in a session of a recorder in standby ---- */

static const char *folder; /* of the sessions */

static int annotate_sessions(void)
{
    char text[4096];
    void *library = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);
    if (library == NULL)
        return 1;
    int (*begin)(const char *) = NULL;
    int (*end)(void) = NULL;
    *(void **)&begin = dlsym(library, "rangefinder_standby_begin");
    *(void **)&end = dlsym(library, "rangefinder_standby_end");
    snprintf(text, sizeof text, "%d", (int)getpid());
    setenv("RANGEFINDER_STANDBY", text, 1);
    set_handler(annotate_once);
    nvtxMarkA("before");
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
    for (; step < N_THREADS && n_after < N_AFTER; step++) {
        is_done = 0;
        snprintf(text, sizeof text, "%s/%d", folder, step);
        if (mkdir(text, 0700) != 0 || begin(text) != 0)
            return 1;
        BREAKPOINT();
        nvtxMarkA("first");
        is_done = 1;
        spend(10 * N_AFTER);
        annotate_step("second");
        if (end() != 0)
            return 1;
    }
    return n_after < N_AFTER;
}

/* sessions FOLDER: makes the sessions FOLDER/0, 1 and so on. At every fourth instruction: there are
 * many, and a session takes its time. */
static int run_sessions(int argc, char **argv)
{
    folder = argc > 0 ? argv[0] : ".";
    return run_traced(annotate_sessions, 0, 4);
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {{"marks", run_marks},         {"forks", run_forks},
                                        {"armed", run_armed},         {"triggers", run_triggers},
                                        {"births", run_births},       {"deaths", run_deaths},
                                        {"sessions", run_sessions},   {"payloads", run_payloads},
                                        {"long-text", run_long_text}, {NULL, NULL}};
#if !defined(__x86_64__)
    return 77; /* the breakpoint */
#endif
    return modes_run(modes, argc, argv);
}
