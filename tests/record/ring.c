/* SPDX-License-Identifier: Apache-2.0 */
/* Events for a flight recorder, numbered by their payloads.
 *
 *     ring N [FILE]
 *
 * A thread that is quiet all the time, one that is quick, and the main thread with ranges of two
 * domains, which are open around all others; ranges that one thread begins and another one ends.
 * Each makes N steps; with FILE the main thread goes on until that is there, and prints how many it
 * made. It pauses then, so that whoever reads the session is faster on any machine. */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define N_CROSSING 64

static long n_steps;
static nvtxRangeId_t crossing[N_CROSSING];
static pthread_barrier_t all_open, all_done; /* all_open: of what is around all others */

static void push(nvtxDomainHandle_t domain, const char *message, long number)
{
    nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                        .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                        .message.ascii = message,
                                        .payloadType = NVTX_PAYLOAD_TYPE_INT64,
                                        .payload.llValue = number};
    nvtxDomainRangePushEx(domain, &attributes);
}

static void *be_quiet(void *unused)
{
    nvtxRangePushA("quiet");
    nvtxMarkA("a quiet mark");
    (void)pthread_barrier_wait(&all_open);
    (void)pthread_barrier_wait(&all_done);
    nvtxRangePop();
    return unused;
}

static void *be_quick(void *unused)
{
    static char text[3000];
    for (size_t i = 0; i + 1 < sizeof(text); i++)
        text[i] = (char)('a' + i % 26);
    (void)pthread_barrier_wait(&all_open);
    nvtxRangePushA(text);
    for (long i = 0; i < n_steps; i++) {
        push(NULL, i % 7 == 0 ? text : "work", i);
        nvtxRangePop();
        if (i % (n_steps / N_CROSSING + 1) == 0)
            nvtxRangeEnd(crossing[i / (n_steps / N_CROSSING + 1)]);
    }
    nvtxRangePop();
    (void)pthread_barrier_wait(&all_done);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t quiet, quick;
    long n = 0;
    n_steps = argc > 1 ? atol(argv[1]) : 1000;
    for (int i = 0; i < N_CROSSING; i++)
        crossing[i] = nvtxRangeStartA("crossing");
    (void)nvtxRangeStartA("never ends");
    nvtxDomainHandle_t mine = nvtxDomainCreateA("mine");
    if (pthread_barrier_init(&all_open, NULL, 3) != 0 ||
        pthread_barrier_init(&all_done, NULL, 3) != 0 ||
        pthread_create(&quiet, NULL, be_quiet, NULL) != 0 ||
        pthread_create(&quick, NULL, be_quick, NULL) != 0)
        return 1;
    nvtxRangePushA("main");
    push(mine, "in mine", -1);
    (void)pthread_barrier_wait(&all_open);
    while (n < n_steps || (argc > 2 && access(argv[2], F_OK) != 0)) {
        push(NULL, "step", n);
        push(mine, "inner", n++);
        nvtxDomainRangePop(mine);
        nvtxRangePop();
        if (argc > 2 && n % 16 == 0)
            (void)usleep(1000);
    }
    nvtxDomainRangePop(mine);
    nvtxRangePop();
    (void)pthread_barrier_wait(&all_done);
    (void)pthread_join(quiet, NULL);
    (void)pthread_join(quick, NULL);
    printf("%ld\n", n);
    return 0;
}
