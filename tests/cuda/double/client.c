/* SPDX-License-Identifier: Apache-2.0 */
/* A CUPTI client to be named by CUDA_INJECTION64_PATH, with $RANGEFINDER_CUPTI as its library. It
 * does all in the right order, or breaks the one rule that $CLIENT_BREAKS names, and writes what it
 * gets into the file $CLIENT_RAW (tests/cuda/raw_buffers.h), from a stand-in or from a GPU. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/cupti/cupti_abi.h"
#include "raw_buffers.h"

#define BUFFER_SIZE (1u << 20)
#define MAX_NAMES   (BUFFER_SIZE / 24)

struct client {
    struct rf_cupti cupti;
    void *file;
    void *subscriber;
    FILE *raw;
};

static struct client client;

__attribute__((visibility("default"))) int InitializeInjection(void);

static bool breaks(const char *rule)
{
    const char *wanted = getenv("CLIENT_BREAKS");
    return wanted && strcmp(wanted, rule) == 0;
}

/* Wrong rules that leave no buffer at all would end in a crash, in the real one too. */
static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    uint64_t time;
    bool is_misaligned = breaks("misaligned");
    uint8_t *bytes = malloc(BUFFER_SIZE + 8);
    *buffer = bytes + (is_misaligned ? 4 : 0);
    *size = breaks("small") ? 4096 : BUFFER_SIZE;
    if (!breaks("max-records"))
        *max_records = 0;
    if (breaks("call-in-request"))
        client.cupti.get_timestamp(&time);
}

static void write_buffer(uint8_t *buffer, size_t valid)
{
    static struct raw_buffers_name names[MAX_NAMES];
    struct rf_cupti_record *record = NULL;
    uint32_t n_names = 0;
    while (client.cupti.get_next_record(buffer, valid, &record) == 0) {
        uint32_t at = raw_buffers_name_offset(record->kind);
        char *text = NULL;
        if (at)
            memcpy(&text, (uint8_t *)record + at, sizeof text);
        if (!text)
            continue;
        names[n_names].offset = (uint32_t)((uint8_t *)record - buffer) + at;
        names[n_names++].text = text;
    }
    raw_buffers_add(client.raw, buffer, (uint32_t)valid, names, n_names);
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    (void)context, (void)stream, (void)size;
    if (breaks("flush-in-complete"))
        client.cupti.flush_all(0);
    if (client.raw && valid)
        write_buffer(buffer, valid);
}

/* A context was made. */
static void on_call(void *user, int domain, uint32_t cbid, const void *data)
{
    (void)user, (void)domain, (void)cbid, (void)data;
    if (breaks("late-graphs"))
        client.cupti.enable(51);
}

static const int kinds[] = {8, 9, 37, 5, 4, 10, 1, 22, 2, 38, 51, 49, 36, 17};

static void enable(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!(kinds[i] == 51 && getenv("CLIENT_NODES")))
            client.cupti.enable(kinds[i]);
    if (breaks("serialising"))
        client.cupti.enable(3);
}

static void flush_in_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        client.cupti.flush_all(0);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void break_afterwards(void)
{
    size_t value = 1, size = breaks("attribute-size") ? 4 : sizeof value;
    int (*call)(void *) = NULL;
    if (breaks("late-attribute"))
        client.cupti.set_attribute(0, &size, &value);
    if (breaks("late-thread-ids"))
        client.cupti.set_thread_id_type(1);
    if (breaks("twice"))
        client.cupti.register_callbacks(request, complete);
    if (breaks("fork"))
        flush_in_child();
    if (breaks("forced"))
        client.cupti.flush_all(1);
    if (breaks("subscriber"))
        client.cupti.enable_callback(1, &client, 1, 308);
    if (breaks("late-timestamps") || breaks("finalize")) {
        *(void **)&call =
            dlsym(client.file,
                  breaks("finalize") ? "cuptiFinalize" : "cuptiActivityRegisterTimestampCallback");
        call((void *)flush_in_child);
    }
}

static void at_exit(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        client.cupti.disable(kinds[i]);
    client.cupti.flush_all(RF_CUPTI_FLUSH_FORCED);
    if (client.raw)
        fclose(client.raw);
}

static int load(void)
{
    const char *path = getenv("RANGEFINDER_CUPTI");
    client.file = path ? dlopen(path, RTLD_NOW) : NULL;
    if (!client.file) {
        fprintf(stderr, "client: cannot load libcupti: %s\n", dlerror());
        return -1;
    }
#define LOAD(member, symbol, is_needed, parameters)                                                \
    *(void **)&client.cupti.member = dlsym(client.file, #symbol);
    RF_CUPTI_FUNCTIONS(LOAD)
#undef LOAD
    return 0;
}

static void open_raw(void)
{
    const char *path = getenv("CLIENT_RAW");
    uint32_t version = 0;
    if (!path)
        return;
    client.cupti.get_version(&version);
    client.raw = fopen(path, "wb");
    if (!client.raw || !raw_buffers_begin(client.raw, version))
        perror(path);
}

int InitializeInjection(void)
{
    size_t value = 4u << 20, size = breaks("attribute-size") ? 4 : sizeof value;
    if (load() != 0)
        return 1;
    open_raw();
    int result = client.cupti.subscribe(&client.subscriber, on_call, NULL);
    if (result != 0) {
        fprintf(stderr, "client: cuptiSubscribe: %d\n", result);
        return 1;
    }
    client.cupti.set_thread_id_type(RF_CUPTI_THREAD_ID_SYSTEM);
    if (breaks("order"))
        client.cupti.enable(10);
    client.cupti.set_attribute(RF_CUPTI_ATTRIBUTE_DEVICE_BUFFER_SIZE, &size, &value);
    client.cupti.register_callbacks(request, complete);
    enable();
    break_afterwards();
    client.cupti.enable_callback(1, client.subscriber, RF_CUPTI_DOMAIN_RESOURCE,
                                 RF_CUPTI_CONTEXT_CREATED);
    atexit(at_exit);
    return 1;
}
