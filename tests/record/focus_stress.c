/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads, and signal handlers, that open and close the trigger "step" of a focused run.
 *
 *     focus_stress triggers N M ROUNDS   N threads open and close it ROUNDS times each, as pushes
 *                                        and as started ranges, while M others mark
 *                                        "THREAD:NUMBER", and push and pop; "ticks.THREAD" gets
 *                                        the clock before and after each mark
 *     focus_stress storm MS              handlers do so while their threads do
 *     focus_stress idle                  annotates until it is killed, and begins no capture:
 * "outer" is open all the time focus_stress long                  texts longer than a part, between
 * captures and inside */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "modes.h"

static nvtxEventAttributes_t step;
static atomic_int is_over;
static int n_rounds;

static void prepare(void)
{
    step.version = NVTX_VERSION;
    step.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    step.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    step.message.registered = nvtxDomainRegisterStringA(NULL, "step");
}

static void pause_us(unsigned us)
{
    struct timespec t = {0, (long)us * 1000};
    (void)nanosleep(&t, NULL);
}

static void *open_and_close(void *number)
{
    unsigned seed = (unsigned)(uintptr_t)number * 7919 + 1;
    for (int i = 0; i < n_rounds; i++) {
        unsigned dice = (unsigned)rand_r(&seed);
        if (dice % 3 == 0) {
            nvtxRangeId_t id = nvtxRangeStartEx(&step);
            if (dice % 5 == 0)
                pause_us(dice / 16 % 50);
            nvtxRangeEnd(id);
        } else {
            (void)nvtxRangePushEx(&step);
            if (dice % 3 == 1) {
                (void)nvtxRangePushEx(&step);
                (void)nvtxRangePop();
            }
            if (dice % 5 == 0)
                pause_us(dice / 16 % 50);
            (void)nvtxRangePop();
        }
        /* all together: captures must end now and then */
        pause_us(200 + dice / 64 % 2000);
    }
    return NULL;
}

/* The recording's clock, not earlier than what stands before and not later than what follows. */
static uint64_t ordered_ticks(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
    uint64_t value = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
#else
    uint64_t value;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(value)::"memory");
#endif
    return value;
}

static void *annotate(void *number)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "ticks.%d", (int)(intptr_t)number);
    FILE *file = fopen(text, "wb");
    if (file == NULL)
        exit(97);
    for (int i = 0; !atomic_load(&is_over); i++) {
        uint64_t ticks[2];
        (void)snprintf(text, sizeof(text), "%d:%d", (int)(intptr_t)number, i);
        ticks[0] = ordered_ticks();
        nvtxMarkA(text);
        ticks[1] = ordered_ticks();
        (void)fwrite(ticks, sizeof(ticks), 1, file);
        (void)nvtxRangePushA("outer");
        (void)nvtxRangePushA("inner");
        (void)nvtxRangePop();
        nvtxRangeId_t id = nvtxRangeStartA("start");
        if (i % 3 == 0)
            (void)nvtxRangePop();
        nvtxRangeEnd(id);
        if (i % 3 != 0)
            (void)nvtxRangePop();
        if (i % 64 == 0)
            pause_us(100);
    }
    (void)fclose(file);
    return NULL;
}

static int run_triggers(int argc, char **argv)
{
    pthread_t thread[64];
    int n = argc > 0 ? atoi(argv[0]) : 8;
    int m = argc > 1 ? atoi(argv[1]) : 8;
    n_rounds = argc > 2 ? atoi(argv[2]) : 100;
    prepare();
    for (int i = 0; i < n + m; i++)
        if (pthread_create(&thread[i], NULL, i < n ? open_and_close : annotate,
                           (void *)(intptr_t)i) != 0)
            return 1;
    for (int i = 0; i < n + m; i++) {
        if (i == n)
            atomic_store(&is_over, 1);
        (void)pthread_join(thread[i], NULL);
    }
    return 0;
}

static void on_alarm(int number)
{
    (void)number;
    (void)nvtxRangePushEx(&step);
    (void)nvtxRangePushA("of a handler");
    (void)nvtxRangePop();
    (void)nvtxRangePop();
    nvtxRangeEnd(nvtxRangeStartEx(&step));
    nvtxRangeEnd(nvtxRangeStartA("of a handler"));
}

static void *be_interrupted(void *unused)
{
    (void)unused;
    while (!atomic_load(&is_over)) {
        (void)nvtxRangePushA("outer");
        (void)nvtxRangePushEx(&step);
        nvtxRangeId_t id = nvtxRangeStartA("inner");
        (void)nvtxRangePop();
        nvtxRangeEnd(id);
        nvtxRangeEnd(nvtxRangeStartEx(&step));
        for (int i = 0; i < 20; i++) {
            (void)nvtxRangePushA("idle");
            id = nvtxRangeStartA("idle too");
            (void)nvtxRangePop();
            nvtxRangeEnd(id);
        }
        (void)nvtxRangePop();
    }
    return NULL;
}

static int run_storm(int argc, char **argv)
{
    int ms = argc > 0 ? atoi(argv[0]) : 100;
    pthread_t thread[2];
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    prepare();
    (void)sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, be_interrupted, NULL) != 0)
            return 1;
    for (int i = 0; i < ms * 20; i++) {
        pause_us(20);
        (void)pthread_kill(thread[i % 2], SIGUSR1);
    }
    atomic_store(&is_over, 1);
    for (int i = 0; i < 2; i++)
        (void)pthread_join(thread[i], NULL);
    return 0;
}

/* Ranges that end in all orders, of lengths that differ, so that what is written over does not fit
 * what stood there. */
static void *annotate_for_ever(void *unused)
{
    static const char text[] = "............................................................";
    nvtxRangeId_t ids[8] = {0};
    (void)unused;
    (void)nvtxRangePushA("outer");
    for (unsigned i = 0;; i++) {
        const char *some = text + i * 7 % 60;
        (void)nvtxRangePushA(some);
        nvtxRangeEnd(ids[i % 8]);
        ids[i % 8] = nvtxRangeStartA(text + i * 11 % 60);
        (void)nvtxRangePushA(text + i * 13 % 60);
        (void)nvtxRangePop();
        (void)nvtxRangePop();
        nvtxMarkA(some);
    }
    return NULL;
}

static int run_idle(int argc, char **argv)
{
    pthread_t thread;
    (void)argc;
    (void)argv;
    (void)pthread_create(&thread, NULL, annotate_for_ever, NULL);
    (void)annotate_for_ever(NULL);
    return 0;
}

static int run_long(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    size_t size = 300000;
    char *text = malloc(size + 1);
    if (text == NULL)
        return 1;
    memset(text, 'x', size);
    text[size] = '\0';
    prepare();
    (void)nvtxRangePushA("before");
    for (int i = 0; i < 5; i++) {
        (void)nvtxRangePushA("idle");
        (void)nvtxRangePushA(text);
        (void)nvtxRangePushA("short");
        (void)nvtxRangePop();
        (void)nvtxRangePop();
        (void)nvtxRangePop();
    }
    (void)nvtxRangePushEx(&step);
    nvtxMarkA("inside");
    (void)nvtxRangePushA(text);
    (void)nvtxRangePop();
    (void)nvtxRangePop();
    (void)nvtxRangePop();
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {{"triggers", run_triggers},
                                        {"storm", run_storm},
                                        {"idle", run_idle},
                                        {"long", run_long},
                                        {NULL, NULL}};
    return modes_run(modes, argc, argv);
}
