/* SPDX-License-Identifier: Apache-2.0 */
/* The summaries of unified memory: pages that moved between host and device, and page faults.
 * Columns are those of Nsight Systems. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/private_access.h"
#include "model/sums/range_sums.h"
#include "model/sums/work_sums.h"
#include "stats/column_meanings.h"
#include "stats/extra_values.h"
#include "stats/group_by.h"
#include "stats/report.h"
#include "stats/tally_rows.h"
#include "stats/work_labels.h"
#include "summary/collect.h"

static const struct rf_column page_columns[] = {
    {"Virtual Address", RF_COLUMN_LABEL, "address of the pages"},
    {"HtoD Migration Size (MB)", RF_COLUMN_MEGA,
     "bytes that moved from host to device, in 1,000,000 bytes; None: nothing moved"},
    {"DtoH Migration Size (MB)", RF_COLUMN_MEGA,
     "bytes that moved from device to host, in 1,000,000 bytes; None: nothing moved"},
    {"CPU Page Faults", RF_COLUMN_SIGNED, "number of page faults of the CPU; None: no such fault"},
    {"GPU Page Faults", RF_COLUMN_SIGNED, "number of page faults of GPUs; None: no such fault"},
    {"Migration Throughput (MBps)", RF_COLUMN_MEGA,
     "bytes that moved by the time that it took, in 1,000,000 bytes per second; None: nothing "
     "moved"},
};
static const struct rf_column total_columns[] = {
    {"Total HtoD Migration Size (MB)", RF_COLUMN_MEGA,
     "bytes that moved from host to device, in 1,000,000 bytes; None: nothing moved"},
    {"Total DtoH Migration Size (MB)", RF_COLUMN_MEGA,
     "bytes that moved from device to host, in 1,000,000 bytes; None: nothing moved"},
    {"Total CPU Page Faults", RF_COLUMN_COUNT, "number of page faults of the CPU"},
    {"Total GPU PageFaults", RF_COLUMN_SIGNED,
     "number of page faults of GPUs; None: no such fault"},
    {"Minimum Virtual Address", RF_COLUMN_LABEL, "lowest address of these; None: no address"},
    {"Maximum Virtual Address", RF_COLUMN_LABEL, "highest address of these; None: no address"},
};
static const struct rf_column fault_columns[] = {
    {"CPU Page Faults", RF_COLUMN_COUNT, "number of page faults of the CPU"},
    {"CPU Instruction Address", RF_COLUMN_WORD, "the instruction that caused them"},
};

/* ---- By address ---- */

/* What sums[] of a group hold. last has a bit for each of them that the address has at all. */
enum sum { TO_DEVICE, TO_HOST, CPU_FAULTS, GPU_FAULTS, MOVING_NS };

static bool add_value(struct rf_group_by *by, uint64_t address, enum sum sum, uint64_t value,
                      uint64_t moving_ns)
{
    const uint32_t key[RF_GROUP_KEYS] = {(uint32_t)(address >> 32), (uint32_t)address};
    struct rf_group *group = rf_group_by_get(by, key);
    if (group == NULL)
        return false;
    group->sums[sum] += value;
    group->sums[MOVING_NS] += moving_ns;
    group->last |= 1u << sum;
    return true;
}

static bool add_moves(struct rf_group_by *by, const rf_recording *rec)
{
    size_t n = 0;
    bool is_done = true;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n && is_done; i++) {
        if (!rf_is_migration(rec, &op[i]))
            continue;
        const struct rf_transfer *transfer = rf_transfer_of(rec, &op[i]);
        is_done = add_value(by, transfer->address,
                            transfer->copy_kind == RF_MIGRATION_TO_DEVICE ? TO_DEVICE : TO_HOST,
                            transfer->bytes, (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns);
    }
    return is_done;
}

static bool add_faults(struct rf_group_by *by, const rf_recording *rec)
{
    const struct rf_extra_kinds kinds = {RF_EXTRA_CPU_PAGE_FAULT, RF_EXTRA_GPU_PAGE_FAULT};
    const struct rf_extra *extra;
    bool is_done = true;
    for (size_t i = 0; is_done && (extra = rf_extra_next(rec, kinds, &i)) != NULL;) {
        uint64_t address = (uint64_t)rf_extra_number(rec, extra, "address", 0);
        bool is_gpu = extra->kind == RF_EXTRA_GPU_PAGE_FAULT;
        int64_t n = is_gpu ? rf_extra_number(rec, extra, "numberOfPageFaults", 0) : 1;
        is_done =
            add_value(by, address, is_gpu ? GPU_FAULTS : CPU_FAULTS, n > 0 ? (uint64_t)n : 0, 0);
    }
    return is_done;
}

static bool has(const struct rf_group *group, enum sum sum)
{
    return (group->last & 1u << sum) != 0;
}

static double bytes_of(const struct rf_group *group, enum sum sum)
{
    return has(group, sum) ? (double)group->sums[sum] : NAN;
}

static int64_t count_of(const struct rf_group *group, enum sum sum)
{
    return has(group, sum) ? (int64_t)group->sums[sum] : RF_NO_TIME;
}

static uint64_t address_of(const struct rf_group *group)
{
    return (uint64_t)group->key[0] << 32 | group->key[1];
}

#define ADDRESS "0x%llX"

static bool set_address(struct rf_cell *cell, uint64_t address)
{
    char text[24];
    int n = snprintf(text, sizeof(text), ADDRESS, (unsigned long long)address);
    return rf_cell_set_text(cell, text, (size_t)n);
}

/* Fills all but the address. */
static void set_page_row(struct rf_cell *row, const struct rf_group *group)
{
    row[1].real = bytes_of(group, TO_DEVICE);
    row[2].real = bytes_of(group, TO_HOST);
    row[3].time = count_of(group, CPU_FAULTS);
    row[4].time = count_of(group, GPU_FAULTS);
    row[5].real = group->sums[MOVING_NS] > 0
                      ? ((double)group->sums[TO_DEVICE] + (double)group->sums[TO_HOST]) * 1e9 /
                            (double)group->sums[MOVING_NS]
                      : NAN;
}

static bool add_page_row(struct rf_table *table, const struct rf_group *group)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL || !set_address(&row[0], address_of(group)))
        return false;
    set_page_row(row, group);
    return true;
}

static int sum_pages(const struct rf_report *report, const rf_recording *rec,
                     struct rf_table *table, struct rf_err *err)
{
    struct rf_group_by by = {0};
    (void)report;
    (void)err;
    bool is_done = add_moves(&by, rec) && add_faults(&by, rec);
    for (size_t i = 0; i < by.n && is_done; i++)
        is_done = add_page_row(table, &by.group[i]);
    rf_group_by_release(&by);
    rf_table_sort_by_total(table, 5);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- In all ---- */

/* Adds the sums of all addresses, and finds the lowest and highest. */
static struct rf_group add_up(const struct rf_group_by *by, uint64_t *lowest, uint64_t *highest)
{
    struct rf_group all = {.last = 0};
    for (size_t i = 0; i < by->n; i++) {
        uint64_t address = address_of(&by->group[i]);
        for (int sum = TO_DEVICE; sum <= GPU_FAULTS; sum++)
            all.sums[sum] += by->group[i].sums[sum];
        all.last |= by->group[i].last;
        *lowest = i == 0 || address < *lowest ? address : *lowest;
        *highest = address > *highest ? address : *highest;
    }
    return all;
}

static bool add_total_row(struct rf_table *table, const struct rf_group *all, uint64_t lowest,
                          uint64_t highest)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    row[0].real = bytes_of(all, TO_DEVICE);
    row[1].real = bytes_of(all, TO_HOST);
    row[2].count = all->sums[CPU_FAULTS];
    row[3].time = count_of(all, GPU_FAULTS);
    return set_address(&row[4], lowest) && set_address(&row[5], highest);
}

static int sum_totals(const struct rf_report *report, const rf_recording *rec,
                      struct rf_table *table, struct rf_err *err)
{
    struct rf_group_by by = {0};
    uint64_t lowest = 0, highest = 0;
    (void)report;
    (void)err;
    bool is_done = add_moves(&by, rec) && add_faults(&by, rec);
    const struct rf_group all = add_up(&by, &lowest, &highest);
    is_done = is_done && (by.n == 0 || add_total_row(table, &all, lowest, highest));
    rf_group_by_release(&by);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- By instruction ---- */

static int sum_instructions(const struct rf_report *report, const rf_recording *rec,
                            struct rf_table *table, struct rf_err *err)
{
    const struct rf_extra_kinds kinds = {RF_EXTRA_CPU_PAGE_FAULT, RF_EXTRA_CPU_PAGE_FAULT};
    struct rf_group_by by = {0};
    const struct rf_extra *extra;
    bool is_done = true;
    (void)report;
    (void)err;
    for (size_t i = 0; is_done && (extra = rf_extra_next(rec, kinds, &i)) != NULL;) {
        struct rf_group *group = rf_group_by_get(&by, (uint32_t[RF_GROUP_KEYS]){extra->name});
        is_done = group != NULL;
        if (is_done)
            group->sums[CPU_FAULTS]++;
    }
    for (size_t i = 0; i < by.n && is_done; i++) {
        struct rf_cell *row = rf_table_add_row(table);
        is_done = row != NULL;
        if (!is_done)
            break;
        row[0].count = by.group[i].sums[CPU_FAULTS];
        rf_cell_set_model_string(&row[1], rec, by.group[i].key[0]);
    }
    rf_group_by_release(&by);
    rf_table_sort_by_total(table, 0);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Of summaries: the values of a tally of an address are the durations of the moves ---- */

/* Whether copies were added up as they were read, pages that moved among them. */
static bool has_moves_in_sums(const rf_recording *rec)
{
    const struct rf_sums *sums = rf_recording_named_work(rec);
    for (size_t i = 0; sums != NULL && i < sums->n; i++)
        if (sums->sum[i].key.kind == RF_WORK_COPY &&
            (sums->sum[i].key.name == RF_MIGRATION_TO_DEVICE ||
             sums->sum[i].key.name == RF_MIGRATION_TO_HOST))
            return true;
    return false;
}

static struct rf_tally_key key_of_address(struct rf_collecting *c, uint64_t address)
{
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    char text[24];
    (void)snprintf(text, sizeof(text), ADDRESS, (unsigned long long)address);
    key.kind = RF_TALLY_PAGES;
    key.name = rf_collect_text(c, text);
    return key;
}

static void collect_moves(struct rf_collecting *c)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(c->rec, &n);
    for (size_t i = 0; i < n && c->status == RF_OK; i++) {
        if (!rf_is_migration(c->rec, &op[i]))
            continue;
        const struct rf_transfer *transfer = rf_transfer_of(c->rec, &op[i]);
        const struct rf_tally_key key = key_of_address(c, transfer->address);
        const bool is_to_device = transfer->copy_kind == RF_MIGRATION_TO_DEVICE;
        rf_collect_tally(c, &key, (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns);
        rf_collect_tally_sum(c, &key, is_to_device ? TO_DEVICE : TO_HOST, transfer->bytes);
    }
}

static void collect_faults(struct rf_collecting *c)
{
    const struct rf_extra_kinds kinds = {RF_EXTRA_CPU_PAGE_FAULT, RF_EXTRA_GPU_PAGE_FAULT};
    const struct rf_extra *extra;
    for (size_t i = 0; c->status == RF_OK && (extra = rf_extra_next(c->rec, kinds, &i)) != NULL;) {
        const bool is_gpu = extra->kind == RF_EXTRA_GPU_PAGE_FAULT;
        const int64_t n = is_gpu ? rf_extra_number(c->rec, extra, "numberOfPageFaults", 0) : 1;
        const struct rf_tally_key key =
            key_of_address(c, (uint64_t)rf_extra_number(c->rec, extra, "address", 0));
        rf_collect_tally_sum(c, &key, is_gpu ? GPU_FAULTS : CPU_FAULTS, n > 0 ? (uint64_t)n : 0);
    }
}

static void collect_pages(const struct rf_report *report, struct rf_collecting *c)
{
    (void)report;
    if (has_moves_in_sums(c->rec))
        return; /* their addresses are not known */
    rf_collect_searched(c, RF_TALLY_PAGES);
    collect_moves(c);
    collect_faults(c);
}

static void collect_instructions(const struct rf_report *report, struct rf_collecting *c)
{
    const struct rf_extra_kinds kinds = {RF_EXTRA_CPU_PAGE_FAULT, RF_EXTRA_CPU_PAGE_FAULT};
    const struct rf_extra *extra;
    (void)report;
    rf_collect_searched(c, RF_TALLY_CPU_FAULT);
    for (size_t i = 0; c->status == RF_OK && (extra = rf_extra_next(c->rec, kinds, &i)) != NULL;) {
        struct rf_tally_key key = RF_TALLY_NO_KEY;
        key.kind = RF_TALLY_CPU_FAULT;
        key.name = rf_collect_string(c, extra->name);
        rf_collect_tally_sum(c, &key, 0, 1);
    }
}

/* What sum_pages() has of an address. */
static struct rf_group group_of(const struct rf_tally *tally)
{
    struct rf_group group = {.last = 0};
    for (int sum = TO_DEVICE; sum <= GPU_FAULTS; sum++) {
        group.sums[sum] = tally->sum[sum];
        group.last |= tally->sum[sum] > 0 ? 1u << sum : 0;
    }
    group.sums[MOVING_NS] = tally->values.total;
    return group;
}

static int show_pages(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                      struct rf_table *table, struct rf_err *err)
{
    const struct rf_tally *tally;
    (void)err;
    int status = RF_OK;
    for (size_t i = 0;
         status == RF_OK && (tally = rf_tally_next(summary, input, RF_TALLY_PAGES, &i)) != NULL;) {
        const struct rf_group group = group_of(tally);
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL || !rf_cell_set_tally_name(&row[0], summary, &tally->key))
            status = RF_ERR_NO_MEMORY;
        else
            set_page_row(row, &group);
    }
    rf_table_sort_by_total(table, 5);
    if (status == RF_OK)
        rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_PAGES);
    return status;
}

static int show_totals(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                       struct rf_table *table, struct rf_err *err)
{
    struct rf_group all = {.last = 0};
    uint64_t lowest = UINT64_MAX, highest = 0;
    const struct rf_tally *tally;
    (void)err;
    int status = RF_OK;
    for (size_t i = 0;
         status == RF_OK && (tally = rf_tally_next(summary, input, RF_TALLY_PAGES, &i)) != NULL;) {
        const struct rf_group group = group_of(tally);
        size_t size;
        const char *text = rf_summary_text(summary, tally->key.name, &size);
        const uint64_t address = text != NULL ? strtoull(text, NULL, 16) : 0;
        for (int sum = TO_DEVICE; sum <= GPU_FAULTS; sum++)
            all.sums[sum] += group.sums[sum];
        all.last |= group.last;
        lowest = text != NULL && address < lowest ? address : lowest;
        highest = address > highest ? address : highest;
    }
    if (status == RF_OK && all.last != 0 && !add_total_row(table, &all, lowest, highest))
        status = RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_PAGES);
    return status;
}

static int show_instructions(const struct rf_report *report, const rf_summary *summary,
                             uint32_t input, struct rf_table *table, struct rf_err *err)
{
    const struct rf_tally *tally;
    (void)err;
    int status = RF_OK;
    if (status == RF_OK && !rf_tally_rows_own_words(table, report))
        status = RF_ERR_NO_MEMORY;
    for (size_t i = 0; status == RF_OK &&
                       (tally = rf_tally_next(summary, input, RF_TALLY_CPU_FAULT, &i)) != NULL;) {
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL || !rf_cell_set_tally_name(&row[1], summary, &tally->key))
            status = RF_ERR_NO_MEMORY;
        else
            row[0].count = tally->sum[0];
    }
    rf_table_sort_by_total(table, 0);
    if (status == RF_OK)
        rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_CPU_FAULT);
    return status;
}

/* ---- The reports ---- */

const struct rf_report rf_report_um_sum = {
    .name = "um_sum",
    .alias = "unifiedmemory",
    .description = "unified memory that moved, and its page faults, by address",
    .is_default = true,
    .needs = RF_NEEDS_UNIFIED_MEMORY,
    .max_rows = 10,
    .title = "Unified Memory Analysis Summary",
    RF_REPORT_COLUMNS(page_columns),
    .compute = sum_pages,
    .compute_summary = show_pages,
    .tallies = 1 + RF_TALLY_PAGES,
    .collect = collect_pages,
};

const struct rf_report rf_report_um_total_sum = {
    .name = "um_total_sum",
    .alias = "unifiedmemorytotals",
    .description = "unified memory that moved, and its page faults, in all",
    .is_default = true,
    .needs = RF_NEEDS_UNIFIED_MEMORY,
    .title = "Unified Memory Totals Summary",
    RF_REPORT_COLUMNS(total_columns),
    .compute = sum_totals,
    .compute_summary = show_totals,
    .tallies = 1 + RF_TALLY_PAGES,
};

const struct rf_report rf_report_um_cpu_page_faults_sum = {
    .name = "um_cpu_page_faults_sum",
    .alias = "umcpupagefaults",
    .description = "page faults of the CPU in unified memory, by instruction",
    .is_default = true,
    .needs = RF_NEEDS_CPU_PAGE_FAULTS,
    .title = "Unified Memory CPU Page Faults Summary",
    RF_REPORT_COLUMNS(fault_columns),
    .compute = sum_instructions,
    .compute_summary = show_instructions,
    .tallies = 1 + RF_TALLY_CPU_FAULT,
    .collect = collect_instructions,
};
