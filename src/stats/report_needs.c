/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/report_needs.h"

#include <stdio.h>

#include "base/error.h"
#include "model/collectives/collectives.h"
#include "model/private_access.h"
#include "model/sums/work_sums.h"
#include "stats/counter_means.h"
#include "stats/extra_values.h"
#include "stats/gpu_counters.h"
#include "stats/report_arguments.h"
#include "stats/report_list.h"
#include "stats/summary_rows.h"
#include "stats/work_labels.h"
#include "summary/summary_data.h"

/* ---- What a recording has ---- */

static bool has_ranges(const rf_recording *rec)
{
    return rf_get_info(rec)->n_ranges > 0;
}

static bool has_gpu_metrics(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_is_gpu_metric(rf_counter_at(rec, i)))
            return true;
    return false;
}

static bool has_nvtx_counters(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_is_nvtx_counter(rf_counter_at(rec, i)))
            return true;
    return false;
}

static bool has_calls(const rf_recording *rec, bool of_os)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n = 0;
        const struct rf_call *call = rf_thread_calls(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            if ((call[i].kind == RF_CALL_OS) == of_os)
                return true;
    }
    return false;
}

static bool has_cuda_calls(const rf_recording *rec)
{
    const struct rf_work_sums *sums = rf_recording_work_sums(rec);
    return sums != NULL ? rf_work_sums_have(sums, RF_WORK_CALL) : has_calls(rec, false);
}

static bool has_os_calls(const rf_recording *rec)
{
    return has_calls(rec, true);
}

static bool has_collectives(const rf_recording *rec)
{
    struct rf_collectives found;
    const int status = rf_collectives_find(rec, NULL, &found, NULL);
    const bool has = status != RF_OK || found.n > 0 || !found.is_searched;
    rf_collectives_release(&found);
    return has; /* if it is not known, the report says why */
}

static uint64_t count_work(const rf_recording *rec)
{
    struct rf_work_counts counts = RF_WORK_COUNTS_INIT;
    uint64_t n = 0;
    (void)rf_work_counts_of(rec, &counts);
    for (size_t i = 0; i < sizeof(counts.n_ops) / sizeof(counts.n_ops[0]); i++)
        n += counts.n_ops[i];
    return n;
}

static bool has_gpu_work(const rf_recording *rec)
{
    const struct rf_work_sums *sums = rf_recording_work_sums(rec);
    size_t n = 0;
    (void)rf_gpu_ops(rec, &n);
    return n > 0 || (sums != NULL && sums->n_ops > 0) ||
           (rf_recording_projected_sums(rec) != NULL && count_work(rec) > 0);
}

static bool has_cuda(const rf_recording *rec)
{
    return has_cuda_calls(rec) || has_gpu_work(rec);
}

static bool has_work(const rf_recording *rec, int kind, int or_kind)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        if (op[i].kind == kind || op[i].kind == or_kind)
            return true;
    return false;
}

static bool has_kernels(const rf_recording *rec)
{
    const struct rf_work_sums *sums = rf_recording_work_sums(rec);
    struct rf_work_counts counts = RF_WORK_COUNTS_INIT;
    if (sums != NULL)
        return rf_work_sums_have(sums, RF_WORK_KERNEL);
    if (rf_recording_launch_sums(rec) == NULL)
        return has_work(rec, RF_OP_KERNEL, RF_OP_KERNEL);
    (void)rf_work_counts_of(rec, &counts);
    return counts.n_ops[RF_OP_KERNEL] > 0;
}

static bool has_memory_work(const rf_recording *rec)
{
    const struct rf_work_sums *sums = rf_recording_work_sums(rec);
    return sums != NULL
               ? rf_work_sums_have(sums, RF_WORK_COPY) || rf_work_sums_have(sums, RF_WORK_SET)
               : has_work(rec, RF_OP_MEMCPY, RF_OP_MEMSET);
}

static bool has_rows(const rf_recording *rec, struct rf_extra_kinds kinds)
{
    size_t i = 0;
    return rf_extra_next(rec, kinds, &i) != NULL;
}

static bool has_mpi(const rf_recording *rec)
{
    return has_rows(rec, RF_KINDS_OF_MPI);
}

static bool has_openacc(const rf_recording *rec)
{
    return has_rows(rec, RF_KINDS_OF_OPENACC);
}

static bool has_openmp(const rf_recording *rec)
{
    return has_rows(rec, RF_KINDS_OF_OPENMP);
}

static bool has_syscalls(const rf_recording *rec)
{
    return has_rows(rec, RF_KINDS_OF_SYSCALLS);
}

static bool has_cpu_page_faults(const rf_recording *rec)
{
    return has_rows(rec, (struct rf_extra_kinds){RF_EXTRA_CPU_PAGE_FAULT, RF_EXTRA_CPU_PAGE_FAULT});
}

static bool has_nic_metrics(const rf_recording *rec)
{
    return has_rows(rec, (struct rf_extra_kinds){RF_EXTRA_NIC_METRIC, RF_EXTRA_NIC_METRIC});
}

static bool has_unified_memory(const rf_recording *rec)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        if (rf_is_migration(rec, &op[i]))
            return true;
    return has_rows(rec, (struct rf_extra_kinds){RF_EXTRA_CPU_PAGE_FAULT, RF_EXTRA_GPU_PAGE_FAULT});
}

/* ---- What each need is called, and who records it ---- */

#define WITH_CUDA                                                                                  \
    "'rangefinder profile --trace=cuda' records it, if the program uses CUDA; "                    \
    "'rangefinder doctor' checks the machine"
#define BY_NSYS(option) "only Nsight Systems records it (nsys profile " option ")"

static const struct {
    unsigned need; /* enum rf_report_needs */
    bool (*has)(const rf_recording *rec);
    const char *what;
    const char *how;
} needs[] = {
    {RF_NEEDS_RANK, rf_has_rank, "rank of a job",
     "it takes the recordings of all ranks, and --rank-from says which they are"},
    {RF_NEEDS_RANGES, has_ranges, "NVTX range",
     "'rangefinder profile --trace=nvtx' records those that the program pushes or starts"},
    {RF_NEEDS_CUDA_CALLS, has_cuda_calls, "call of CUDA", WITH_CUDA},
    {RF_NEEDS_CUDA, has_cuda, "call of CUDA or GPU work", WITH_CUDA},
    {RF_NEEDS_GPU_WORK, has_gpu_work, "GPU work", WITH_CUDA},
    {RF_NEEDS_KERNELS, has_kernels, "GPU kernel", WITH_CUDA},
    {RF_NEEDS_MEMORY, has_memory_work, "copy or set of GPU memory", WITH_CUDA},
    {RF_NEEDS_OS_CALLS, has_os_calls, "call of the operating system's libraries",
     BY_NSYS("--trace=osrt")},
    {RF_NEEDS_SAMPLES, has_gpu_metrics, "sample of GPU metrics",
     "'rangefinder profile --gpu-metrics-devices=all' records them"},
    {RF_NEEDS_NVTX_COUNTERS, has_nvtx_counters, "counter of NVTX",
     "'rangefinder profile --trace=nvtx' records those that the program samples"},
    {RF_NEEDS_COLLECTIVES, has_collectives, "collective of NCCL or MPI",
     "--collective=NAME names ranges in which ranks wait for each other"},
    {RF_NEEDS_MPI, has_mpi, "event of MPI", BY_NSYS("--trace=mpi")},
    {RF_NEEDS_OPENACC, has_openacc, "event of OpenACC", BY_NSYS("--trace=openacc")},
    {RF_NEEDS_OPENMP, has_openmp, "event of OpenMP", BY_NSYS("--trace=openmp")},
    {RF_NEEDS_UNIFIED_MEMORY, has_unified_memory, "migration or page fault of unified memory",
     BY_NSYS("--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true")},
    {RF_NEEDS_CPU_PAGE_FAULTS, has_cpu_page_faults, "page fault of the CPU in unified memory",
     BY_NSYS("--cuda-um-cpu-page-faults=true")},
    {RF_NEEDS_NIC_METRICS, has_nic_metrics, "metric of a network card",
     BY_NSYS("--nic-metrics=lf")},
    {RF_NEEDS_SYSCALLS, has_syscalls, "system call", BY_NSYS("--trace=syscall")},
};

/* The index of the first need that a recording does not meet, or the number of needs. A rank by
 * itself meets no other one, whatever collectives it has: its table says so. */
static size_t first_missing(const rf_recording *rec, const struct rf_report *report)
{
    const unsigned all = report->needs & ~(report->compute_job != NULL ? RF_NEEDS_COLLECTIVES : 0u);
    size_t i = 0;
    while (i < sizeof(needs) / sizeof(needs[0]) &&
           ((all & needs[i].need) == 0 || needs[i].has(rec)))
        i++;
    return i;
}

bool rf_report_has_data(const rf_recording *rec, const struct rf_report *report)
{
    return first_missing(rec, report) == sizeof(needs) / sizeof(needs[0]);
}

static void say_missing(const struct rf_report *report, size_t need, char *text, size_t size)
{
    if (text != NULL && size > 0)
        (void)snprintf(text, size, "nothing for %s: there is no %s; %s", report->name,
                       needs[need].what, needs[need].how);
}

int rf_report_missing(const rf_recording *rec, const char *name, char *text, size_t size)
{
    const struct rf_report *report = rf_report_list_find(name);
    size_t i = rec != NULL && report != NULL ? first_missing(rec, report) : SIZE_MAX;
    if (i >= sizeof(needs) / sizeof(needs[0]))
        return 0;
    say_missing(report, i, text, size);
    return 1;
}

/* ---- What a summary has ---- */

/* Of what a need can be met by: kinds of sums, as 1 << enum rf_summary_kind; 0: summaries do not
 * say. */
static unsigned kinds_of_need(unsigned need)
{
    const unsigned ranges = 1u << RF_SUMMARY_PUSH_POP | 1u << RF_SUMMARY_START_END;
    const unsigned memory = 1u << RF_SUMMARY_MEMORY, kernels = 1u << RF_SUMMARY_KERNEL;
    switch (need) {
    case RF_NEEDS_RANGES:
        return ranges;
    case RF_NEEDS_CUDA_CALLS:
        return 1u << RF_SUMMARY_CUDA_CALL;
    case RF_NEEDS_CUDA:
        return 1u << RF_SUMMARY_CUDA_CALL | memory | kernels;
    case RF_NEEDS_GPU_WORK:
        return memory | kernels;
    case RF_NEEDS_KERNELS:
        return kernels;
    case RF_NEEDS_MEMORY:
        return memory | 1u << RF_SUMMARY_MEMORY_BYTES;
    case RF_NEEDS_OS_CALLS:
        return 1u << RF_SUMMARY_OS_CALL;
    default:
        return 0;
    }
}

/* Whether an input has counters of a kind, or may have had some. */
static bool may_have_counters(const rf_summary *summary, uint32_t input, uint32_t kind)
{
    const struct rf_summary_counters *all = &summary->counters;
    if (rf_searched_of(&all->searched, input).n_searched < summary->input[input].n_inputs)
        return true;
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].input == input && all->item[i].kind == kind)
            return true;
    return false;
}

/* Likewise collectives. */
static bool may_have_collectives(const rf_summary *summary, uint32_t input)
{
    const struct rf_summary_collectives *all = &summary->collectives;
    const struct rf_searched searched = rf_searched_of(&all->searched, input);
    if (searched.n_searched < summary->input[input].n_inputs || searched.n_left_out > 0)
        return true;
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].input == input)
            return true;
    return false;
}

/* Likewise tallies. */
static bool may_have_tallies(const rf_summary *summary, uint32_t input, uint32_t kind)
{
    const struct rf_tallies *all = &summary->tallies;
    if (rf_searched_of(&all->searched[kind], input).n_searched < summary->input[input].n_inputs)
        return true;
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].key.input == input && all->item[i].key.kind == kind)
            return true;
    return false;
}

/* The kind of tallies by which a need is met; RF_TALLY_N_KINDS: none is. */
static uint32_t tallies_of_need(unsigned need)
{
    switch (need) {
    case RF_NEEDS_MPI:
        return RF_TALLY_MPI;
    case RF_NEEDS_OPENACC:
        return RF_TALLY_OPENACC;
    case RF_NEEDS_OPENMP:
        return RF_TALLY_OPENMP;
    case RF_NEEDS_SYSCALLS:
        return RF_TALLY_SYSCALL;
    case RF_NEEDS_UNIFIED_MEMORY:
        return RF_TALLY_PAGES;
    case RF_NEEDS_CPU_PAGE_FAULTS:
        return RF_TALLY_CPU_FAULT;
    default:
        return RF_TALLY_N_KINDS;
    }
}

static bool summary_has(const rf_summary *summary, uint32_t input, unsigned need)
{
    const unsigned kinds = kinds_of_need(need);
    if (need == RF_NEEDS_SAMPLES)
        return may_have_counters(summary, input, RF_SUMMARY_GPU_METRIC);
    if (need == RF_NEEDS_NVTX_COUNTERS)
        return may_have_counters(summary, input, RF_SUMMARY_NVTX_COUNTER);
    if (need == RF_NEEDS_COLLECTIVES)
        return may_have_collectives(summary, input);
    if (tallies_of_need(need) != RF_TALLY_N_KINDS)
        return may_have_tallies(summary, input, tallies_of_need(need));
    for (size_t i = 0; i < summary->n_rows; i++)
        if (summary->row[i].input == input && (1u << summary->row[i].kind & kinds) != 0)
            return true;
    return kinds == 0;
}

/* Whether no summary has what a report shows. */
static int is_not_summed(const char *name, char *text, size_t size)
{
    struct rf_report_arguments arguments;
    if (rf_report_reads_summaries(name) ||
        rf_report_arguments_read(name, &arguments, NULL) != RF_OK)
        return 0;
    const struct rf_report *report = arguments.report;
    if (text == NULL || size == 0)
        return 1;
    if (rf_report_is_of_sums(report))
        (void)snprintf(text, size,
                       "summaries have one name for each kernel, so that they have not what %s "
                       "shows",
                       name);
    else
        (void)snprintf(text, size, "summaries have not what %s shows%s%s", report->name,
                       report->not_summed != NULL ? ": " : "",
                       report->not_summed != NULL ? report->not_summed : "");
    return 1;
}

int rf_report_missing_in_summary(const rf_summary *summary, uint32_t input, const char *name,
                                 char *text, size_t size)
{
    const struct rf_report *report = rf_report_list_find(name);
    const struct rf_summary_input *of = rf_summary_input_at(summary, input);
    if (summary == NULL)
        return is_not_summed(name, text, size);
    if (report == NULL || of == NULL || of->filter[0] != '\0')
        return 0; /* what a filter leaves out is there */
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if ((report->needs & needs[i].need) == 0 || summary_has(summary, input, needs[i].need))
            continue;
        say_missing(report, i, text, size);
        return 1;
    }
    return 0;
}

int rf_report_is_default(const rf_recording *rec, size_t i)
{
    const struct rf_report *report = rf_report_list_at(i);
    if (report == NULL || !report->is_default)
        return 0;
    return rec == NULL || rf_report_has_data(rec, report) ? 1 : -1;
}

/* Of the sums of ranges, and of calls and GPU work, one is enough for a report. */
static unsigned flags_of_sums(const struct rf_report *report)
{
    const unsigned work = RF_NEEDS_GPU_WORK | RF_NEEDS_KERNELS | RF_NEEDS_MEMORY;
    if (report->needs & RF_NEEDS_RANGES)
        return RF_OPEN_SUMS | RF_OPEN_NO_WORK;
    const unsigned alone = report->needs == RF_NEEDS_CUDA_CALLS ? RF_OPEN_CALLS_ALONE
                           : report->needs != 0 && (report->needs & ~work) == 0 ? RF_OPEN_WORK_ALONE
                                                                                : 0;
    return RF_OPEN_SUMS | RF_OPEN_COUNTS | alone;
}

/* A name may be of several kernels that others tell apart: each naming has sums of its own. */
static unsigned flags_of_range_work(const struct rf_report *report, enum rf_kernel_naming naming)
{
    static const unsigned flags[] = {[RF_NAME_DEMANGLED] = RF_OPEN_RANGE_WORK,
                                     [RF_NAME_BASE] = RF_OPEN_RANGE_WORK_BASE,
                                     [RF_NAME_MANGLED] = RF_OPEN_RANGE_WORK_MANGLED};
    return report->has_no_kernels ? RF_OPEN_ANY_RANGE_WORK | RF_OPEN_NO_RANGE_KERNELS
                                  : flags[naming];
}

unsigned rf_report_open_flags(const char *name)
{
    struct rf_report_arguments arguments;
    if (rf_report_arguments_read(name, &arguments, NULL) != RF_OK)
        return 0;
    const struct rf_report *report = arguments.report;
    unsigned flags = 0;
    if ((report->needs & (RF_NEEDS_SAMPLES | RF_NEEDS_NVTX_COUNTERS)) == 0)
        flags |= RF_OPEN_NO_SAMPLES;
    if (report->is_of_sums && !arguments.with_ranges)
        flags |= flags_of_sums(report);
    if (report->is_of_launches && !arguments.with_ranges)
        flags |= RF_OPEN_LAUNCHES;
    if (report->is_of_range_work)
        flags |= flags_of_range_work(report, arguments.kernel_naming);
    if (report->is_of_paths)
        flags |= RF_OPEN_PATHS | RF_OPEN_NO_STEPS;
    return flags;
}
