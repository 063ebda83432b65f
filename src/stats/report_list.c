/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/report_list.h"

#include <string.h>

/* To add a report: a file in src/stats/reports with `const struct rf_report rf_report_NAME`, and a
 * line here. `tests/docs/lists.py --write` then makes the lists in the documents, and
 * `tests/export/golden.sh -u` the expected outputs.
 *
 * The order is that of `rangefinder stats -h`: the default reports as nsys has them, then ours,
 * then those on request. */
#define RF_REPORTS(X)                                                                              \
    X(nvtx_sum)                                                                                    \
    X(osrt_sum)                                                                                    \
    X(cuda_api_sum)                                                                                \
    X(cuda_gpu_kern_sum)                                                                           \
    X(cuda_gpu_mem_time_sum)                                                                       \
    X(cuda_gpu_mem_size_sum)                                                                       \
    X(um_sum)                                                                                      \
    X(um_total_sum)                                                                                \
    X(um_cpu_page_faults_sum)                                                                      \
    X(openacc_sum)                                                                                 \
    X(openmp_sum)                                                                                  \
    X(nvtx_gpu_proj_sum)                                                                           \
    X(nvtx_kern_sum)                                                                               \
    X(gpu_metrics_sum)                                                                             \
    X(nvtx_counter_sum)                                                                            \
    X(nvtx_gpu_metrics_sum)                                                                        \
    X(nvtx_counter_ranges)                                                                         \
    X(nvtx_pushpop_sum)                                                                            \
    X(nvtx_startend_sum)                                                                           \
    X(nvtx_pushpop_trace)                                                                          \
    X(nvtx_startend_trace)                                                                         \
    X(nvtx_gpu_proj_trace)                                                                         \
    X(cuda_api_trace)                                                                              \
    X(cuda_api_gpu_sum)                                                                            \
    X(cuda_gpu_sum)                                                                                \
    X(cuda_gpu_kern_gb_sum)                                                                        \
    X(cuda_gpu_trace)                                                                              \
    X(cuda_kern_exec_sum)                                                                          \
    X(cuda_kern_exec_trace)                                                                        \
    X(self_time)                                                                                   \
    X(nvtx_tree)                                                                                   \
    X(breakdown)                                                                                   \
    X(breakdown_steps)                                                                             \
    X(gpu_gaps)                                                                                    \
    X(launch_latency)                                                                              \
    X(critical)                                                                                    \
    X(steps)                                                                                       \
    X(pace)                                                                                        \
    X(collectives)                                                                                 \
    X(collectives_trace)                                                                           \
    X(stragglers)                                                                                  \
    X(rank_summary)                                                                                \
    X(balance)                                                                                     \
    X(rank_heatmap)                                                                                \
    X(rank_step_heatmap)                                                                           \
    X(mpi_event_sum)                                                                               \
    X(mpi_event_trace)                                                                             \
    X(mpi_msg_size_sum)                                                                            \
    X(syscall_sum)                                                                                 \
    X(network_congestion)

#define DECLARE(name) extern const struct rf_report rf_report_##name;
RF_REPORTS(DECLARE)

#define ADDRESS(name) &rf_report_##name,
static const struct rf_report *const reports[] = {RF_REPORTS(ADDRESS)};

const struct rf_report *rf_report_list_at(size_t i)
{
    return i < sizeof(reports) / sizeof(reports[0]) ? reports[i] : NULL;
}

const char *rf_report_at(size_t i, const char **description)
{
    const struct rf_report *report = rf_report_list_at(i);
    if (report != NULL && description != NULL)
        *description = report->description;
    return report != NULL ? report->name : NULL;
}

/* Older versions of nsys wrote nvtxsum for nvtx_sum. */
bool rf_is_same_report_name(const char *request, const char *name)
{
    for (;; request++, name++) {
        request += strspn(request, "_");
        name += strspn(name, "_");
        if (*name == '\0')
            return *request == '\0' || *request == ':';
        if (*request != *name)
            return false;
    }
}

const struct rf_report *rf_report_list_find(const char *name)
{
    const struct rf_report *report;
    for (size_t i = 0; name != NULL && (report = rf_report_list_at(i)) != NULL; i++)
        if (rf_is_same_report_name(name, report->name) ||
            (report->alias != NULL && rf_is_same_report_name(name, report->alias)))
            return report;
    return NULL;
}

const char *rf_report_column_at(const char *name, size_t i, const char **meaning)
{
    const struct rf_report *report = rf_report_list_find(name);
    if (report == NULL || i >= report->n_columns)
        return NULL;
    if (meaning != NULL)
        *meaning = report->columns[i].meaning;
    return report->columns[i].title;
}

const char *rf_report_quantile_at(const char *name, size_t i, const char **unit)
{
    const struct rf_report *report = rf_report_list_find(name);
    if (report == NULL || i >= report->n_quantile_places)
        return NULL;
    if (unit != NULL)
        *unit = report->quantile_place[i].unit;
    return report->quantile_place[i].prefix;
}

const char *rf_report_for_people(const char *name)
{
    const struct rf_report *report = rf_report_list_find(name);
    return report != NULL && report->for_people != NULL ? report->for_people : name;
}

const char *rf_report_find(const char *name)
{
    const struct rf_report *report = rf_report_list_find(name);
    return report != NULL ? report->name : NULL;
}
