/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_callers.h"

#include "base/grow.h"
#include "base/map.h"
#include "model/arrays.h"
#include "model/gpu/call_index.h"

uint32_t rf_cuda_find_caller(struct rf_cuda_load *cuda, uint32_t process, uint32_t tid)
{
    if (cuda->last_caller != RF_NO_INDEX && cuda->caller[cuda->last_caller].tid == tid &&
        cuda->caller[cuda->last_caller].process == process)
        return cuda->last_caller;
    uint32_t i = rf_map_find(&cuda->caller_of, process, tid);
    if (i == RF_MAP_NONE) {
        if (rf_grow_array(&cuda->caller, cuda->n_callers, &cuda->caller_room,
                          sizeof(*cuda->caller)) != RF_OK ||
            rf_map_set(&cuda->caller_of, process, tid, cuda->n_callers) != RF_OK)
            return RF_NO_INDEX;
        i = cuda->n_callers++;
        cuda->caller[i] = (struct rf_cuda_caller){.process = process, .tid = tid};
    }
    cuda->last_caller = i;
    return i;
}

int rf_cuda_sort_calls(struct rf_cuda_load *cuda)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < cuda->n_callers && status == RF_OK; i++) {
        struct rf_cuda_caller *caller = &cuda->caller[i];
        if (caller->is_unsorted)
            status =
                rf_sort_records(caller->call, caller->n, sizeof(*caller->call), rf_compare_calls);
    }
    return status;
}
