/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/reports/name_sum.h"

#include "base/error.h"
#include "model/private_access.h"
#include "stats/group_by.h"
#include "stats/kernel_labels.h"
#include "stats/kernel_launches.h"
#include "stats/work_labels.h"

const struct rf_column rf_call_columns[RF_N_CALL_COLUMNS] = {
    {"Time (%)", RF_COLUMN_REAL},   {"Total Time (ns)", RF_COLUMN_COUNT},
    {"Num Calls", RF_COLUMN_COUNT}, {"Avg (ns)", RF_COLUMN_REAL},
    {"Med (ns)", RF_COLUMN_REAL},   {"Min (ns)", RF_COLUMN_COUNT},
    {"Max (ns)", RF_COLUMN_COUNT},  {"StdDev (ns)", RF_COLUMN_REAL},
    {"Name", RF_COLUMN_WORD},
};

enum key { CATEGORY, NAME };

static int add(struct rf_groups *groups, uint32_t category, uint32_t name, uint64_t value)
{
    const uint32_t key[RF_GROUP_KEYS] = {[CATEGORY] = category, [NAME] = name};
    struct rf_group *group = rf_groups_get(groups, key);
    return group != NULL && rf_group_add(group, value);
}

static int add_calls(struct rf_groups *groups, const rf_recording *rec, unsigned parts)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n = 0;
        const struct rf_call *call = rf_thread_calls(rec, t, &n);
        for (size_t i = 0; i < n; i++) {
            unsigned part = call[i].kind == RF_CALL_OS ? RF_SUM_OS_CALLS : RF_SUM_CUDA_CALLS;
            uint64_t duration = (uint64_t)call[i].end_ns - (uint64_t)call[i].start_ns;
            if (call[i].event_class != 0 && call[i].event_class != RF_OS_CALL_CLASS)
                continue; /* its start or end alone was seen: nsys leaves it out */
            if ((parts & part) != 0 && !add(groups, part, call[i].name, duration))
                return 0;
        }
    }
    return 1;
}

static int add_work(struct rf_groups *groups, const rf_recording *rec, unsigned parts)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++) {
        uint64_t duration = (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns;
        int is_memory = op[i].kind == RF_OP_MEMCPY || op[i].kind == RF_OP_MEMSET;
        if ((parts & RF_SUM_KERNELS) != 0 && op[i].kind == RF_OP_KERNEL &&
            !add(groups, RF_SUM_KERNELS, rf_kernel_label(rec, &op[i]), duration))
            return 0;
        if ((parts & RF_SUM_MEMORY) != 0 && is_memory &&
            !add(groups, RF_SUM_MEMORY, rf_memory_code(rec, &op[i]), duration))
            return 0;
    }
    return 1;
}

static void set_name(struct rf_cell *cell, const rf_recording *rec, const struct rf_group *group)
{
    if (group->key[CATEGORY] == RF_SUM_MEMORY)
        rf_cell_set_word(cell, rf_memory_code_label(group->key[NAME]));
    else if (group->key[CATEGORY] == RF_SUM_CUDA_CALLS)
        rf_cell_set_function(cell, rec, group->key[NAME]);
    else
        rf_cell_set_model_string(cell, rec, group->key[NAME]);
}

static const char *category_label(uint32_t category)
{
    switch (category) {
    case RF_SUM_CUDA_CALLS:
        return "CUDA_API";
    case RF_SUM_KERNELS:
        return "CUDA_KERNEL";
    case RF_SUM_MEMORY:
        return "MEMORY_OPER";
    default:
        return "OS_RUNTIME";
    }
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
    if (table->n_columns == 10)
        rf_cell_set_word(&row[8], category_label(group->key[CATEGORY]));
    set_name(&row[table->n_columns - 1], rec, group);
    return 1;
}

int rf_fill_name_sum(const rf_recording *rec, struct rf_table *table, const char *title,
                     const struct rf_column *columns, size_t n_columns, unsigned parts,
                     struct rf_err *err)
{
    struct rf_groups groups = {0};
    double all_ns = 0;
    rf_table_init(table, title, columns, n_columns);
    int is_done = add_calls(&groups, rec, parts) && add_work(&groups, rec, parts);
    if (is_done)
        rf_groups_measure(&groups);
    for (size_t i = 0; i < groups.n && is_done; i++)
        all_ns += (double)groups.group[i].measured.total_ns;
    for (size_t i = 0; i < groups.n && is_done; i++)
        is_done = add_row(table, rec, &groups.group[i], all_ns);
    rf_groups_release(&groups);
    rf_table_sort_by_total(table, 1);
    return is_done ? RF_OK : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

/* ---- Sizes ---- */

static int add_sizes(struct rf_groups *groups, const rf_recording *rec)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++) {
        const struct rf_transfer *transfer = rf_transfer_of(rec, &op[i]);
        if (transfer != NULL &&
            !add(groups, RF_SUM_MEMORY, rf_memory_code(rec, &op[i]), transfer->bytes))
            return 0;
    }
    return 1;
}

static int add_size_row(struct rf_table *table, const struct rf_group *group)
{
    const struct rf_durations *m = &group->measured;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return 0;
    row[0].real = (double)m->total_ns;
    row[1].count = group->n;
    row[2].real = m->mean_ns;
    row[3].real = m->median_ns;
    row[4].real = (double)m->min_ns;
    row[5].real = (double)m->max_ns;
    row[6].real = m->stddev_ns;
    rf_cell_set_word(&row[7], rf_memory_code_label(group->key[NAME]));
    return 1;
}

int rf_fill_size_sum(const rf_recording *rec, struct rf_table *table, const char *title,
                     const struct rf_column *columns, size_t n_columns, struct rf_err *err)
{
    struct rf_groups groups = {0};
    rf_table_init(table, title, columns, n_columns);
    int is_done = add_sizes(&groups, rec);
    if (is_done)
        rf_groups_measure(&groups);
    for (size_t i = 0; i < groups.n && is_done; i++)
        is_done = add_size_row(table, &groups.group[i]);
    rf_groups_release(&groups);
    rf_table_sort_by_total(table, 0);
    return is_done ? RF_OK : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}
