/* SPDX-License-Identifier: Apache-2.0 */
/* A loop whose steps are slow now and then. docs/slow.md finds the reason with a recording: the
 * thread that loads works only when it is asked, and refills its buffer while a step waits for it.
 * Arguments: the number of steps (100), and how long each computes, in microseconds (2000). */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFILL_EVERY 20

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int n_asked, n_loaded; /* batches, under lock */
static int n_steps = 100;
static useconds_t compute_us = 2000;

static void push_number(const char *name, int number)
{
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    attributes.payloadType = NVTX_PAYLOAD_TYPE_INT32;
    attributes.payload.iValue = number;
    nvtxRangePushEx(&attributes);
}

static void wait_until(const int *number, int is)
{
    pthread_mutex_lock(&lock);
    while (*number < is)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void count(int *number)
{
    pthread_mutex_lock(&lock);
    ++*number;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *load(void *unused)
{
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "loader");
    for (int i = 0; i < n_steps; i++) {
        wait_until(&n_asked, i + 1);
        if (i > 0 && i % REFILL_EVERY == 0) {
            nvtxRangePushA("refill");
            usleep(40000);
            nvtxRangePop();
        }
        nvtxRangePushA("decode");
        usleep(500);
        nvtxRangePop();
        count(&n_loaded);
    }
    return unused;
}

static void run_step(int step)
{
    push_number("step", step);
    nvtxRangePushA("wait for data");
    count(&n_asked);
    wait_until(&n_loaded, step + 1);
    nvtxRangePop();
    nvtxRangePushA("compute");
    usleep(compute_us);
    nvtxRangePop();
    nvtxRangePop();
}

int main(int argc, char **argv)
{
    pthread_t loader;
    if (argc > 1)
        n_steps = atoi(argv[1]);
    if (argc > 2)
        compute_us = (useconds_t)atoi(argv[2]);
    if (pthread_create(&loader, NULL, load, NULL) != 0)
        return 1;
    for (int step = 0; step < n_steps; step++)
        run_step(step);
    pthread_join(loader, NULL);
    return 0;
}
