/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads: one after another, at once, and at odds over one domain. */
#include "truth.h"

#include "modes.h"

#include <pthread.h>

static uint64_t resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long size = 0, resident = 0;
    if (!file || fscanf(file, "%lu %lu", &size, &resident) != 2)
        abort();
    fclose(file);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static void *annotate_little(void *number)
{
    char text[32];
    snprintf(text, sizeof text, "thread %lu", (unsigned long)(uintptr_t)number);
    nvtxRangePushA(text);
    nvtxMarkA("alive");
    nvtxRangePop();
    return NULL;
}

/* N threads, each after the other's end. */
static int run_serial(int argc, char **argv)
{
    uintptr_t n = argc > 0 ? strtoul(argv[0], NULL, 10) : 10000;
    uint64_t before = resident_kib();
    for (uintptr_t i = 0; i < n; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, annotate_little, (void *)i))
            return 1;
        pthread_join(thread, NULL);
    }
    truth_value("resident KiB", resident_kib());
    truth_value("grown KiB", resident_kib() - before);
    return 0;
}

static pthread_barrier_t barrier;

static void *annotate_at_once(void *number)
{
    pthread_barrier_wait(&barrier);
    annotate_little(number);
    pthread_barrier_wait(&barrier); /* all threads have a slot at the same time */
    return annotate_little(number);
}

static int run_parallel(int argc, char **argv)
{
    enum { MAX_THREADS = 1000 };
    static pthread_t threads[MAX_THREADS];
    unsigned n = argc > 0 ? (unsigned)strtoul(argv[0], NULL, 10) : 200;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 128 * 1024);
    pthread_barrier_init(&barrier, NULL, n);
    for (uintptr_t i = 0; i < n && i < MAX_THREADS; i++)
        if (pthread_create(&threads[i], &attr, annotate_at_once, (void *)i))
            return 1;
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

enum { N_DOMAIN_THREADS = 16, N_NAMES = 5, N_ROUNDS = 20 };

static void *create_domains(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < N_ROUNDS; i++) {
        for (int name = 0; name < N_NAMES; name++) {
            char text[32];
            snprintf(text, sizeof text, "shared %d", name);
            struct truth_domain domain = truth_domain_make(text);
            nvtxEventAttributes_t a = truth_attributes(NULL);
            a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
            a.message.registered = nvtxDomainRegisterStringA(domain.handle, "work");
            truth_push_ex(&domain, &a, "work");
            truth_domain_pop(&domain);
        }
    }
    return NULL;
}

/* The same domains, made by all threads at the same moment. */
static int run_domains(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t threads[N_DOMAIN_THREADS];
    pthread_barrier_init(&barrier, NULL, N_DOMAIN_THREADS);
    for (int i = 0; i < N_DOMAIN_THREADS; i++)
        if (pthread_create(&threads[i], NULL, create_domains, NULL))
            return 1;
    for (int i = 0; i < N_DOMAIN_THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static void *annotate_on_small_stack(void *unused)
{
    (void)unused;
    nvtxRangePushA("on a small stack");
    nvtxDomainCreateA("made on a small stack");
    nvtxRangePop();
    return NULL;
}

/* 16 KiB on x86-64, of which the C library takes some. "first": the recorder is loaded on one. */
static int run_small_stacks(int argc, char **argv)
{
    pthread_attr_t attr;
    if (argc == 0 || strcmp(argv[0], "first") != 0)
        nvtxMarkA("the recorder is loaded on the main stack");
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attr, annotate_on_small_stack, NULL))
            return 1;
        pthread_join(thread, NULL);
    }
    return 0;
}

static void *leave_open(void *unused)
{
    (void)unused;
    nvtxRangePushA("open at thread end");
    nvtxRangeStartA("started, never ended");
    return NULL;
}

static int run_open(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    if (pthread_create(&thread, NULL, leave_open, NULL))
        return 1;
    pthread_join(thread, NULL);
    usleep(20000);
    nvtxMarkA("later");
    nvtxRangePushA("open at process end");
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"serial", run_serial},   {"parallel", run_parallel},
        {"domains", run_domains}, {"small-stacks", run_small_stacks},
        {"open", run_open},       {NULL, NULL},
    };
    return modes_run(modes, argc, argv);
}
