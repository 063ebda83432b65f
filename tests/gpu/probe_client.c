/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at CUPTI's time stamps: do kernels have them, in which clock, and how does CUPTI's clock
 * stand to CLOCK_REALTIME from the first moment on? And at its buffers: which does it keep when it
 * is asked for them and nothing runs? It writes one object of JSON at the end.
 *
 * RF_CLIENT_CALLBACK  1: it gives CUPTI a clock of its own, which is a day ahead of CLOCK_REALTIME,
 *                     so that every time shows where it comes from
 * RF_CLIENT_POOL_LIMIT  of the buffers on the GPU in which CUPTI keeps times; it has 250 */
#include "gpu/client.h"

#define A_DAY_NS (86400ull * 1000000000u)

enum { MAX_CALLS = 1 << 21, MAX_CLOCKS = 4096 };

/* CUPTI's clock less CLOCK_REALTIME, and how long it took to look. */
struct clock_sample {
    uint64_t after_ns; /* InitializeInjection */
    int64_t offset_ns;
    uint64_t bracket_ns;
};

struct probe {
    bool has_callback;
    int callback_result;
    uint64_t began_ns, ended_ns; /* CLOCK_REALTIME */
    unsigned n_kernels, n_zero, n_backwards, n_in_callback, n_in_realtime, n_elsewhere;
    unsigned n_calls, n_calls_in_callback;
    uint64_t *call_starts; /* of runtime calls, by correlation; 0: none */
    uint64_t *kernel_starts;
    pthread_mutex_t lock;
    struct clock_sample clocks[MAX_CLOCKS];
    unsigned n_clocks;
    unsigned n_kept[3], n_kept_forced; /* buffers that CUPTI still had, at the end */
};

static struct probe probe = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((visibility("default"))) int InitializeInjection(void);

static uint64_t shifted_clock(void)
{
    return client_clock_ns(CLOCK_REALTIME) + A_DAY_NS;
}

/* The tightest of some looks at both clocks. */
static void take_clock(void)
{
    struct clock_sample best = {.bracket_ns = UINT64_MAX};
    for (int i = 0; i < 20; i++) {
        uint64_t theirs = 0;
        uint64_t before = client_clock_ns(CLOCK_REALTIME);
        client.cupti.get_timestamp(&theirs);
        uint64_t after = client_clock_ns(CLOCK_REALTIME);
        if (theirs == 0 || after - before >= best.bracket_ns)
            continue;
        best.bracket_ns = after - before;
        best.offset_ns = (int64_t)(theirs - (before + (after - before) / 2));
        best.after_ns = before - probe.began_ns;
    }
    if (probe.n_clocks < MAX_CLOCKS && best.bracket_ns != UINT64_MAX)
        probe.clocks[probe.n_clocks++] = best;
}

static bool is_within(uint64_t time, uint64_t shift)
{
    uint64_t slack = 1000000000u;
    return time + slack >= probe.began_ns + shift &&
           time <= client_clock_ns(CLOCK_REALTIME) + shift + slack;
}

static void look_at_kernel(const struct rf_cupti_kernel *kernel)
{
    probe.n_kernels++;
    if (kernel->start == 0)
        probe.n_zero++;
    else if (is_within(kernel->start, A_DAY_NS))
        probe.n_in_callback++;
    else if (is_within(kernel->start, 0))
        probe.n_in_realtime++;
    else
        probe.n_elsewhere++;
    probe.n_backwards += kernel->end < kernel->start;
    if (kernel->correlation < MAX_CALLS)
        probe.kernel_starts[kernel->correlation] = kernel->start;
}

static void look(uint8_t *buffer, size_t valid_size)
{
    struct rf_cupti_record *record = NULL;
    pthread_mutex_lock(&probe.lock);
    while (client_next(buffer, valid_size, &record) != NULL) {
        const struct rf_cupti_api_record *call = (const struct rf_cupti_api_record *)record;
        if (record->kind == RF_CUPTI_KIND_CONCURRENT_KERNEL)
            look_at_kernel((const struct rf_cupti_kernel *)record);
        if (record->kind != RF_CUPTI_KIND_RUNTIME)
            continue;
        probe.n_calls++;
        probe.n_calls_in_callback += is_within(call->start, A_DAY_NS);
        if (call->correlation < MAX_CALLS)
            probe.call_starts[call->correlation] = call->start;
    }
    pthread_mutex_unlock(&probe.lock);
}

static void limit_pool(void)
{
    const char *wanted = getenv("RF_CLIENT_POOL_LIMIT");
    size_t limit = wanted != NULL ? strtoul(wanted, NULL, 0) : 0, size = sizeof(limit);
    if (limit > 0 && client.cupti.set_attribute != NULL)
        client_did(
            client.cupti.set_attribute(RF_CUPTI_ATTRIBUTE_DEVICE_BUFFER_POOL_LIMIT, &size, &limit),
            "cuptiActivitySetAttribute(pool limit)");
}

static void prepare(void)
{
    int (*give_clock)(uint64_t(*clock)(void)) = NULL;
    const char *wanted = getenv("RF_CLIENT_CALLBACK");
    take_clock();
    limit_pool();
    if (wanted == NULL || *wanted != '1')
        return;
    *(void **)&give_clock = dlsym(client.file, "cuptiActivityRegisterTimestampCallback");
    probe.callback_result = give_clock != NULL ? give_clock(shifted_clock) : -1;
    probe.has_callback = probe.callback_result == 0;
}

/* Kernels that began before their launch, and the least time from one to the other. */
static unsigned count_early(int64_t *least_ns)
{
    unsigned n_early = 0;
    *least_ns = INT64_MAX;
    for (unsigned i = 0; i < MAX_CALLS; i++) {
        if (probe.call_starts[i] == 0 || probe.kernel_starts[i] == 0)
            continue;
        int64_t delay = (int64_t)(probe.kernel_starts[i] - probe.call_starts[i]);
        n_early += delay < 0;
        if (delay < *least_ns)
            *least_ns = delay;
    }
    return n_early;
}

/* The program has waited for its work and exits. */
static void ask_for_all(void)
{
    for (unsigned i = 0; i < 3; i++) {
        client.cupti.flush_all(0);
        probe.n_kept[i] = client_n_outstanding();
        usleep(10000);
    }
}

static void finish(void)
{
    const char *path = getenv("RF_CLIENT_OUT");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    uint32_t version = 0;
    int64_t least_ns;
    unsigned n_early = count_early(&least_ns);
    probe.n_kept_forced = client_n_outstanding();
    take_clock();
    if (file == NULL)
        return;
    client.cupti.get_version(&version);
    fprintf(file,
            "{\"version\": %u, \"callback_result\": %d, \"has_callback\": %d, \"kernels\": %u, "
            "\"zero\": %u, \"backwards\": %u, \"early\": %u, \"least_delay_ns\": %lld, "
            "\"in_callback\": %u, \"in_realtime\": %u, \"elsewhere\": %u, \"calls\": %u, "
            "\"calls_in_callback\": %u, \"buffers\": %u, \"empty\": %u, \"kept\": [%u, %u, %u], "
            "\"kept_forced\": %u, \"clocks\": [",
            version, probe.callback_result, probe.has_callback, probe.n_kernels, probe.n_zero,
            probe.n_backwards, n_early, (long long)least_ns, probe.n_in_callback,
            probe.n_in_realtime, probe.n_elsewhere, probe.n_calls, probe.n_calls_in_callback,
            client.n_completed, client.n_empty, probe.n_kept[0], probe.n_kept[1], probe.n_kept[2],
            probe.n_kept_forced);
    for (unsigned i = 0; i < probe.n_clocks; i++)
        fprintf(file, "%s[%llu, %lld, %llu]", i > 0 ? ", " : "",
                (unsigned long long)probe.clocks[i].after_ns, (long long)probe.clocks[i].offset_ns,
                (unsigned long long)probe.clocks[i].bracket_ns);
    fprintf(file, "]}\n");
    fclose(file);
}

int InitializeInjection(void)
{
    if (probe.call_starts != NULL)
        return 1;
    probe.began_ns = client_clock_ns(CLOCK_REALTIME);
    probe.call_starts = calloc(MAX_CALLS, sizeof(*probe.call_starts));
    probe.kernel_starts = calloc(MAX_CALLS, sizeof(*probe.kernel_starts));
    if (probe.call_starts == NULL || probe.kernel_starts == NULL)
        return 1;
    client.look = look;
    client.tick = take_clock;
    client.pause = ask_for_all;
    client.finish = finish;
    client_begin(prepare);
    return 1;
}
