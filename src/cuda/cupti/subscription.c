/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda/cupti/subscription.h"

#include <errno.h>
#include <string.h>

#include "cuda/cuda_library.h"
#include "cuda/cuda_messages.h"
#include "cuda/cuda_state.h"
#include "cuda/cupti/buffers.h"
#include "record/focus/trigger.h"

bool rf_cuda_find_functions(void)
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
            rf_cuda_report_off("no", functions[i].name,
                               " in libcupti: CUDA 11.8 or newer is needed");
            return false;
        }
    }
    return true;
}

/* Calls that end a context: CUPTI may have no records of its work afterwards. The release of a
 * primary context is not one of them: some libraries call it all the time, and it rarely ends one.
 */
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

/* Called on a thread of the program, in the middle of a call of the driver. */
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

void rf_cuda_enable_callbacks(void)
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

/* Threads with buffers of their own do not wait for each other. CUPTI accepts this only before
 * anything was enabled, so once in a process. */
static void ask_for_thread_buffers(void)
{
    static bool is_done; /* one thread at a time starts */
    if (!is_done && rf_cuda.version >= RF_CUPTI_12_3)
        (void)set_attribute(RF_CUPTI_ATTRIBUTE_PER_THREAD_BUFFER, 1);
    is_done = true;
}

void rf_cuda_unsubscribe(void)
{
    rf_cuda_let_cupti_zero(true);
    if (rf_cuda.cupti.unsubscribe != NULL)
        (void)rf_cuda.cupti.unsubscribe(rf_cuda.subscriber);
}

/* Registers our callbacks for buffers. They are still registered where kinds stayed enabled. */
static int register_buffers(void)
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

bool rf_cuda_subscribe(void)
{
    struct rf_cupti *cupti = &rf_cuda.cupti;
    int result = cupti->get_version(&rf_cuda.version);
    if (result == RF_CUPTI_SUCCESS)
        result = cupti->subscribe(&rf_cuda.subscriber, on_callback, NULL);
    if (result != RF_CUPTI_SUCCESS) {
        rf_cuda_report_result(result);
        return false;
    }
    result = register_buffers();
    if (result != RF_CUPTI_SUCCESS) {
        rf_cuda_report_result(result);
        rf_cuda_unsubscribe();
        return false;
    }
    rf_cuda_let_cupti_zero(false); /* now the buffers that CUPTI gets are ours, and zero */
    return true;
}
