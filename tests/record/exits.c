/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations before main and after exit, and every way to end. */
#include "truth.h"

#include "modes.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

static int is_verbose; /* this run annotates before main and in handlers */

__attribute__((constructor)) static void before_main(void)
{
    is_verbose = getenv("ANNOTATE_AROUND_MAIN") != NULL;
    if (is_verbose) {
        truth_push("constructor");
        truth_mark("before main");
        truth_pop();
    }
}

__attribute__((destructor)) static void after_main(void)
{
    if (is_verbose) {
        truth_push("destructor");
        truth_mark("after main");
        truth_pop();
    }
}

static void at_exit_handler(void)
{
    truth_push("exit handler");
    truth_pop();
}

static void key_destructor(void *value)
{
    (void)value;
    truth_push("key destructor");
    truth_pop();
}

static void *thread_with_key(void *key)
{
    pthread_setspecific(*(pthread_key_t *)key, key);
    truth_mark("thread with a destructor");
    return NULL;
}

static int run_normal(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_key_t key;
    pthread_t thread;
    atexit(at_exit_handler);
    at_quick_exit(at_exit_handler);
    pthread_key_create(&key, key_destructor);
    if (pthread_create(&thread, NULL, thread_with_key, &key))
        return 1;
    pthread_join(thread, NULL);
    truth_mark("main");
    return 0;
}

static void some_events(void)
{
    truth_push("open");
    for (int i = 0; i < 100; i++) {
        truth_push("closed");
        truth_mark("mark");
        truth_pop();
    }
}

static void no_core_file(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

static int run_return(int argc, char **argv)
{
    some_events();
    return argc > 0 ? (int)strtol(argv[0], NULL, 10) : 0;
}

static int run_exit_now(int argc, char **argv)
{
    (void)argc, (void)argv;
    some_events();
    _exit(5);
}

static int run_quick_exit(int argc, char **argv)
{
    (void)argc, (void)argv;
    at_quick_exit(at_exit_handler);
    some_events();
    quick_exit(6);
}

static int run_abort(int argc, char **argv)
{
    (void)argc, (void)argv;
    no_core_file();
    some_events();
    abort();
}

static int run_signal(int argc, char **argv)
{
    no_core_file();
    some_events();
    raise(argc > 0 ? (int)strtol(argv[0], NULL, 10) : SIGTERM);
    return 0;
}

static int run_segv(int argc, char **argv)
{
    (void)argc, (void)argv;
    no_core_file();
    some_events();
    volatile uintptr_t nowhere = 8; /* hidden from the compiler's checks */
    *(volatile int *)nowhere = 1;
    return 0;
}

static void *outliving_thread(void *unused)
{
    (void)unused;
    usleep(30000);
    truth_push("after main's end");
    truth_pop();
    return NULL;
}

static int run_pthread_exit(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    if (pthread_create(&thread, NULL, outliving_thread, NULL))
        return 1;
    some_events();
    pthread_exit(NULL);
}

static void *exiting_thread(void *unused)
{
    (void)unused;
    truth_mark("thread calls exit");
    exit(9);
}

static int n_busy; /* atomic: threads that have annotated */

static void *busy_thread(void *unused)
{
    (void)unused;
    nvtxRangePushA("busy");
    nvtxRangePop();
    (void)__atomic_fetch_add(&n_busy, 1, __ATOMIC_RELEASE);
    for (;;) {
        nvtxRangePushA("busy");
        nvtxRangePop();
    }
    return NULL;
}

/* exit() from a thread while others are in the middle of recording. */
static int run_exit_in_thread(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    some_events();
    for (int i = 0; i < 3; i++)
        if (pthread_create(&thread, NULL, busy_thread, NULL))
            return 1;
    while (__atomic_load_n(&n_busy, __ATOMIC_ACQUIRE) < 3)
        usleep(1000);
    if (pthread_create(&thread, NULL, exiting_thread, NULL))
        return 1;
    for (;;)
        pause();
}

/* Annotates until it is killed. Counts are published after each event: whatever a count says
 * must be in the recording. */
static void *endless_thread(void *number)
{
    uint64_t *count = (uint64_t *)(void *)truth_base + 1 + (uintptr_t)number;
    char text[32];
    for (uint64_t i = 0;; i++) {
        snprintf(text, sizeof text, "%lu %llu", (unsigned long)(uintptr_t)number,
                 (unsigned long long)i);
        nvtxMarkA(text);
        __atomic_store_n(count, i + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static int run_endless(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    truth_open();
    if (!truth_base)
        return 0; /* there is nobody to tell the counts to */
    for (uintptr_t i = 1; i < 4; i++)
        if (pthread_create(&thread, NULL, endless_thread, (void *)i))
            return 1;
    endless_thread(NULL);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"normal", run_normal},
        {"return", run_return},
        {"exit-now", run_exit_now},
        {"quick-exit", run_quick_exit},
        {"abort", run_abort},
        {"signal", run_signal},
        {"segv", run_segv},
        {"pthread-exit", run_pthread_exit},
        {"exit-in-thread", run_exit_in_thread},
        {"endless", run_endless},
        {NULL, NULL},
    };
    return modes_run(modes, argc, argv);
}
