/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libcupti. Faults, from the environment:
 *     RF_DOUBLE_SUBSCRIBE=N          cuptiSubscribe() returns N
 *     RF_DOUBLE_ENABLE_FAILS=K:N,... enabling kind K returns N
 *     RF_DOUBLE_FLUSH_HANGS=1        the forced flush never returns; 2: no flush does
 *     RF_DOUBLE_FLUSH_FAILS=N        flushes return N, RF_DOUBLE_FLUSH_FAILS_MS after the first use
 *     RF_DOUBLE_NEXT_FAILS=N         a record behind the first N bytes of a buffer is not complete
 *     RF_DOUBLE_DEINIT=1             while exit() runs, all fails
 *     RF_DOUBLE_CUPTI_VERSION=130000 disabling kernels hangs where some run or exit() does, and so
 *                                    does a forced flush in exit() end the program: CUDA 13.0
 *                                    without update
 *     RF_DOUBLE_MAY_FORCE=1          a forced flush that loses the ends of what runs is no
 * violation RF_DOUBLE_STEP_NS, _STEP_AT_MS CUPTI's clock is stepped, so long after the first use
 *     RF_DOUBLE_PPM                  it runs so much too fast */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cupti.h"

#define MAX_CBID 1024u

struct state {
    pthread_mutex_t lock;
    const struct double_gpu *gpu;
    uint32_t version;
    bool is_enabled[CUPTI_MAX_KIND]; /* atomic */
    char *enabler;                   /* the file that enabled a kind last */
    bool is_unwanted[3][MAX_CBID];   /* API records: domain, function */
    int per_thread;                  /* -1: not set */
    bool is_zeroed;                  /* by the client; atomic */
    char *zeroer;                    /* the file that said so */
    int thread_id_type;
    bool has_thread_id_type;
    char *registrar; /* the file whose callbacks these are */
    bool has_timestamp_callback;
    uint64_t first_time; /* atomic */
    size_t n_dropped;    /* not asked for yet; atomic */

    rf_cupti_callback *subscriber; /* the one there may be */
    void *user;
    bool has_callback[8][MAX_CBID];
};

static struct state state = {.lock = PTHREAD_MUTEX_INITIALIZER, .per_thread = -1};

/* ---- What the other files ask ---- */

uint32_t cupti_version(void)
{
    if (!state.version)
        state.version = cupti_replay_version();
    if (!state.version)
        state.version = (uint32_t)double_setting("RF_DOUBLE_CUPTI_VERSION", 130001);
    return state.version;
}

const struct double_gpu *cupti_gpu(void)
{
    if (!state.gpu) {
        void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        double_gpu_function get = NULL;
        if (driver)
            *(void **)&get = dlsym(driver, "rf_double_gpu");
        if (get)
            state.gpu = get();
    }
    return state.gpu;
}

bool cupti_is_enabled(uint32_t kind)
{
    return kind < CUPTI_MAX_KIND && __atomic_load_n(&state.is_enabled[kind], __ATOMIC_ACQUIRE);
}

bool cupti_api_is_wanted(enum double_domain domain, uint32_t cbid)
{
    return cbid >= MAX_CBID || !state.is_unwanted[domain][cbid];
}

bool cupti_is_per_thread(void)
{
    return state.per_thread >= 0 ? state.per_thread : cupti_version() >= 130000;
}

bool cupti_is_zeroed(void)
{
    return __atomic_load_n(&state.is_zeroed, __ATOMIC_RELAXED);
}

/* Whoever takes the place of a client that zeroes its buffers has that against it. */
void cupti_check_zero(void)
{
    if (state.registrar && state.zeroer && strcmp(state.registrar, state.zeroer) == 0)
        cupti_violation("a buffer that is not zero, as the client says it is");
    else
        cupti_note("unzeroed");
}

uint32_t cupti_thread_id(void)
{
    return state.thread_id_type == RF_CUPTI_THREAD_ID_SYSTEM ? (uint32_t)syscall(SYS_gettid)
                                                             : (uint32_t)pthread_self();
}

uint64_t cupti_time(uint64_t true_time)
{
    uint64_t none = 0;
    __atomic_compare_exchange_n(&state.first_time, &none, true_time, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    int64_t passed = (int64_t)(true_time - __atomic_load_n(&state.first_time, __ATOMIC_RELAXED));
    int64_t off = passed / 1000 * (int64_t)double_setting("RF_DOUBLE_PPM", 0) / 1000;
    if (passed >= (int64_t)double_setting("RF_DOUBLE_STEP_AT_MS", 0) * 1000000)
        off += (int64_t)double_setting("RF_DOUBLE_STEP_NS", 0);
    if (cupti_replay_version())
        true_time +=
            cupti_replay_first_time() - __atomic_load_n(&state.first_time, __ATOMIC_RELAXED);
    return true_time + (uint64_t)off;
}

void cupti_drop_record(void)
{
    __atomic_add_fetch(&state.n_dropped, 1, __ATOMIC_RELAXED);
}

void cupti_call_back(struct double_call *call, bool is_exit)
{
    rf_cupti_callback *subscriber = __atomic_load_n(&state.subscriber, __ATOMIC_ACQUIRE);
    if (!subscriber || call->cbid >= MAX_CBID || !state.has_callback[call->domain][call->cbid])
        return;
    uint64_t word = 0;
    struct rf_cupti_callback_data data = {
        .site = is_exit ? RF_CUPTI_API_EXIT : RF_CUPTI_API_ENTER,
        .function = double_callback_name(call->domain, call->cbid),
        .return_value = is_exit ? &call->result : NULL,
        .context = call->context,
        .context_id = call->context ? call->context->id : 0,
        .correlation_data = &word,
        .correlation = call->correlation,
    };
    subscriber(state.user, (int)call->domain, call->cbid, &data);
}

/* CUPTI tells of a new context in the middle of the call that makes it. */
void cupti_call_back_context(struct double_context *context)
{
    struct {
        void *context, *stream, *descriptor;
    } data = {context, NULL, NULL};
    rf_cupti_callback *subscriber = __atomic_load_n(&state.subscriber, __ATOMIC_ACQUIRE);
    if (subscriber && state.has_callback[RF_CUPTI_DOMAIN_RESOURCE][RF_CUPTI_CONTEXT_CREATED])
        subscriber(state.user, RF_CUPTI_DOMAIN_RESOURCE, RF_CUPTI_CONTEXT_CREATED, &data);
}

/* CUPTI_CB_DOMAIN_RESOURCE: 1 a context was made, 3 a stream. */
void cupti_call_back_made(uint32_t cbid, void *context, void *stream)
{
    struct {
        void *context, *handle, *descriptor;
    } data = {context, stream, NULL};
    rf_cupti_callback *subscriber = __atomic_load_n(&state.subscriber, __ATOMIC_ACQUIRE);
    if (subscriber && state.has_callback[3][cbid])
        subscriber(state.user, 3, cbid, &data);
}

/* ---- Can it be used? ---- */

/* As the real ones answer without a driver, or without a device. */
static int usable(void)
{
    int unusable =
        cupti_version() >= 130000 ? RF_CUPTI_ERROR_UNKNOWN : RF_CUPTI_ERROR_NOT_INITIALIZED;
    if (!cupti_gpu() || cupti_gpu()->n_devices() == 0)
        return unusable;
    if (cupti_gpu()->is_exiting() && double_setting("RF_DOUBLE_DEINIT", 0))
        return RF_CUPTI_ERROR_UNKNOWN;
    cupti_own_process();
    cupti_gpu()->attach(&cupti_hooks);
    return 0;
}

static const char *file_of(void *address)
{
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "?";
}

static bool has_enabled(const char *file)
{
    return state.enabler && strcmp(state.enabler, file) == 0;
}

static bool is_any_enabled(void)
{
    for (uint32_t kind = 0; kind < CUPTI_MAX_KIND; kind++)
        if (cupti_is_enabled(kind))
            return true;
    return false;
}

/* ---- The interface ---- */

#define DECLARE(member, symbol, is_needed, parameters) DOUBLE_EXPORT int symbol parameters;
RF_CUPTI_FUNCTIONS(DECLARE)
#undef DECLARE
DOUBLE_EXPORT int cuptiFinalize(void);
DOUBLE_EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*now)(void));
DOUBLE_EXPORT int cuptiActivityFlushPeriod(uint32_t milliseconds);

int cuptiGetVersion(uint32_t *version)
{
    cupti_enter_simple(__func__);
    *version = cupti_version();
    return 0;
}

int cuptiGetTimestamp(uint64_t *timestamp)
{
    cupti_enter_simple(__func__);
    *timestamp = cupti_gpu() ? cupti_time(cupti_gpu()->now()) : 0;
    return 0;
}

int cuptiGetResultString(int result, const char **text)
{
    cupti_enter_simple(__func__);
    *text = result ? "CUPTI_ERROR_OF_THE_DOUBLE" : "CUPTI_SUCCESS";
    return 0;
}

int cuptiGetCallbackName(int domain, uint32_t cbid, const char **name)
{
    cupti_enter_simple(__func__);
    *name = double_callback_name(domain, cbid);
    return *name ? 0 : RF_CUPTI_ERROR_INVALID_PARAMETER;
}

int cuptiSubscribe(void **subscriber, rf_cupti_callback *callback, void *user)
{
    cupti_enter(__func__);
    int result = (int)double_setting("RF_DOUBLE_SUBSCRIBE", 0);
    if (result == 0)
        result = usable();
    if (result == 0 && state.subscriber)
        result = RF_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    cupti_note("subscribe %d", result);
    if (result)
        return result;
    state.user = user;
    __atomic_store_n(&state.subscriber, callback, __ATOMIC_RELEASE);
    *subscriber = &state;
    return 0;
}

static int check_subscriber(const char *function, const void *subscriber)
{
    if (state.subscriber && subscriber == &state)
        return 0;
    cupti_violation("%s with a subscriber that is none", function);
    return RF_CUPTI_ERROR_INVALID_PARAMETER;
}

int cuptiUnsubscribe(void *subscriber)
{
    cupti_enter(__func__);
    int result = check_subscriber(__func__, subscriber);
    if (result == 0)
        __atomic_store_n(&state.subscriber, NULL, __ATOMIC_RELEASE);
    memset(state.has_callback, 0, sizeof state.has_callback);
    cupti_note("unsubscribe %d", result);
    return result;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t cbid)
{
    cupti_enter(__func__);
    int result = check_subscriber(__func__, subscriber);
    if (result == 0 && (domain < 1 || domain > 6 || cbid >= MAX_CBID)) {
        cupti_violation("no such callback: domain %d, %u", domain, cbid);
        result = RF_CUPTI_ERROR_INVALID_PARAMETER;
    }
    if (result == 0)
        state.has_callback[domain][cbid] = enable != 0;
    cupti_note("callback %d %u %u %d", domain, cbid, enable, result);
    return result;
}

int cuptiSetThreadIdType(int type)
{
    cupti_enter(__func__);
    int result = usable();
    if (is_any_enabled() && has_enabled(file_of(__builtin_return_address(0))))
        cupti_violation("the type of thread ids is set after a kind was enabled");
    state.thread_id_type = type;
    cupti_note("thread-id-type %d %d", type, result);
    return result;
}

static bool is_attribute(int attribute)
{
    return attribute >= 0 && attribute <= (cupti_version() >= RF_CUPTI_12_3 ? 10 : 8);
}

/* Whether the client zeroes its buffers may be said at any time: it holds for the next ones. */
static void check_attribute(int attribute, size_t size, const char *file)
{
    size_t wanted = attribute == 5 || attribute == 8 || attribute == 9 ? 1 : sizeof(size_t);
    if (has_enabled(file) && attribute != 5)
        cupti_violation("attribute %d is set after a kind was enabled", attribute);
    if (state.registrar && strcmp(state.registrar, file) == 0 && attribute != 5)
        cupti_violation("attribute %d is set after the buffer callbacks", attribute);
    if (size != wanted)
        cupti_violation("attribute %d has %zu bytes, not %zu", attribute, wanted, size);
}

int cuptiActivitySetAttribute(int attribute, size_t *size, void *value)
{
    cupti_enter(__func__);
    int result = usable();
    if (!size || !value || !is_attribute(attribute)) {
        cupti_violation("attribute %d: no such thing", attribute);
        return RF_CUPTI_ERROR_INVALID_PARAMETER;
    }
    const char *file = file_of(__builtin_return_address(0));
    check_attribute(attribute, *size, file);
    if (attribute == 9 && result == 0)
        state.per_thread = *(const uint8_t *)value != 0;
    if (attribute == 5 && result == 0) {
        free(state.zeroer);
        state.zeroer = strdup(file);
        __atomic_store_n(&state.is_zeroed, *(const uint8_t *)value != 0, __ATOMIC_RELAXED);
    }
    cupti_note("attribute %d %u %d", attribute, *(const uint8_t *)value, result);
    return result;
}

/* Whoever comes later takes the place of who was first; the same file may come again when it has
 * disabled all that it had enabled. */
int cuptiActivityRegisterCallbacks(rf_cupti_request *request, rf_cupti_complete *complete)
{
    cupti_enter(__func__);
    int result = usable();
    const char *file = file_of(*(void **)&request);
    if (!request || !complete)
        cupti_violation("buffer callbacks that are NULL");
    if (state.registrar && strcmp(state.registrar, file) == 0 && is_any_enabled())
        cupti_violation("'%s' registers buffer callbacks a second time", file);
    cupti_note("register-callbacks %d", result);
    if (result)
        return result;
    free(state.registrar);
    state.registrar = strdup(file);
    cupti_set_buffer_callbacks(request, complete);
    return 0;
}

int cuptiActivityRegisterTimestampCallback(uint64_t (*now)(void))
{
    cupti_enter(__func__);
    if (!now)
        cupti_violation("a timestamp callback that is NULL");
    if (state.enabler)
        cupti_violation("a timestamp callback is registered after a kind was enabled");
    if (state.has_timestamp_callback)
        cupti_violation("a second timestamp callback is registered");
    state.has_timestamp_callback = true;
    cupti_note("timestamp-callback 0");
    return RF_CUPTI_ERROR_NOT_SUPPORTED; /* times stay as they are */
}

int cuptiActivityFlushPeriod(uint32_t milliseconds)
{
    cupti_enter(__func__);
    cupti_note("flush-period %u", milliseconds);
    return usable();
}

/* RF_DOUBLE_ENABLE_FAILS: what enabling of this kind returns. */
static int enable_result(uint32_t kind)
{
    const char *text = getenv("RF_DOUBLE_ENABLE_FAILS");
    while (text && *text) {
        char *rest;
        unsigned long failing = strtoul(text, &rest, 10);
        unsigned long result = *rest == ':' ? strtoul(rest + 1, &rest, 10) : 0;
        if (failing == kind)
            return (int)result;
        text = *rest == ',' ? rest + 1 : NULL;
    }
    return 0;
}

static void check_kind(int kind)
{
    if (!state.registrar)
        cupti_violation("kind %d is enabled before there are buffer callbacks", kind);
    if (kind == 3)
        cupti_violation("kind 3 makes kernels run one after the other");
    if (kind == 3 || (kind == 10 && cupti_is_enabled(3)))
        cupti_violation("kinds 3 and 10 exclude each other");
    if (kind == RF_CUPTI_KIND_GRAPH_TRACE && cupti_gpu() && cupti_gpu()->context(0))
        cupti_violation(
            "kind 51 is enabled late: a graph that was made before crashes (13.0, H200)");
}

static int enable(const char *function, int kind, void *caller)
{
    cupti_enter(function);
    check_kind(kind);
    int result = enable_result((uint32_t)kind);
    if (result == 0)
        result = usable();
    if (result == 0 &&
        (kind < 0 || (uint32_t)kind >= CUPTI_MAX_KIND || cupti_record_size((uint32_t)kind) == 0))
        result = RF_CUPTI_ERROR_INVALID_KIND;
    cupti_note("enable %d %d", kind, result);
    if (result)
        return result;
    free(state.enabler);
    state.enabler = strdup(file_of(caller));
    __atomic_store_n(&state.is_enabled[kind], true, __ATOMIC_RELEASE);
    cupti_release_held((uint32_t)kind);
    return 0;
}

int cuptiActivityEnable(int kind)
{
    return enable(__func__, kind, __builtin_return_address(0));
}

int cuptiActivityEnableAndDump(int kind)
{
    int result = enable(__func__, kind, __builtin_return_address(0));
    if (result == 0)
        cupti_dump((uint32_t)kind);
    return result;
}

static bool is_exiting(void)
{
    return cupti_gpu() && cupti_gpu()->is_exiting();
}

/* The first 13.0 deadlocks; when, nobody says: here wherever it may. */
static void hang_in_disable(int kind)
{
    while (cupti_version() == 130000 && kind == RF_CUPTI_KIND_CONCURRENT_KERNEL &&
           (is_exiting() || cupti_is_any_pending()))
        pause();
}

int cuptiActivityDisable(int kind)
{
    cupti_enter(__func__);
    int result = usable();
    if (kind < 0 || (uint32_t)kind >= CUPTI_MAX_KIND)
        result = RF_CUPTI_ERROR_INVALID_KIND;
    cupti_note("disable %d %d", kind, result);
    hang_in_disable(kind);
    if (result)
        return result;
    __atomic_store_n(&state.is_enabled[kind], false, __ATOMIC_RELEASE);
    cupti_hold((uint32_t)kind);
    return 0;
}

static int want_api(int domain, uint32_t cbid, uint8_t enable)
{
    if (cbid >= MAX_CBID)
        return RF_CUPTI_ERROR_INVALID_PARAMETER;
    state.is_unwanted[domain][cbid] = !enable;
    return usable();
}

int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable)
{
    cupti_enter(__func__);
    return want_api(DOUBLE_DRIVER, cbid, enable);
}

int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable)
{
    cupti_enter(__func__);
    return want_api(DOUBLE_RUNTIME, cbid, enable);
}

static int flush_failure(void)
{
    uint64_t past = cupti_gpu()->now() - __atomic_load_n(&state.first_time, __ATOMIC_RELAXED);
    bool fails = past >= double_setting("RF_DOUBLE_FLUSH_FAILS_MS", 0) * 1000000;
    return fails ? (int)double_setting("RF_DOUBLE_FLUSH_FAILS", 0) : 0;
}

int cuptiActivityFlushAll(uint32_t flag)
{
    cupti_enter(__func__);
    uint64_t hangs = double_setting("RF_DOUBLE_FLUSH_HANGS", 0);
    if (flag > 1)
        cupti_violation("there is no flag %u of a flush", flag);
    /* work that runs loses its end for ever */
    if (flag == RF_CUPTI_FLUSH_FORCED && cupti_is_enabled(RF_CUPTI_KIND_CONCURRENT_KERNEL) &&
        !is_exiting() && !double_setting("RF_DOUBLE_MAY_FORCE", 0))
        cupti_violation("a forced flush, but the process does not end");
    cupti_note("flush %u", flag);
    if (flag == RF_CUPTI_FLUSH_FORCED && cupti_version() == 130000 && is_exiting())
        abort();
    while (hangs == 2 || (hangs == 1 && flag))
        pause();
    int result = usable();
    if (result == 0)
        result = flush_failure();
    if (result == 0 && !cupti_inside())
        cupti_flush(flag == RF_CUPTI_FLUSH_FORCED);
    cupti_note("flushed %u %d", flag, result);
    return result;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_size, struct rf_cupti_record **record)
{
    cupti_enter_simple(__func__);
    uint8_t *next = buffer;
    if (*record) {
        size_t size = cupti_record_size((*record)->kind);
        if ((uint8_t *)*record < buffer || (uint8_t *)*record >= buffer + valid_size || !size) {
            cupti_violation("the record before is none of this buffer");
            return RF_CUPTI_ERROR_INVALID_PARAMETER;
        }
        next = (uint8_t *)*record + size;
    }
    if (next >= buffer + valid_size)
        return RF_CUPTI_ERROR_MAX_LIMIT_REACHED;
    if ((size_t)(next - buffer) >= double_setting("RF_DOUBLE_NEXT_FAILS", SIZE_MAX))
        return RF_CUPTI_ERROR_INVALID_KIND;
    *record = (struct rf_cupti_record *)next;
    return 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n_dropped)
{
    cupti_enter_simple(__func__);
    (void)context;
    (void)stream;
    *n_dropped = __atomic_exchange_n(&state.n_dropped, 0, __ATOMIC_RELAXED);
    return 0;
}

int cuptiGetContextId(void *context, uint32_t *id)
{
    cupti_enter(__func__);
    if (!context)
        return RF_CUPTI_ERROR_INVALID_PARAMETER;
    *id = ((const struct double_context *)context)->id;
    return 0;
}

int cuptiGetDeviceId(void *context, uint32_t *id)
{
    cupti_enter(__func__);
    if (!context)
        return RF_CUPTI_ERROR_INVALID_PARAMETER;
    *id = ((const struct double_context *)context)->device;
    return 0;
}

int cuptiGetStreamIdEx(void *context, void *stream, uint8_t is_per_thread, uint32_t *id)
{
    cupti_enter(__func__);
    (void)is_per_thread;
    if (stream)
        *id = ((const struct double_stream *)stream)->id;
    else if (context)
        *id = ((const struct double_context *)context)->null_stream;
    else
        return RF_CUPTI_ERROR_INVALID_PARAMETER;
    return 0;
}

int cuptiGetCudaEventId(void *event, uint32_t *id)
{
    cupti_enter(__func__);
    if (!event)
        return RF_CUPTI_ERROR_INVALID_PARAMETER;
    *id = ((const struct double_event *)event)->id;
    return 0;
}

int cuptiFinalize(void)
{
    cupti_violation("%s", __func__);
    return 0;
}
