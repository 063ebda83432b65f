/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/select_cuda.h"

#include <stddef.h>

#include "model/cuda/cuda_window.h"
#include "model/filter/activities.h"
#include "model/filter/filter_parse.h"
#include "model/filter/filter_windows.h"
#include "model/filter/name_pattern.h"
#include "model/load/load.h"

bool rf_select_hides_calls(const struct rf_load *load)
{
    const unsigned calls = RF_ACTIVITY_RUNTIME | RF_ACTIVITY_DRIVER | RF_ACTIVITY_OS;
    return load->selection.of != NULL && (load->selection.filter.activities & calls) == 0;
}

bool rf_select_call(const struct rf_load *load, uint32_t process, uint32_t thread,
                    uint32_t function, const struct rf_held_call *call)
{
    const struct rf_filter *filter = &load->selection.filter;
    const unsigned activity =
        function & RF_CUDA_DRIVER_FUNCTION ? RF_ACTIVITY_DRIVER : RF_ACTIVITY_RUNTIME;
    if (load->selection.of == NULL)
        return true;
    return (filter->keeps_process == NULL || filter->keeps_process[process]) &&
           load->thread[thread]->is_selected &&
           (rf_select_hides_calls(load) || (filter->activities & activity) != 0) &&
           rf_filter_has_time(filter, call->start_ns, call->end_ns);
}

bool rf_select_kernel(struct rf_load *load, uint32_t short_name, uint32_t demangled)
{
    const struct rf_name_pattern *pattern = &load->selection.filter.kernel;
    const uint32_t names[] = {short_name, demangled};
    bool is_kept = load->selection.of == NULL || pattern->text == NULL;
    for (int i = 0; i < 2 && !is_kept; i++) {
        struct rf_err err;
        size_t size;
        const char *text = rf_string(load->rec, names[i], &size);
        const int found = text != NULL ? rf_name_search(pattern, text, size, &err) : 0;
        load->selection.has_failed |= found < 0;
        is_kept = found > 0;
    }
    return is_kept;
}

bool rf_select_work(struct rf_load *load, const struct rf_held_work *work,
                    const struct rf_held_call *call)
{
    const struct rf_filter *filter = &load->selection.filter;
    const struct rf_gpu_track *track = &load->rec->track[work->track];
    if (load->selection.of == NULL)
        return true;
    if ((filter->keeps_process != NULL && !filter->keeps_process[track->process]) ||
        (filter->activities & RF_ACTIVITY_OF_WORK(work->kind)) == 0 ||
        (load->selection.of->threads != NULL &&
         (call == NULL || !load->thread[call->thread]->is_selected)) ||
        !rf_filter_has_gpu(filter, track->device) ||
        !rf_filter_has_time(filter, work->start_ns, work->end_ns))
        return false;
    if (work->kind != RF_OP_KERNEL)
        return true;
    const struct rf_cuda_name *name = &load->cuda.names.name[work->name];
    return rf_select_kernel(load, name->short_name, name->demangled);
}
