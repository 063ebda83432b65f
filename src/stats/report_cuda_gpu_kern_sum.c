/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_gpu_kern_sum: the time in kernels by name. Columns are those of Nsight Systems. */
#include "base/error.h"
#include "stats/groups.h"
#include "stats/kernel_labels.h"
#include "stats/stats.h"

static const struct rf_column columns[] = {
    {"Time (%)", RF_COLUMN_REAL},   {"Total Time (ns)", RF_COLUMN_COUNT},
    {"Instances", RF_COLUMN_COUNT}, {"Avg (ns)", RF_COLUMN_REAL},
    {"Med (ns)", RF_COLUMN_REAL},   {"Min (ns)", RF_COLUMN_COUNT},
    {"Max (ns)", RF_COLUMN_COUNT},  {"StdDev (ns)", RF_COLUMN_REAL},
    {"Name", RF_COLUMN_TEXT},
};

static int collect(struct rf_groups *groups, const rf_recording *rec)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++) {
        if (op[i].kind != RF_OP_KERNEL)
            continue;
        const uint32_t key[RF_GROUP_KEYS] = {rf_kernel_label(rec, &op[i])};
        struct rf_group *group = rf_groups_get(groups, key);
        if (group == NULL ||
            !rf_group_add(group, (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns))
            return 0;
    }
    return 1;
}

static int add_row(struct rf_table *table, const rf_recording *rec, const struct rf_group *group,
                   double all_ns)
{
    const struct rf_durations *m = &group->measured;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return 0;
    row[0].real = all_ns > 0 ? 100 * (double)m->total_ns / all_ns : 0;
    row[1].count = m->total_ns;
    row[2].count = group->n;
    rf_cells_set_durations(&row[3], m);
    return rf_cell_set_string(&row[8], rec, group->key[0]);
}

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    struct rf_groups groups = {0};
    double all_ns = 0;
    rf_table_init(table, "CUDA GPU Kernel Summary", columns, sizeof(columns) / sizeof(columns[0]));
    int is_done = collect(&groups, rec);
    if (is_done) {
        rf_groups_measure(&groups);
        rf_groups_sort(&groups);
    }
    for (size_t i = 0; i < groups.n; i++)
        all_ns += (double)groups.group[i].measured.total_ns;
    for (size_t i = 0; i < groups.n && is_done; i++)
        is_done = add_row(table, rec, &groups.group[i], all_ns);
    rf_groups_release(&groups);
    return is_done ? RF_OK : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

const struct rf_report rf_report_cuda_gpu_kern_sum = {
    .name = "cuda_gpu_kern_sum",
    .alias = "gpukernsum",
    .description = "the time in GPU kernels, by name",
    .shown = RF_REPORT_WITH_GPU_WORK,
    .fill = fill,
};
