/* SPDX-License-Identifier: Apache-2.0 */
/* The entry point that the CUDA driver calls, inside cuInit(), when it finds this library by
 * CUDA_INJECTION64_PATH. Whatever goes wrong here, the program has its CUDA: then CUDA is not
 * recorded, which is said, and NVTX goes on. */
#include <errno.h>
#include <stdlib.h>

#include "cuda/cuda_library.h"
#include "cuda/cuda_state.h"

struct rf_cuda rf_cuda;

__attribute__((visibility("default"))) int InitializeInjection(void);

/* ---- What is said when it cannot be ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* "CUDA is not recorded: A 'B' C", in pieces that may be NULL. */
static void say_off(const char *a, const char *b, const char *c)
{
    char text[RF_MESSAGE_SIZE];
    size_t at = rf_put_text(text, sizeof(text), 0, "CUDA is not recorded: ");
    at = rf_put_text(text, sizeof(text), at, a);
    if (b != NULL) {
        at = rf_put_text(text, sizeof(text), at, " '");
        at = rf_put_text(text, sizeof(text), at, b);
        at = rf_put_text(text, sizeof(text), at, "'");
    }
    if (c != NULL)
        (void)rf_put_text(text, sizeof(text), at, c);
    rf_session_add_message(text);
}

/* What was tried first, with its reason; a path that does not fit loses its beginning. */
static void say_tried(const char *tried)
{
    char text[RF_MESSAGE_SIZE];
    const char *behind = strstr(tried, "; ");
    size_t size = behind != NULL ? (size_t)(behind - tried) : strlen(tried);
    size_t at = rf_put_text(text, sizeof(text), 0, "tried ");
    if (size > sizeof(text) - 1 - at) {
        at = rf_put_text(text, sizeof(text), at, "...");
        tried += size - (sizeof(text) - 1 - at);
        size = sizeof(text) - 1 - at;
    }
    memcpy(text + at, tried, size);
    text[at + size] = '\0';
    rf_session_add_message(text);
}

static void say_no_library(void)
{
    if (rf_cuda.cupti_file.tried[0] == '\0') {
        say_off("there is no libcupti (pip install nvidia-cuda-cupti, or set RANGEFINDER_CUPTI)",
                NULL, NULL);
        return;
    }
    say_off("no libcupti can be loaded; 'rangefinder doctor' says more", NULL, NULL);
    say_tried(rf_cuda.cupti_file.tried);
}

static void say_result(int result)
{
    char text[96];
    const char *name = base_name(rf_cuda.cupti_file.path);
    if (result == RF_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
        say_off("another profiler has CUPTI in this process (39): run without it", NULL, NULL);
        return;
    }
    size_t at = rf_put_text(text, sizeof(text), 0, " does not start (");
    at = rf_put_number(text, sizeof(text), at, (uint64_t)result, 1);
    (void)rf_put_text(text, sizeof(text), at, "): no GPU, or an older driver than it needs");
    say_off("CUPTI", name, text);
}

/* ---- In steps: each says what went wrong ---- */

static bool find_functions(void)
{
    struct rf_cupti *cupti = &rf_cuda.cupti;
    const struct {
        const char *name;
        void **place;
        bool is_needed;
    } functions[] = {
#define RF_ROW(member, symbol, needed, parameters)                                                 \
    {#symbol, (void **)(void *)&cupti->member, (needed) != 0},
        RF_CUPTI_FUNCTIONS(RF_ROW)
#undef RF_ROW
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *found = rf_library_symbol(rf_cuda.cupti_file.handle, functions[i].name);
        memcpy(functions[i].place, &found, sizeof(found));
        if (found == NULL && functions[i].is_needed) {
            say_off("no", functions[i].name, " in libcupti: CUDA 11.8 or newer is needed");
            return false;
        }
    }
    return true;
}

/* Calls that end a context: CUPTI may have no records of its work afterwards. Without the release
 * of a primary context, which some libraries call all the time, and which mostly ends none. */
static const struct {
    uint16_t domain, cbid;
} context_ends[] = {
    {RF_CUPTI_DOMAIN_RUNTIME, RF_CUPTI_CBID_CUDA_DEVICE_RESET},
    {RF_CUPTI_DOMAIN_DRIVER, RF_CUPTI_CBID_CU_CTX_DESTROY},
    {RF_CUPTI_DOMAIN_DRIVER, RF_CUPTI_CBID_CU_PRIMARY_CTX_RESET},
    {RF_CUPTI_DOMAIN_DRIVER, RF_CUPTI_CBID_CU_PRIMARY_CTX_RESET_V2},
};
#define N_CONTEXT_ENDS (sizeof(context_ends) / sizeof(context_ends[0]))

static bool ends_context(int domain, uint32_t cbid)
{
    for (size_t i = 0; i < N_CONTEXT_ENDS; i++)
        if (context_ends[i].domain == domain && context_ends[i].cbid == cbid)
            return true;
    return false;
}

/* On the program's thread, in the middle of a call of the driver. */
static void on_callback(void *user, int domain, uint32_t cbid, const void *data)
{
    const struct rf_cupti_callback_data *call = data;
    int saved_errno = errno;
    (void)user;
    if (!rf_cuda_is_on())
        return;
    if (domain == RF_CUPTI_DOMAIN_RESOURCE)
        __atomic_store_n(&rf_cuda.has_context, 1, __ATOMIC_RELAXED);
    else if (domain == RF_CUPTI_DOMAIN_DRIVER && cbid == RF_CUPTI_CBID_CU_PROFILER_START &&
             call->site == RF_CUPTI_API_EXIT)
        rf_trigger_profiler(true);
    else if (domain == RF_CUPTI_DOMAIN_DRIVER && cbid == RF_CUPTI_CBID_CU_PROFILER_STOP &&
             call->site == RF_CUPTI_API_ENTER)
        rf_trigger_profiler(false);
    else if (ends_context(domain, cbid) && call->site == RF_CUPTI_API_ENTER &&
             rf_cuda_n_outstanding() != 0)
        (void)rf_cuda.cupti.flush_all(0);
    errno = saved_errno;
}

static int set_attribute(enum rf_cupti_attribute attribute, uint8_t value)
{
    size_t size = sizeof(value);
    return rf_cuda.cupti.set_attribute != NULL
               ? rf_cuda.cupti.set_attribute((int)attribute, &size, &value)
               : RF_CUPTI_ERROR_NOT_SUPPORTED;
}

void rf_cuda_let_cupti_zero(bool shall)
{
    (void)set_attribute(RF_CUPTI_ATTRIBUTE_ZEROED_OUT_BUFFER, !shall);
}

/* Threads that write into buffers of their own do not wait for each other. Before anything was
 * enabled, so once in a process. */
static void ask_for_thread_buffers(void)
{
    static bool is_done; /* one thread at a time starts */
    if (!is_done && rf_cuda.version >= RF_CUPTI_12_3)
        (void)set_attribute(RF_CUPTI_ATTRIBUTE_PER_THREAD_BUFFER, 1);
    is_done = true;
}

static void unsubscribe(void)
{
    rf_cuda_let_cupti_zero(true);
    if (rf_cuda.cupti.unsubscribe != NULL)
        (void)rf_cuda.cupti.unsubscribe(rf_cuda.subscriber);
}

/* CUPTI's records come to us. They still do where kinds stayed enabled. */
static int take_buffers(void)
{
    static bool is_done; /* one thread at a time starts */
    if (is_done && rf_cuda_keeps_kinds())
        return RF_CUPTI_SUCCESS;
    int result = rf_cuda.cupti.set_thread_id_type(RF_CUPTI_THREAD_ID_SYSTEM);
    ask_for_thread_buffers();
    if (result == RF_CUPTI_SUCCESS)
        result = rf_cuda.cupti.register_callbacks(rf_cuda_request, rf_cuda_complete);
    is_done = result == RF_CUPTI_SUCCESS;
    return result;
}

static bool subscribe(void)
{
    struct rf_cupti *cupti = &rf_cuda.cupti;
    int result = cupti->get_version(&rf_cuda.version);
    if (result == RF_CUPTI_SUCCESS)
        result = cupti->subscribe(&rf_cuda.subscriber, on_callback, NULL);
    if (result != RF_CUPTI_SUCCESS) {
        say_result(result);
        return false;
    }
    result = take_buffers();
    if (result != RF_CUPTI_SUCCESS) {
        say_result(result);
        unsubscribe();
        return false;
    }
    rf_cuda_let_cupti_zero(false); /* now that whoever is asked for buffers is us */
    return true;
}

static void listen(void)
{
    struct rf_cupti *cupti = &rf_cuda.cupti;
    void *subscriber = rf_cuda.subscriber;
    (void)cupti->enable_callback(1, subscriber, RF_CUPTI_DOMAIN_RESOURCE, RF_CUPTI_CONTEXT_CREATED);
    for (size_t i = 0; i < N_CONTEXT_ENDS; i++)
        (void)cupti->enable_callback(1, subscriber, context_ends[i].domain, context_ends[i].cbid);
    if (!rf_recorder.is_focused ||
        (rf_recorder.control->capture.triggers & RF_TRIGGER_PROFILER) == 0)
        return;
    (void)cupti->enable_callback(1, subscriber, RF_CUPTI_DOMAIN_DRIVER,
                                 RF_CUPTI_CBID_CU_PROFILER_START);
    (void)cupti->enable_callback(1, subscriber, RF_CUPTI_DOMAIN_DRIVER,
                                 RF_CUPTI_CBID_CU_PROFILER_STOP);
}

/* ---- The end ---- */

static bool stop_thread(void)
{
    bool has_ended = rf_cuda_stop_thread();
    if (!has_ended)
        rf_session_add_message(
            "CUPTI did not give back what it had in 10 s: the last CUDA records are "
            "missing");
    __atomic_store_n(&rf_cuda.status, RF_CUDA_STOPPED, __ATOMIC_RELEASE);
    return has_ended;
}

static void at_exit(void)
{
    int saved_errno = errno;
    if (rf_cuda_is_on()) {
        (void)stop_thread();
        if (!rf_recorder.is_standby) /* there it is nobody's, and may have gone */
            __atomic_store_n(&rf_pool_header()->cuda_state, RF_CUDA_OFF, __ATOMIC_RELEASE);
    }
    errno = saved_errno;
}

static void be_called_at_exit(void)
{
    static bool is_done; /* one thread at a time starts */
    if (!is_done)
        (void)atexit(at_exit);
    is_done = true;
}

bool rf_cuda_stop(void)
{
    rf_cuda_note_capture(false); /* what is launched from now on is not waited for */
    if (!stop_thread())
        return false;
    unsubscribe();
    rf_cuda_release_buffers();
    return true;
}

/* ---- The start ---- */

static void capture_changed(void)
{
    if (!rf_cuda_is_on())
        return;
    bool is_capturing = rf_capture_is_on(rf_capture_word(rf_recorder.control));
    rf_cuda_note_capture(is_capturing);
    if (is_capturing)
        rf_cuda_follow_capture(); /* what the program launches next is recorded */
    else if (rf_cuda_is_recording())
        rf_cuda_wake_thread();
}

const struct rf_hooks rf_cuda_hooks = {capture_changed, rf_cuda_object_named, rf_cuda_session_ends};

static void say_kept_kinds(void)
{
    if (rf_cuda_keeps_kinds() && rf_recorder.is_focused && !rf_recorder.is_standby)
        rf_session_add_message(
            "CUPTI 13.0.0 may hang when recording is switched off: it goes on between "
            "captures; 13.0 Update 1 is mended");
}

static bool connect(bool is_late)
{
    int driver = rf_cuda_driver_version();
    if (rf_cuda.cupti_file.handle == NULL &&
        rf_cupti_library_load(&rf_cuda.cupti_file, driver, NULL) != 0) {
        say_no_library();
        return false;
    }
    if (!find_functions() || !subscribe())
        return false;
    rf_cuda_prepare_buffers();
    if (is_late) /* whose buffers CUPTI has until now get no records of ours */
        (void)rf_cuda.cupti.flush_all(0);
    rf_cuda_say_library(driver);
    say_kept_kinds();
    __atomic_store_n(&rf_cuda.has_context, is_late, __ATOMIC_RELAXED);
    __atomic_store_n(&rf_cuda.status, RF_CUDA_STARTED, __ATOMIC_RELEASE);
    rf_cuda_enable_facts(is_late);
    rf_cuda_follow_capture();
    listen();
    if (!rf_cuda_start_thread()) {
        say_off("no thread could be started", NULL, NULL);
        rf_cuda_disable_all();
        unsubscribe();
        return false;
    }
    be_called_at_exit();
    return true;
}

bool rf_cuda_start(bool is_late)
{
    rf_cuda.pid = rf_sys_getpid();
    rf_cuda.asks = rf_recorder.control->cuda;
    bool is_started = connect(is_late);
    if (!is_started)
        __atomic_store_n(&rf_cuda.status, RF_CUDA_STOPPED, __ATOMIC_RELEASE);
    return is_started;
}

/* Does the session want CUDA? One that was made by naming this library by hand does. */
static bool is_wanted(void)
{
    struct rf_control *control = rf_recorder.control;
    if (control == NULL)
        return false;
    if (control->is_by_hand)
        (void)__atomic_fetch_or(&control->cuda, RF_CUDA_IS_WANTED, __ATOMIC_RELAXED);
    return (__atomic_load_n(&control->cuda, __ATOMIC_RELAXED) & RF_CUDA_IS_WANTED) != 0;
}

/* Once: a child that was forked from a process that used CUDA cannot use it. */
static void attach(void)
{
    uint32_t fresh = RF_CUDA_FRESH;
    if (!__atomic_compare_exchange_n(&rf_cuda.status, &fresh, RF_CUDA_STARTING, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    bool is_started = rf_cuda_start(false);
    if (is_started)
        __atomic_store_n(&rf_hooks, &rf_cuda_hooks, __ATOMIC_RELEASE);
    __atomic_store_n(&rf_pool_header()->cuda_state, is_started ? RF_CUDA_ON : RF_CUDA_OFF,
                     __ATOMIC_RELEASE);
}

/* Never 0: the driver would unload this library, and try again. */
int InitializeInjection(void)
{
    int saved_errno = errno;
    bool is_there = rf_recorder_start();
    if (is_there && rf_recorder.is_standby)
        rf_cuda_join_session();
    else if (is_there && is_wanted())
        attach();
    errno = saved_errno;
    return 1;
}
