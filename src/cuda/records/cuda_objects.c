/* SPDX-License-Identifier: Apache-2.0 */
/* The id that CUPTI has for an object that the program named with NVTX. Called on the program's
 * own threads. */
#include "cuda/records/cuda_objects.h"

#include <errno.h>
#include <stddef.h>

#include "cuda/cuda_library.h"
#include "cuda/cuda_state.h"
#include "log/cuda.h"
#include "record/names/defs.h"
#include "record/text.h"

static void *current_context(void)
{
    static int (*get_current)(void **context); /* atomic; NULL: not looked for, or not there */
    void *context = NULL;
    int (*function)(void **) = __atomic_load_n(&get_current, __ATOMIC_RELAXED);
    void *library = function == NULL ? rf_library_open_mapped("libcuda.so.1") : NULL;
    if (library != NULL) {
        *(void **)&function = rf_library_symbol(library, "cuCtxGetCurrent");
        __atomic_store_n(&get_current, function, __ATOMIC_RELAXED);
    }
    return function != NULL && function(&context) == 0 ? context : NULL;
}

static bool find_id(enum rf_object kind, uint64_t handle, void *context, uint32_t *id)
{
    const struct rf_cupti *cupti = &rf_cuda.cupti;
    void *object = (void *)(uintptr_t)handle;
    switch (kind) {
    case RF_OBJECT_CU_DEVICE:
    case RF_OBJECT_CUDA_DEVICE:
        *id = (uint32_t)handle;
        return true;
    case RF_OBJECT_CU_CONTEXT:
        return cupti->get_context_id != NULL && cupti->get_context_id(object, id) == 0;
    case RF_OBJECT_CU_STREAM:
    case RF_OBJECT_CUDA_STREAM:
        return cupti->get_stream_id != NULL && cupti->get_stream_id(context, object, 0, id) == 0;
    case RF_OBJECT_CU_EVENT:
    case RF_OBJECT_CUDA_EVENT:
        return cupti->get_event_id != NULL && cupti->get_event_id(object, id) == 0;
    default:
        return false;
    }
}

/* "context=ID" of a stream: a stream's id is unique within its context only. */
static size_t put_context(char *text, size_t size, void *context)
{
    uint32_t id = 0;
    if (context == NULL || rf_cuda.cupti.get_context_id == NULL ||
        rf_cuda.cupti.get_context_id(context, &id) != RF_CUPTI_SUCCESS)
        return 0;
    size_t at = rf_put_text(text, size, 0, "context=");
    at = rf_put_number(text, size, at, id, 1);
    return rf_put_text(text, size, at, "\n");
}

void rf_cuda_object_named(enum rf_object kind, uint64_t handle)
{
    char text[64] = "";
    size_t size = 0;
    uint32_t id = 0;
    int saved_errno = errno;
    if (!rf_cuda_is_on())
        return;
    bool is_stream = kind == RF_OBJECT_CU_STREAM || kind == RF_OBJECT_CUDA_STREAM;
    void *context = is_stream ? current_context() : NULL;
    bool is_known = find_id(kind, handle, context, &id);
    if (is_known && context != NULL)
        size = put_context(text, sizeof(text), context);
    else if (!is_known && context != NULL)
        is_known = find_id(kind, handle, NULL, &id); /* a stream of another context */
    if (is_known)
        (void)rf_defs_add(RF_REC_CUDA_DEF, id, RF_CUDA_DEF_OBJECT, handle, (uint32_t)kind, text,
                          size);
    errno = saved_errno;
}
