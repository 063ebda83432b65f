/* SPDX-License-Identifier: Apache-2.0 */
/* A service that answers requests, and in which something goes wrong once. docs/always-on.md has a
 * flight recorder find it. Argument: slow, one request is; stall, the other thread holds the lock
 * that a request needs; hang, an answer does not come for two seconds; crash; report, the program
 * itself asks for a snapshot. */
#include <nvtx3/nvToolsExt.h>
#include <rangefinder/snapshot.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_REQUESTS 200
#define BAD_ONE    120 /* the request in which it happens */

static nvtxDomainHandle_t service;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static const char *plant = "";
static int n_answered; /* of the main thread's; atomic */

static void push(const char *name)
{
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(service, &attributes);
}

static void pop(void)
{
    nvtxDomainRangePop(service);
}

static void work(const char *name, useconds_t us)
{
    push(name);
    usleep(us);
    pop();
}

static int is_planted(const char *what, int number)
{
    return number == BAD_ONE && strcmp(plant, what) == 0;
}

/* Once it holds the lock for long. */
static void *compact(void *unused)
{
    for (int i = 0; __atomic_load_n(&n_answered, __ATOMIC_RELAXED) < N_REQUESTS; i++) {
        int is_long = is_planted("stall", __atomic_load_n(&n_answered, __ATOMIC_RELAXED));
        pthread_mutex_lock(&table);
        work(is_long ? "compact all of it" : "compact", is_long ? 1500000 : 50);
        pthread_mutex_unlock(&table);
        usleep(500);
    }
    return unused;
}

static void look_up(int number)
{
    push("wait for the table");
    pthread_mutex_lock(&table);
    pop();
    work(is_planted("slow", number) ? "read from the disk" : "look up",
         is_planted("slow", number) ? 1500000 : 2000);
    pthread_mutex_unlock(&table);
}

static void answer(int number)
{
    push("answer");
    if (is_planted("hang", number))
        work("wait for the other side", 2000000);
    if (is_planted("crash", number)) {
        push("write behind the end");
        abort();
    }
    if (is_planted("report", number))
        rangefinder_snapshot("the answer is wrong");
    usleep(2000);
    pop();
}

int main(int argc, char **argv)
{
    pthread_t other;
    plant = argc > 1 ? argv[1] : "";
    service = nvtxDomainCreateA("service");
    if (pthread_create(&other, NULL, compact, NULL) != 0)
        return 1;
    for (int i = 0; i < N_REQUESTS; i++) {
        push("request");
        look_up(i);
        answer(i);
        pop();
        __atomic_store_n(&n_answered, i + 1, __ATOMIC_RELAXED);
        usleep(1000);
    }
    pthread_join(other, NULL);
    return 0;
}
