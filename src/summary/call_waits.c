/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/call_waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Copies that block: those of pageable memory return when the copy is done. */
static const char *const waiting[] = {
    "cudaDeviceSynchronize",
    "cudaThreadSynchronize",
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cudaMemcpy",
    "cudaMemcpy2D",
    "cudaMemcpy3D",
    "cudaMemcpyToSymbol",
    "cudaMemcpyFromSymbol",
    "cuCtxSynchronize",
    "cuStreamSynchronize",
    "cuEventSynchronize",
    "cuMemcpy",
    "cuMemcpyHtoD",
    "cuMemcpyDtoH",
    "cuMemcpyDtoD",
    "cuMemcpy2D",
    "cuMemcpy3D",
};

/* Endings such as _v3020, _v2 and _ptsz name versions of a function. */
bool rf_is_waiting_call(const char *text, size_t size)
{
    const char *end = text != NULL ? memchr(text, '_', size) : NULL;
    if (end != NULL)
        size = (size_t)(end - text);
    for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]) && text != NULL; i++)
        if (strlen(waiting[i]) == size && memcmp(waiting[i], text, size) == 0)
            return true;
    return false;
}

static bool is_waiting(const rf_recording *rec, uint32_t name)
{
    size_t size = 0;
    const char *text = rf_string(rec, name, &size);
    return rf_is_waiting_call(text, size);
}

int rf_waiting_functions_init(struct rf_waiting_functions *functions, const rf_recording *rec)
{
    functions->rec = rec;
    functions->of_string = calloc((size_t)rf_n_strings(rec) + 1, sizeof(*functions->of_string));
    return functions->of_string != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

void rf_waiting_functions_release(struct rf_waiting_functions *functions)
{
    free(functions->of_string);
}

bool rf_waiting_functions_have(struct rf_waiting_functions *functions, const struct rf_call *call)
{
    if (call->kind == RF_CALL_OS || call->name >= rf_n_strings(functions->rec))
        return false;
    uint8_t *of_string = &functions->of_string[call->name];
    if (*of_string == 0)
        *of_string = is_waiting(functions->rec, call->name) ? 2 : 1;
    return *of_string == 2;
}

/* Calls come by start: one that the last wait covers adds nothing, as those of the driver inside
 * those of the runtime. */
static int add_wait(struct rf_call_waits *waits, int64_t start_ns, int64_t end_ns)
{
    const struct rf_call_wait *last = waits->n > 0 ? &waits->wait[waits->n - 1] : NULL;
    uint64_t before_ns = 0;
    if (last != NULL) {
        before_ns = last->before_ns + ((uint64_t)last->end_ns - (uint64_t)last->start_ns);
        start_ns = start_ns > last->end_ns ? start_ns : last->end_ns;
    }
    if (end_ns <= start_ns)
        return RF_OK;
    if (rf_grow_array(&waits->wait, waits->n, &waits->room, sizeof(*waits->wait)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    waits->wait[waits->n++] = (struct rf_call_wait){start_ns, end_ns, before_ns};
    return RF_OK;
}

int rf_call_waits_list(struct rf_call_waits *waits, const rf_recording *rec, uint32_t thread)
{
    size_t n = 0;
    const struct rf_call *call = rf_thread_calls(rec, thread, &n);
    waits->n = 0;
    for (size_t i = 0; i < n; i++)
        if (call[i].kind != RF_CALL_OS && is_waiting(rec, call[i].name) &&
            add_wait(waits, call[i].start_ns, call[i].end_ns) != RF_OK)
            return RF_ERR_NO_MEMORY;
    return RF_OK;
}

void rf_call_waits_release(struct rf_call_waits *waits)
{
    free(waits->wait);
}

/* How much was waited before a time. */
static uint64_t waited_before(const struct rf_call_waits *waits, int64_t at_ns)
{
    size_t low = 0;
    for (size_t n = waits->n; n > 0;) {
        size_t half = n / 2;
        bool is_before = waits->wait[low + half].start_ns < at_ns;
        low = is_before ? low + half + 1 : low;
        n = is_before ? n - half - 1 : half;
    }
    if (low == 0)
        return 0;
    const struct rf_call_wait *last = &waits->wait[low - 1];
    int64_t end_ns = last->end_ns < at_ns ? last->end_ns : at_ns;
    return last->before_ns + ((uint64_t)end_ns - (uint64_t)last->start_ns);
}

uint64_t rf_call_waits_between(const struct rf_call_waits *waits, int64_t start_ns, int64_t end_ns)
{
    return waited_before(waits, end_ns) - waited_before(waits, start_ns);
}
