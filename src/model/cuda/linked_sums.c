/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/linked_sums.h"

#include <stdlib.h>

#include "model/cuda/cuda_sums.h"
#include "model/cuda/cuda_window.h"
#include "model/cuda/select_cuda.h"
#include "model/load/load.h"

int rf_linked_sums_begin(struct rf_load *load)
{
    load->rec->work_sums = calloc(1, sizeof(*load->rec->work_sums));
    return load->rec->work_sums != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

uint32_t rf_linked_sums_shape(struct rf_load *load, const struct rf_cuda_kernel *kernel)
{
    return rf_cuda_sums_shape(load->rec->work_sums, kernel);
}

int rf_linked_sums_add_call(struct rf_load *load, const struct rf_held_call *call)
{
    struct rf_work_sums *sums = load->rec->work_sums;
    const struct rf_work_key key = {.kind = RF_WORK_CALL, .name = call->name};
    sums->met |= 1u << RF_WORK_CALL;
    if (!call->is_selected || rf_select_hides_calls(load))
        return RF_OK;
    return rf_work_sums_add(sums, &key, (uint64_t)call->end_ns - (uint64_t)call->start_ns)
               ? RF_OK
               : RF_ERR_NO_MEMORY;
}

static bool add_kernel(struct rf_load *load, const struct rf_held_work *work, uint64_t ns)
{
    struct rf_work_sum *sum = rf_cuda_sums_of_kernel(
        load->rec->work_sums, &load->cuda.names.name[work->name], work->shape);
    return sum != NULL && rf_value_counts_add(&sum->values, ns, 1);
}

int rf_linked_sums_add_work(struct rf_load *load, const struct rf_held_work *work, bool is_selected)
{
    struct rf_work_sums *sums = load->rec->work_sums;
    const uint64_t ns = (uint64_t)work->end_ns - (uint64_t)work->start_ns;
    const bool is_kernel = work->kind == RF_OP_KERNEL, is_copy = work->kind == RF_OP_MEMCPY;
    sums->n_ops++;
    if (!is_kernel && !is_copy && work->kind != RF_OP_MEMSET)
        return RF_OK;
    sums->met |= 1u << (is_kernel ? RF_WORK_KERNEL : is_copy ? RF_WORK_COPY : RF_WORK_SET);
    if (!is_selected)
        return RF_OK;
    const bool is_done =
        is_kernel
            ? add_kernel(load, work, ns)
            : rf_work_sums_add_transfer(sums, is_copy, is_copy ? work->name : 0, ns, work->bytes);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}
