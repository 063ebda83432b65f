/* SPDX-License-Identifier: Apache-2.0 */
/* The summaries by name: the time in calls and GPU work, and the sizes of copies and sets. Columns
 * are those of Nsight Systems. */
#include "model/private_access.h"
#include "model/sums/work_sums.h"
#include "stats/column_meanings.h"
#include "stats/group_by.h"
#include "stats/quantile_columns.h"
#include "stats/kernel_names.h"
#include "stats/report.h"
#include "stats/work_labels.h"

enum counted {
    CUDA_CALLS = 1,
    OS_CALLS = 2,
    KERNELS = 4,
    MEMORY = 8, /* copies and sets */
    SIZES = 16, /* of these */
};
enum key { KIND /* enum counted */, NAME };

static const struct rf_column call_columns[] = {
    RF_SUMMARY_COLUMNS("Num Calls", "number of calls"),
    {"Name", RF_COLUMN_WORD, RF_MEANS_FUNCTION},
};
static const struct rf_column kernel_columns[] = {
    RF_SUMMARY_COLUMNS("Instances", "number of kernels"),
    {"Name", RF_COLUMN_WORD, RF_MEANS_KERNEL},
};
static const struct rf_column memory_columns[] = {
    RF_SUMMARY_COLUMNS("Count", "number of copies or sets"),
    {"Operation", RF_COLUMN_WORD, RF_MEANS_OPERATION},
};
static const struct rf_column mixed_columns[] = {
    RF_SUMMARY_COLUMNS("Instances", "number of calls, kernels, copies or sets"),
    {"Category", RF_COLUMN_WORD, "CUDA_API (calls), CUDA_KERNEL or MEMORY_OPER (copies and sets)"},
    {"Operation", RF_COLUMN_WORD,
     "name of the function or kernel, or what a copy or set is called"},
};
static const struct rf_column size_columns[] = {
    {"Total (MB)", RF_COLUMN_MEGA, "sum of the sizes, in 1,000,000 bytes"},
    {"Count", RF_COLUMN_COUNT, "number of copies or sets whose size is known"},
    {"Avg (MB)", RF_COLUMN_MEGA, "mean of the sizes"},
    {"Med (MB)", RF_COLUMN_MEGA, "median of the sizes"},
    {"Min (MB)", RF_COLUMN_MEGA, "smallest size"},
    {"Max (MB)", RF_COLUMN_MEGA, "largest size"},
    {"StdDev (MB)", RF_COLUMN_MEGA, "standard deviation of the sizes, of a sample (n - 1)"},
    {"Operation", RF_COLUMN_WORD, RF_MEANS_OPERATION},
};

static const struct rf_quantile_place time_quantiles[] = {RF_SUMMARY_QUANTILES};
static const struct rf_quantile_place size_quantiles[] = {{7, "", " (MB)", RF_COLUMN_MEGA}};

/* ---- Times ---- */

static bool add(struct rf_group_by *by, uint32_t kind, uint32_t name, uint64_t value)
{
    const uint32_t key[RF_GROUP_KEYS] = {[KIND] = kind, [NAME] = name};
    return rf_group_by_add(by, key, value) != NULL;
}

static bool add_calls(struct rf_group_by *by, const rf_recording *rec, unsigned counted)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n = 0;
        const struct rf_call *call = rf_thread_calls(rec, t, &n);
        for (size_t i = 0; i < n; i++) {
            unsigned kind = call[i].kind == RF_CALL_OS ? OS_CALLS : CUDA_CALLS;
            uint64_t duration_ns = (uint64_t)call[i].end_ns - (uint64_t)call[i].start_ns;
            if (call[i].event_class != 0 && call[i].event_class != RF_OS_CALL_CLASS)
                continue; /* only its start or its end was recorded: nsys leaves it out */
            if ((counted & kind) != 0 && !add(by, kind, call[i].name, duration_ns))
                return false;
        }
    }
    return true;
}

static bool add_kernel(struct rf_group_by *by, struct rf_kernel_names *names,
                       const struct rf_gpu_op *op)
{
    uint32_t name;
    return rf_kernel_names_find(names, op, &name) &&
           add(by, KERNELS, name, (uint64_t)op->end_ns - (uint64_t)op->start_ns);
}

static bool add_work(struct rf_group_by *by, const rf_recording *rec, struct rf_kernel_names *names,
                     unsigned counted)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++) {
        uint64_t duration_ns = (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns;
        bool is_memory = op[i].kind == RF_OP_MEMCPY || op[i].kind == RF_OP_MEMSET;
        if ((counted & KERNELS) != 0 && op[i].kind == RF_OP_KERNEL &&
            !add_kernel(by, names, &op[i]))
            return false;
        if ((counted & MEMORY) != 0 && is_memory &&
            !add(by, MEMORY, rf_memory_code(rec, &op[i]), duration_ns))
            return false;
    }
    return true;
}

/* The same of a recording that has sums of its calls and its work. */
static bool add_sums(struct rf_group_by *by, const struct rf_work_sums *sums,
                     struct rf_kernel_names *names, unsigned counted)
{
    static const unsigned counted_as[] = {
        [RF_WORK_CALL] = CUDA_CALLS, [RF_WORK_KERNEL] = KERNELS,   [RF_WORK_COPY] = MEMORY,
        [RF_WORK_SET] = MEMORY,      [RF_WORK_COPY_BYTES] = SIZES, [RF_WORK_SET_BYTES] = SIZES};
    for (size_t i = 0; i < sums->n; i++) {
        const struct rf_work_sum *sum = &sums->sum[i];
        const unsigned kind = counted_as[sum->key.kind];
        const bool is_set = sum->key.kind == RF_WORK_SET || sum->key.kind == RF_WORK_SET_BYTES;
        uint32_t key[RF_GROUP_KEYS] = {[KIND] = kind == SIZES ? MEMORY : kind,
                                       [NAME] = is_set ? RF_MEMORY_CODE_SET : sum->key.name};
        if ((counted & kind) == 0)
            continue;
        if (kind == KERNELS && !rf_kernel_names_find_sum(names, sum, &key[NAME]))
            return false;
        if (!rf_group_by_add_counts(by, key, &sum->values))
            return false;
    }
    return true;
}

static void set_name(struct rf_cell *cell, const rf_recording *rec,
                     const struct rf_kernel_names *names, const struct rf_group *group)
{
    if (group->key[KIND] == MEMORY)
        rf_cell_set_word(cell, rf_memory_code_label(group->key[NAME]));
    else if (group->key[KIND] == CUDA_CALLS)
        rf_cell_set_function(cell, rec, group->key[NAME]);
    else if (group->key[KIND] == KERNELS)
        rf_kernel_names_set(names, cell, group->key[NAME]);
    else
        rf_cell_set_model_string(cell, rec, group->key[NAME]);
}

static const char *category_label(uint32_t kind)
{
    return kind == CUDA_CALLS ? "CUDA_API" : kind == KERNELS ? "CUDA_KERNEL" : "MEMORY_OPER";
}

static int sum_times(const struct rf_report *report, const rf_recording *rec,
                     struct rf_table *table, struct rf_err *err)
{
    struct rf_group_by by = {.quantiles = &table->quantiles};
    struct rf_kernel_names *names;
    int status = rf_kernel_names_begin_sums(rec, table, &names, err);
    if (status != RF_OK)
        return status;
    const struct rf_work_sums *sums = rf_recording_work_sums(rec);
    bool is_done = sums != NULL ? add_sums(&by, sums, names, report->counted)
                                : add_calls(&by, rec, report->counted) &&
                                      add_work(&by, rec, names, report->counted);
    is_done = rf_group_by_measure(&by) && is_done;
    double all_ns = rf_group_by_total_ns(&by);
    for (size_t i = 0; i < by.n && is_done; i++) {
        struct rf_cell *row = rf_table_add_row(table);
        is_done = row != NULL;
        if (!is_done)
            break;
        rf_row_set_summary(row, &by.group[i].measured, by.group[i].n, all_ns);
        rf_row_set_quantiles(table, row, 0, &by.group[i]);
        if (report->columns == mixed_columns)
            rf_cell_set_word(&row[RF_SUMMARY_N], category_label(by.group[i].key[KIND]));
        set_name(&row[report->n_columns - 1], rec, names, &by.group[i]);
    }
    rf_group_by_release(&by);
    rf_table_sort_by_total(table, RF_SUMMARY_TOTAL);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Sizes ---- */

static bool add_sizes(struct rf_group_by *by, const rf_recording *rec)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++) {
        const struct rf_transfer *transfer = rf_transfer_of(rec, &op[i]);
        if (transfer != NULL && !add(by, MEMORY, rf_memory_code(rec, &op[i]), transfer->bytes))
            return false;
    }
    return true;
}

static bool add_size_row(struct rf_table *table, const struct rf_group *group)
{
    const struct rf_durations *bytes = &group->measured;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    row[0].real = (double)bytes->total_ns;
    row[1].count = group->n;
    row[2].real = bytes->mean_ns;
    row[3].real = bytes->median_ns;
    row[4].real = (double)bytes->min_ns;
    row[5].real = (double)bytes->max_ns;
    row[6].real = bytes->stddev_ns;
    rf_row_set_quantiles(table, row, 0, group);
    rf_cell_set_word(&row[7], rf_memory_code_label(group->key[NAME]));
    return true;
}

static int sum_sizes(const struct rf_report *report, const rf_recording *rec,
                     struct rf_table *table, struct rf_err *err)
{
    struct rf_group_by by = {.quantiles = &table->quantiles};
    const struct rf_work_sums *sums = rf_recording_work_sums(rec);
    (void)err;
    bool is_done = sums != NULL ? add_sums(&by, sums, NULL, report->counted) : add_sizes(&by, rec);
    is_done = rf_group_by_measure(&by) && is_done;
    for (size_t i = 0; i < by.n && is_done; i++)
        is_done = add_size_row(table, &by.group[i]);
    rf_group_by_release(&by);
    rf_table_sort_by_total(table, 0);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- The reports ---- */

const struct rf_report rf_report_osrt_sum = {
    .name = "osrt_sum",
    .description = "the time in calls of the operating system's libraries, by function",
    .is_default = true,
    .needs = RF_NEEDS_OS_CALLS,
    .title = "OS Runtime Summary",
    RF_REPORT_COLUMNS(call_columns),
    RF_REPORT_QUANTILES(time_quantiles),
    .counted = OS_CALLS,
    .compute = sum_times,
};

const struct rf_report rf_report_cuda_api_sum = {
    .name = "cuda_api_sum",
    .description = "the time in calls of CUDA, by function",
    .is_default = true,
    .needs = RF_NEEDS_CUDA_CALLS,
    .is_of_sums = true,
    .title = "CUDA API Summary",
    RF_REPORT_COLUMNS(call_columns),
    RF_REPORT_QUANTILES(time_quantiles),
    .counted = CUDA_CALLS,
    .compute = sum_times,
};

const struct rf_report rf_report_cuda_gpu_kern_sum = {
    .name = "cuda_gpu_kern_sum",
    .description = "the time in GPU kernels, by name",
    .is_default = true,
    .needs = RF_NEEDS_KERNELS,
    .is_of_sums = true,
    .title = "CUDA GPU Kernel Summary",
    RF_REPORT_COLUMNS(kernel_columns),
    RF_REPORT_QUANTILES(time_quantiles),
    .can = RF_CAN_NAME_WORK,
    .counted = KERNELS,
    .compute = sum_times,
};

const struct rf_report rf_report_cuda_gpu_mem_time_sum = {
    .name = "cuda_gpu_mem_time_sum",
    .alias = "gpumemtimesum",
    .description = "the time in copies and sets of the GPU, by kind",
    .is_default = true,
    .needs = RF_NEEDS_MEMORY,
    .is_of_sums = true,
    .title = "CUDA GPU MemOps Summary (by Time)",
    RF_REPORT_COLUMNS(memory_columns),
    RF_REPORT_QUANTILES(time_quantiles),
    .counted = MEMORY,
    .compute = sum_times,
};

const struct rf_report rf_report_cuda_gpu_mem_size_sum = {
    .name = "cuda_gpu_mem_size_sum",
    .alias = "gpumemsizesum",
    .description = "the bytes of copies and sets of the GPU, by kind",
    .is_default = true,
    .needs = RF_NEEDS_MEMORY,
    .is_of_sums = true,
    .title = "CUDA GPU MemOps Summary (by Size)",
    RF_REPORT_COLUMNS(size_columns),
    RF_REPORT_QUANTILES(size_quantiles),
    .counted = SIZES,
    .compute = sum_sizes,
};

const struct rf_report rf_report_cuda_api_gpu_sum = {
    .name = "cuda_api_gpu_sum",
    .alias = "apigpusum",
    .description = "the time in calls of CUDA, kernels, copies and sets, by name",
    .needs = RF_NEEDS_CUDA,
    .is_of_sums = true,
    .title = "CUDA Summary (API/Kernels/MemOps)",
    RF_REPORT_COLUMNS(mixed_columns),
    RF_REPORT_QUANTILES(time_quantiles),
    .can = RF_CAN_NAME_WORK,
    .counted = CUDA_CALLS | KERNELS | MEMORY,
    .compute = sum_times,
};

const struct rf_report rf_report_cuda_gpu_sum = {
    .name = "cuda_gpu_sum",
    .alias = "gpusum",
    .description = "the time in kernels, copies and sets, by name",
    .needs = RF_NEEDS_GPU_WORK,
    .is_of_sums = true,
    .title = "CUDA GPU Summary (Kernels/MemOps)",
    RF_REPORT_COLUMNS(mixed_columns),
    RF_REPORT_QUANTILES(time_quantiles),
    .can = RF_CAN_NAME_WORK,
    .counted = KERNELS | MEMORY,
    .compute = sum_times,
};
