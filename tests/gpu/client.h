/* SPDX-License-Identifier: Apache-2.0 */
/* What the CUPTI clients of these tests share: each is a library that the driver loads by
 * CUDA_INJECTION64_PATH, and enables the kinds of records that the recorder enables.
 *
 * RF_CLIENT_CUPTI  the libcupti to load, so that both are measured with the same one
 * RF_CLIENT_OUT    the file to write
 * RF_CLIENT_NODES  1: the nodes of graphs instead of whole graphs */
#ifndef RF_TESTS_GPU_CLIENT_H
#define RF_TESTS_GPU_CLIENT_H

#include "cuda/cupti/cupti_abi.h"
#include "cuda/cupti/muted_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLIENT_BUFFER_SIZE    ((size_t)2 << 20)
#define CLIENT_MAX_BUFFERS    64u
#define CLIENT_FLUSH_EVERY_MS 200

struct client {
    struct rf_cupti cupti;
    void *file;
    pid_t pid;
    pthread_t thread;
    pthread_mutex_t lock; /* of the free list */
    uint8_t *free[CLIENT_MAX_BUFFERS];
    unsigned n_free;
    unsigned n_requested, n_completed, n_empty;       /* lock; empty: completed without a record */
    bool is_ending;                                   /* atomic */
    int last_error;                                   /* of a call at the start, and which */
    const char *failed;                               /* NULL: none */
    void (*look)(uint8_t *buffer, size_t valid_size); /* may be NULL */
    void (*tick)(void);                               /* before every flush; may be NULL */
    void (*pause)(void);                              /* before the last; may be NULL */
    void (*finish)(void);                             /* after the last; may be NULL */
};

static struct client client = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline uint64_t client_clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline void client_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    uint8_t *taken = NULL;
    pthread_mutex_lock(&client.lock);
    if (client.n_free > 0)
        taken = client.free[--client.n_free];
    client.n_requested++;
    pthread_mutex_unlock(&client.lock);
    if (taken == NULL)
        taken = aligned_alloc(8, CLIENT_BUFFER_SIZE);
    *buffer = taken;
    *size = taken != NULL ? CLIENT_BUFFER_SIZE : 0;
    *max_records = 0;
}

static inline void client_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                   size_t valid_size)
{
    (void)context;
    (void)stream;
    (void)size;
    if (client.look != NULL && valid_size > 0)
        client.look(buffer, valid_size);
    pthread_mutex_lock(&client.lock);
    client.n_completed++;
    client.n_empty += valid_size == 0;
    if (client.n_free < CLIENT_MAX_BUFFERS) {
        client.free[client.n_free++] = buffer;
        buffer = NULL;
    }
    pthread_mutex_unlock(&client.lock);
    free(buffer);
}

/* The next record of a buffer, or NULL; begin with *record NULL. */
static inline struct rf_cupti_record *client_next(uint8_t *buffer, size_t valid_size,
                                                  struct rf_cupti_record **record)
{
    return client.cupti.get_next_record(buffer, valid_size, record) == 0 ? *record : NULL;
}

static inline bool client_load(void)
{
    const char *names[] = {getenv("RF_CLIENT_CUPTI"), "libcupti.so.13", "libcupti.so.12"};
    for (unsigned i = 0; i < 3 && client.file == NULL; i++) {
        if (names[i] != NULL && *names[i] != '\0')
            client.file = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (client.file == NULL)
        return false;
    bool has_all = true;
#define CLIENT_SYMBOL(member, symbol, is_needed, parameters)                                       \
    *(void **)&client.cupti.member = dlsym(client.file, #symbol);                                  \
    has_all = has_all && (client.cupti.member != NULL || !(is_needed));
    RF_CUPTI_FUNCTIONS(CLIENT_SYMBOL)
#undef CLIENT_SYMBOL
    return has_all;
}

static inline bool client_did(int result, const char *what)
{
    if (result == 0)
        return true;
    client.last_error = result;
    client.failed = what;
    return false;
}

static inline void client_callback(void *user, int domain, uint32_t cbid, const void *data)
{
    (void)user;
    (void)domain;
    (void)cbid;
    (void)data;
}

/* Buffers that CUPTI has. */
static inline unsigned client_n_outstanding(void)
{
    pthread_mutex_lock(&client.lock);
    unsigned n = client.n_requested - client.n_completed;
    pthread_mutex_unlock(&client.lock);
    return n;
}

/* What the recorder does not want to be told of. */
static inline void client_mute(void)
{
    for (unsigned i = 0; i < RF_N_MUTED_RUNTIME_CALLS && client.cupti.enable_runtime_api; i++)
        client.cupti.enable_runtime_api(rf_muted_runtime_calls[i], 0);
    for (unsigned i = 0; i < RF_N_MUTED_DRIVER_CALLS && client.cupti.enable_driver_api; i++)
        client.cupti.enable_driver_api(rf_muted_driver_calls[i], 0);
}

static inline bool client_enable(void)
{
    static const int kinds[] = {
        RF_CUPTI_KIND_RUNTIME,         RF_CUPTI_KIND_DRIVER,   RF_CUPTI_KIND_CONCURRENT_KERNEL,
        RF_CUPTI_KIND_MEMCPY,          RF_CUPTI_KIND_MEMCPY2,  RF_CUPTI_KIND_MEMSET,
        RF_CUPTI_KIND_SYNCHRONIZATION, RF_CUPTI_KIND_OVERHEAD, RF_CUPTI_KIND_CONTEXT,
        RF_CUPTI_KIND_STREAM,          RF_CUPTI_KIND_DEVICE};
    const char *nodes = getenv("RF_CLIENT_NODES");
    bool has_all = true;
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        has_all = client_did(client.cupti.enable(kinds[i]), "cuptiActivityEnable") && has_all;
    if (nodes == NULL || *nodes != '1')
        client_did(client.cupti.enable(RF_CUPTI_KIND_GRAPH_TRACE), "cuptiActivityEnable(graphs)");
    client_mute();
    return has_all;
}

static inline void *client_run(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&client.is_ending, __ATOMIC_ACQUIRE)) {
        usleep(CLIENT_FLUSH_EVERY_MS * 1000);
        if (client.tick != NULL)
            client.tick();
        client.cupti.flush_all(0);
    }
    return NULL;
}

static inline void client_end(void)
{
    if (getpid() != client.pid)
        return;
    __atomic_store_n(&client.is_ending, true, __ATOMIC_RELEASE);
    pthread_join(client.thread, NULL);
    if (client.pause != NULL)
        client.pause();
    client.cupti.flush_all(RF_CUPTI_FLUSH_FORCED);
    if (client.finish != NULL)
        client.finish();
}

/* prepare: after the library is there, before anything is enabled; may be NULL. */
static inline void client_begin(void (*prepare)(void))
{
    static bool is_begun;
    void *subscriber = NULL;
    sigset_t all, before;
    if (is_begun)
        return;
    is_begun = true;
    client.pid = getpid();
    if (!client_load()) {
        fprintf(stderr, "client: no libcupti: %s\n", dlerror());
        return;
    }
    client_did(client.cupti.subscribe(&subscriber, client_callback, NULL), "cuptiSubscribe");
    if (prepare != NULL)
        prepare();
    client_did(client.cupti.set_thread_id_type(RF_CUPTI_THREAD_ID_SYSTEM), "cuptiSetThreadIdType");
    client_did(client.cupti.register_callbacks(client_request, client_complete),
               "cuptiActivityRegisterCallbacks");
    client_enable();
    if (client.failed != NULL)
        fprintf(stderr, "client: %s returned %d\n", client.failed, client.last_error);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&client.thread, NULL, client_run, NULL) == 0)
        atexit(client_end);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

#endif
