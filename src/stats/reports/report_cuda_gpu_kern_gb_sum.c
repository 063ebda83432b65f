/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_gpu_kern_gb_sum: the time in kernels by name and by the size of their grid and blocks.
 * Columns are those of Nsight Systems. */
#include <stdio.h>

#include "base/error.h"
#include "stats/group_by.h"
#include "stats/kernel_labels.h"
#include "stats/stats.h"

enum { SHARE, TOTAL, INSTANCES, FIGURES, GRID = 8, BLOCK, NAME };

static const struct rf_column columns[] = {
    {"Time (%)", RF_COLUMN_REAL},   {"Total Time (ns)", RF_COLUMN_COUNT},
    {"Instances", RF_COLUMN_COUNT}, {"Avg (ns)", RF_COLUMN_REAL},
    {"Med (ns)", RF_COLUMN_REAL},   {"Min (ns)", RF_COLUMN_COUNT},
    {"Max (ns)", RF_COLUMN_COUNT},  {"StdDev (ns)", RF_COLUMN_REAL},
    {"GridXYZ", RF_COLUMN_TEXT},    {"BlockXYZ", RF_COLUMN_TEXT},
    {"Name", RF_COLUMN_WORD},
};

/* A size has 32 bits each way, and a key of a group five numbers: those of one size have the key of
 * the first. */
enum key { KEY_NAME, KEY_GRID_XY, KEY_GRID_Z, KEY_BLOCK_XY, KEY_BLOCK_Z };

struct summary {
    const rf_recording *rec;
    struct rf_groups sizes; /* x and y of a size by their index */
    struct rf_groups groups;
};

/* The number of a pair, from 0; UINT32_MAX: out of memory. */
static uint32_t pair_of(struct summary *sum, uint32_t x, uint32_t y)
{
    const uint32_t key[RF_GROUP_KEYS] = {x, y};
    const struct rf_group *group = rf_groups_get(&sum->sizes, key);
    return group != NULL ? (uint32_t)(group - sum->sizes.group) : UINT32_MAX;
}

static int add_kernel(struct summary *sum, const struct rf_gpu_op *op)
{
    static const struct rf_kernel nothing;
    const struct rf_kernel *kernel =
        op->detail != RF_NO_INDEX ? rf_kernel_at(sum->rec, op->detail) : &nothing;
    const uint32_t grid = pair_of(sum, kernel->grid[0], kernel->grid[1]);
    const uint32_t block = pair_of(sum, kernel->block[0], kernel->block[1]);
    const uint32_t key[RF_GROUP_KEYS] = {[KEY_NAME] = rf_kernel_label(sum->rec, op),
                                         [KEY_GRID_XY] = grid,
                                         [KEY_GRID_Z] = kernel->grid[2],
                                         [KEY_BLOCK_XY] = block,
                                         [KEY_BLOCK_Z] = kernel->block[2]};
    struct rf_group *group = rf_groups_get(&sum->groups, key);
    return grid != UINT32_MAX && block != UINT32_MAX && group != NULL &&
           rf_group_add(group, (uint64_t)op->end_ns - (uint64_t)op->start_ns);
}

static int set_size(struct rf_cell *cell, const struct summary *sum, uint32_t xy, uint32_t z)
{
    char text[48];
    const uint32_t *pair = sum->sizes.group[xy].key;
    int n = snprintf(text, sizeof(text), "%4u %4u %4u", pair[0], pair[1], z);
    return rf_cell_set_text(cell, text, (size_t)n);
}

static int add_row(struct rf_table *table, const struct summary *sum, const struct rf_group *group,
                   double all_ns)
{
    const struct rf_durations *m = &group->measured;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return 0;
    row[SHARE].real = all_ns > 0 ? 100 * (double)m->total_ns / all_ns : 0;
    row[TOTAL].count = m->total_ns;
    row[INSTANCES].count = group->n;
    rf_cells_set_durations(&row[FIGURES], m);
    rf_cell_set_model_string(&row[NAME], sum->rec, group->key[KEY_NAME]);
    return set_size(&row[GRID], sum, group->key[KEY_GRID_XY], group->key[KEY_GRID_Z]) &&
           set_size(&row[BLOCK], sum, group->key[KEY_BLOCK_XY], group->key[KEY_BLOCK_Z]);
}

static int collect(struct summary *sum)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(sum->rec, &n);
    for (size_t i = 0; i < n; i++)
        if (op[i].kind == RF_OP_KERNEL && !add_kernel(sum, &op[i]))
            return 0;
    rf_groups_measure(&sum->groups);
    return 1;
}

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    struct summary sum = {.rec = rec};
    double all_ns = 0;
    rf_table_init(table, "CUDA GPU Kernel/Grid/Block Summary", columns,
                  sizeof(columns) / sizeof(columns[0]));
    int is_done = collect(&sum);
    for (size_t i = 0; i < sum.groups.n && is_done; i++)
        all_ns += (double)sum.groups.group[i].measured.total_ns;
    for (size_t i = 0; i < sum.groups.n && is_done; i++)
        is_done = add_row(table, &sum, &sum.groups.group[i], all_ns);
    rf_groups_release(&sum.groups);
    rf_groups_release(&sum.sizes);
    rf_table_sort_by_total(table, TOTAL);
    return is_done ? RF_OK : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

const struct rf_report rf_report_cuda_gpu_kern_gb_sum = {
    .name = "cuda_gpu_kern_gb_sum",
    .alias = "gpukernsum",
    .description = "the time in GPU kernels, by name and size of grid and blocks",
    .shown = RF_REPORT_ON_REQUEST,
    .fill = fill,
};
