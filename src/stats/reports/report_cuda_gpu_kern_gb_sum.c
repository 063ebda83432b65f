/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_gpu_kern_gb_sum: the time in kernels by name and by the size of their grid and blocks.
 * Columns are those of Nsight Systems. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/private_access.h"
#include "stats/column_meanings.h"
#include "stats/group_by.h"
#include "stats/kernel_names.h"
#include "stats/work_labels.h"
#include "stats/quantile_columns.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/tally_rows.h"
#include "summary/collect.h"

enum { GRID = RF_SUMMARY_N, BLOCK, NAME };

static const struct rf_column columns[] = {
    RF_SUMMARY_COLUMNS("Instances", "number of kernels"),
    {"GridXYZ", RF_COLUMN_TEXT, RF_MEANS_GRID},
    {"BlockXYZ", RF_COLUMN_TEXT, RF_MEANS_BLOCK},
    {"Name", RF_COLUMN_WORD, RF_MEANS_KERNEL},
};

static const struct rf_quantile_place quantile_places[] = {RF_SUMMARY_QUANTILES};

/* A size has three numbers of 32 bits, and a key has room for five: x and y become the index of
 * their pair. */
enum key { KEY_NAME, KEY_GRID_XY, KEY_GRID_Z, KEY_BLOCK_XY, KEY_BLOCK_Z };

struct summary {
    const rf_recording *rec;
    struct rf_kernel_names *names;
    struct rf_group_by pairs; /* of x and y */
    struct rf_group_by kernels;
};

/* The number of a pair, from 0; UINT32_MAX: out of memory. */
static uint32_t index_of_pair(struct summary *sum, uint32_t x, uint32_t y)
{
    const uint32_t key[RF_GROUP_KEYS] = {x, y};
    const struct rf_group *group = rf_group_by_get(&sum->pairs, key);
    return group != NULL ? (uint32_t)(group - sum->pairs.group) : UINT32_MAX;
}

/* false: out of memory. */
static bool set_key(struct summary *sum, uint32_t key[RF_GROUP_KEYS], uint32_t name,
                    const uint32_t grid[3], const uint32_t block[3])
{
    key[KEY_NAME] = name;
    key[KEY_GRID_XY] = index_of_pair(sum, grid[0], grid[1]);
    key[KEY_GRID_Z] = grid[2];
    key[KEY_BLOCK_XY] = index_of_pair(sum, block[0], block[1]);
    key[KEY_BLOCK_Z] = block[2];
    return key[KEY_GRID_XY] != UINT32_MAX && key[KEY_BLOCK_XY] != UINT32_MAX;
}

static bool add_kernel(struct summary *sum, const struct rf_gpu_op *op)
{
    static const struct rf_kernel nothing;
    const struct rf_kernel *recorded = rf_kernel_of(sum->rec, op);
    const struct rf_kernel *kernel = recorded != NULL ? recorded : &nothing;
    uint32_t name, key[RF_GROUP_KEYS];
    return rf_kernel_names_find(sum->names, op, &name) &&
           set_key(sum, key, name, kernel->grid, kernel->block) &&
           rf_group_by_add(&sum->kernels, key, (uint64_t)op->end_ns - (uint64_t)op->start_ns) !=
               NULL;
}

/* The same of a recording that has sums of its work. */
static bool add_sums(struct summary *sum, const struct rf_work_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++) {
        const struct rf_work_sum *from = &sums->sum[i];
        uint32_t name, key[RF_GROUP_KEYS];
        if (from->key.kind != RF_WORK_KERNEL)
            continue;
        const struct rf_work_shape *shape = &sums->shape[from->key.shape];
        if (!rf_kernel_names_find_sum(sum->names, from, &name) ||
            !set_key(sum, key, name, shape->grid, shape->block) ||
            !rf_group_by_add_counts(&sum->kernels, key, &from->values))
            return false;
    }
    return true;
}

static bool set_size(struct rf_cell *cell, const struct summary *sum, uint32_t xy, uint32_t z)
{
    char text[48];
    const uint32_t *pair = sum->pairs.group[xy].key;
    int n = snprintf(text, sizeof(text), "%4u %4u %4u", pair[0], pair[1], z);
    return rf_cell_set_text(cell, text, (size_t)n);
}

static bool add_row(struct rf_table *table, const struct summary *sum, const struct rf_group *group,
                    double all_ns)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_row_set_summary(row, &group->measured, group->n, all_ns);
    rf_row_set_quantiles(table, row, 0, group);
    rf_kernel_names_set(sum->names, &row[NAME], group->key[KEY_NAME]);
    return set_size(&row[GRID], sum, group->key[KEY_GRID_XY], group->key[KEY_GRID_Z]) &&
           set_size(&row[BLOCK], sum, group->key[KEY_BLOCK_XY], group->key[KEY_BLOCK_Z]);
}

static bool collect(struct summary *sum)
{
    const struct rf_work_sums *sums = rf_recording_work_sums(sum->rec);
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(sum->rec, &n);
    if (sums != NULL && !add_sums(sum, sums))
        return false;
    for (size_t i = 0; i < n; i++)
        if (op[i].kind == RF_OP_KERNEL && !add_kernel(sum, &op[i]))
            return false;
    return rf_group_by_measure(&sum->kernels);
}

static int sum_kernels(const struct rf_report *report, const rf_recording *rec,
                       struct rf_table *table, struct rf_err *err)
{
    struct summary sum = {.rec = rec, .kernels = {.quantiles = &table->quantiles}};
    (void)report;
    int status = rf_kernel_names_begin_sums(rec, table, &sum.names, err);
    if (status != RF_OK)
        return status;
    bool is_done = collect(&sum);
    double all_ns = rf_group_by_total_ns(&sum.kernels);
    for (size_t i = 0; i < sum.kernels.n && is_done; i++)
        is_done = add_row(table, &sum, &sum.kernels.group[i], all_ns);
    rf_group_by_release(&sum.kernels);
    rf_group_by_release(&sum.pairs);
    rf_table_sort_by_total(table, RF_SUMMARY_TOTAL);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Of summaries: the detail of a tally is the grid and the block, six numbers ---- */

/* The sizes of the kernel that was looked at last, which most often are those of the next one. */
struct sizes {
    uint32_t grid[3], block[3];
    uint32_t text; /* RF_NO_STRING: none was */
};

static uint32_t add_sizes(struct rf_collecting *c, const struct rf_kernel *kernel,
                          struct sizes *last)
{
    const uint32_t *grid = kernel->grid, *block = kernel->block;
    char text[96];
    if (last->text != RF_NO_STRING && memcmp(last->grid, grid, sizeof(last->grid)) == 0 &&
        memcmp(last->block, block, sizeof(last->block)) == 0)
        return last->text;
    memcpy(last->grid, grid, sizeof(last->grid));
    memcpy(last->block, block, sizeof(last->block));
    (void)snprintf(text, sizeof(text), "%u %u %u %u %u %u", grid[0], grid[1], grid[2], block[0],
                   block[1], block[2]);
    return last->text = rf_collect_text(c, text);
}

static void collect_kernels(const struct rf_report *report, struct rf_collecting *c)
{
    static const struct rf_kernel nothing;
    struct sizes last = {.text = RF_NO_STRING};
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(c->rec, &n);
    (void)report;
    if (rf_recording_named_work(c->rec) != NULL)
        return; /* their sizes are not known */
    rf_collect_searched(c, RF_TALLY_KERNEL_SHAPE);
    for (size_t i = 0; i < n && c->status == RF_OK; i++) {
        if (op[i].kind != RF_OP_KERNEL)
            continue;
        const struct rf_kernel *recorded = rf_kernel_of(c->rec, &op[i]);
        const struct rf_kernel *kernel = recorded != NULL ? recorded : &nothing;
        struct rf_tally_key key = RF_TALLY_NO_KEY;
        key.kind = RF_TALLY_KERNEL_SHAPE;
        key.name = rf_collect_string(c, rf_kernel_label(c->rec, &op[i]));
        key.detail = add_sizes(c, kernel, &last);
        rf_collect_tally(c, &key, (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns);
    }
}

/* Sizes as set_size() shows them; "None" for none. */
static bool set_summary_sizes(struct rf_cell *row, const rf_summary *summary, uint32_t string)
{
    size_t n;
    char text[48], *next = NULL;
    const char *from = rf_summary_text(summary, string, &n);
    if (from == NULL)
        return rf_cell_set_text(&row[GRID], "None", 4) && rf_cell_set_text(&row[BLOCK], "None", 4);
    for (int cell = GRID; cell <= BLOCK; cell++, from = next) {
        unsigned size[3];
        for (int i = 0; i < 3; i++, from = next)
            size[i] = (unsigned)strtoul(from, &next, 10);
        const int used = snprintf(text, sizeof(text), "%4u %4u %4u", size[0], size[1], size[2]);
        if (!rf_cell_set_text(&row[cell], text, (size_t)used))
            return false;
    }
    return true;
}

static bool add_tally(const struct rf_tally_rows *rows, const struct rf_tally *tally)
{
    const struct rf_durations measured = rf_summary_measure(&tally->values);
    struct rf_cell *row = rf_table_add_row(rows->table);
    if (row == NULL)
        return false;
    rf_row_set_summary(row, &measured, tally->values.n, rows->total);
    rf_row_set_summary_quantiles(rows->table, row, 0, &tally->values);
    return set_summary_sizes(row, rows->summary, tally->key.detail) &&
           rf_cell_set_tally_name(&row[NAME], rows->summary, &tally->key);
}

static int show_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                        struct rf_table *table, struct rf_err *err)
{
    const enum rf_tally_kind kind = RF_TALLY_KERNEL_SHAPE;
    (void)err;
    const int status =
        rf_tally_rows_add(report, summary, input, kind, table, RF_SUMMARY_TOTAL, add_tally);
    if (status == RF_OK)
        rf_tally_rows_add_notes(report, table, summary, input, kind);
    return status;
}

const struct rf_report rf_report_cuda_gpu_kern_gb_sum = {
    .name = "cuda_gpu_kern_gb_sum",
    .alias = "gpukernsum",
    .description = "the time in GPU kernels, by name and size of grid and blocks",
    .needs = RF_NEEDS_KERNELS,
    .title = "CUDA GPU Kernel/Grid/Block Summary",
    RF_REPORT_COLUMNS(columns),
    RF_REPORT_QUANTILES(quantile_places),
    .is_of_sums = true,
    .can = RF_CAN_NAME_WORK,
    .compute = sum_kernels,
    .compute_summary = show_summary,
    .tallies = 1 + RF_TALLY_KERNEL_SHAPE,
    .collect = collect_kernels,
};
