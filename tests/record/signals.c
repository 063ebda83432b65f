/* SPDX-License-Identifier: Apache-2.0 */
/* Signal handlers that annotate, while the threads they interrupt annotate too. */
#include "truth.h"

#include "modes.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

static volatile sig_atomic_t n_handled;
static volatile sig_atomic_t is_nested; /* handlers interrupt each other */

/* Lane 1: events of the handler; they come between those of what it interrupted. */
static void annotate_in_handler(int signal_number)
{
    int lane = truth_lane;
    int saved_errno = errno;
    truth_lane = lane + 1;
    truth_push("handler");
    truth_mark(signal_number == SIGALRM ? "alarm" : "user signal");
    if (is_nested && signal_number == SIGALRM)
        raise(SIGUSR1);
    truth_end(truth_start("handler range"));
    truth_pop();
    truth_lane = lane;
    n_handled++;
    errno = saved_errno;
}

static void install(int signal_number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = annotate_in_handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal_number, &action, NULL);
}

static void set_timer(long interval_us)
{
    struct itimerval timer = {{0, interval_us}, {0, interval_us}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void annotate_until(long n_wanted)
{
    static const char long_text[] =
        "a message that takes more than one cache line to store, so that there is time for a "
        "signal to arrive while it is being stored";
    static const char *const texts[] = {"a", "a message of middling length", long_text};
    for (unsigned i = 0; n_handled < n_wanted; i++) {
        truth_push(texts[i % 3]);
        truth_mark(texts[(i + 1) % 3]);
        truth_pop();
        if (i > 10000)
            usleep(1); /* on a slow machine: the rest is waiting */
    }
}

static int storm(int argc, char **argv, int nested)
{
    long n = argc > 0 ? strtol(argv[0], NULL, 10) : 500;
    is_nested = nested;
    install(SIGALRM);
    install(SIGUSR1);
    truth_mark("before"); /* the first call loads the recorder, which is not for a handler */
    set_timer(100);
    annotate_until(n);
    set_timer(0);
    return 0;
}

static int run_storm(int argc, char **argv)
{
    return storm(argc, argv, 0);
}

static int run_nested(int argc, char **argv)
{
    return storm(argc, argv, 1);
}

/* The first event of the process, and of a thread, is in a handler. */
static void *idle_thread(void *unused)
{
    (void)unused;
    while (n_handled < 2)
        usleep(1000);
    return NULL;
}

static int run_first(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    install(SIGUSR1);
    truth_open();
    raise(SIGUSR1);
    if (pthread_create(&thread, NULL, idle_thread, NULL))
        return 1;
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}

/* Several threads, each pelted by another one, without a pause: what they annotate meanwhile is all
 * compared. */
enum { N_PELTED = 300 };
static pthread_t targets[4];
static volatile int n_ready;

static void *target_thread(void *unused)
{
    (void)unused;
    (void)truth_begin_string("value", "thread", NULL);
    __atomic_fetch_add(&n_ready, 1, __ATOMIC_SEQ_CST);
    annotate_until(N_PELTED);
    return NULL;
}

static int run_threads(int argc, char **argv)
{
    (void)argc, (void)argv;
    install(SIGUSR1);
    truth_mark("before"); /* what a handler does while the first call loads the recorder is lost */
    for (int i = 0; i < 4; i++)
        if (pthread_create(&targets[i], NULL, target_thread, NULL))
            return 1;
    while (n_ready < 4)
        usleep(100);
    for (int i = 0; n_handled < N_PELTED; i++)
        pthread_kill(targets[i % 4], SIGUSR1);
    for (int i = 0; i < 4; i++)
        pthread_join(targets[i], NULL);
    return 0;
}

/* Threads that are pelted from birth: signals arrive in their first event. */
static int may_end; /* atomic */

static void *born_in_a_storm(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        truth_push("young");
        truth_pop();
    }
    while (!__atomic_load_n(&may_end, __ATOMIC_ACQUIRE))
        usleep(10);
    return NULL;
}

static int run_births(int argc, char **argv)
{
    (void)argc, (void)argv;
    install(SIGUSR1);
    truth_mark("before");
    for (int i = 0; i < 300; i++) {
        pthread_t thread;
        __atomic_store_n(&may_end, 0, __ATOMIC_RELEASE);
        if (pthread_create(&thread, NULL, born_in_a_storm, NULL))
            return 1;
        for (int n = 0; n < 40; n++) {
            pthread_kill(thread, SIGUSR1);
            for (volatile int spin = 0; spin < (i % 17) * 50; spin++)
                ;
        }
        __atomic_store_n(&may_end, 1, __ATOMIC_RELEASE);
        pthread_join(thread, NULL);
    }
    return 0;
}

/* An alternate stack, as programs that handle overflows use it. */
static int run_alternate_stack(int argc, char **argv)
{
    (void)argc, (void)argv;
    static char memory[16384];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    struct sigaction action;
    sigaltstack(&stack, NULL);
    memset(&action, 0, sizeof action);
    action.sa_handler = annotate_in_handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    truth_mark("main");
    raise(SIGUSR1);
    return 0;
}

/* ---- Signals that come while the recorder attaches ---- */

static int annotate_under_fire(long interval_us)
{
    install(SIGALRM);
    set_timer(interval_us);
    truth_mark("main");
    while (n_handled < 20)
        usleep(100);
    set_timer(0);
    truth_mark("main");
    return 0;
}

static int wait_for_child(pid_t pid)
{
    int status = 1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* attach N: N processes, each with signals from before its first annotation on. */
static int run_attach(int argc, char **argv)
{
    long n = argc > 0 ? strtol(argv[0], NULL, 10) : 1;
    int status = 0;
    for (long i = 0; i < n && status == 0; i++) {
        pid_t pid = fork();
        if (pid == 0)
            exit(annotate_under_fire(50 + i % 10 * 20));
        status = pid < 0 ? 1 : wait_for_child(pid);
    }
    return status != 0;
}

/* The recorder is loaded already, and the signals come from the moment on when it asks for the
 * table of callbacks: headers that cannot bear signals while a library is loaded can be tested so
 * too. */
static NvtxInitializeInjectionNvtxFunc_t recorder;
static NvtxGetExportTableFunc_t real_table;

static const void *NVTX_API table_under_fire(uint32_t id)
{
    set_timer(30);
    raise(SIGALRM);
    return real_table(id);
}

static int NVTX_API attach_under_fire(NvtxGetExportTableFunc_t get_table)
{
    real_table = get_table;
    return recorder(table_under_fire);
}

static int run_attach_loaded(int argc, char **argv)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    void *symbol = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
    if (!symbol)
        return 1;
    memcpy(&recorder, &symbol, sizeof symbol);
    unsetenv("NVTX_INJECTION64_PATH");
    InitializeInjectionNvtx2_fnptr = attach_under_fire;
    long n = argc > 0 ? strtol(argv[0], NULL, 10) : 1;
    int status = 0;
    for (long i = 0; i < n && status == 0; i++) {
        pid_t pid = fork();
        if (pid == 0)
            exit(annotate_under_fire(0));
        status = pid < 0 ? 1 : wait_for_child(pid);
    }
    return status != 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"storm", run_storm},   {"nested", run_nested},
        {"first", run_first},   {"threads", run_threads},
        {"births", run_births}, {"alternate-stack", run_alternate_stack},
        {"attach", run_attach}, {"attach-loaded", run_attach_loaded},
        {NULL, NULL},
    };
    return modes_run(modes, argc, argv);
}
