/* SPDX-License-Identifier: Apache-2.0 */
/* The summaries of what nsys records of MPI, OpenACC, OpenMP and system calls, by name. Columns are
 * those of Nsight Systems. */
#include <stdio.h>
#include <stdlib.h>

#include "stats/extra_values.h"
#include "stats/group_by.h"
#include "stats/quantile_columns.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/tally_rows.h"
#include "summary/collect.h"

enum counted { MPI, OPENACC, OPENMP, SYSCALLS };

/* NAME is a string; SOURCE the kind of the rows, or of sizes enum size_source; LINE and FILE are
 * the place of an OpenACC construct. */
enum key { NAME, SOURCE, LINE, FILE_NAME };

enum { LAST_MPI = RF_SUMMARY_N };

/* nsys's report of system calls counts the rows of this class alone. */
enum { CLASS_OF_SYSCALLS = 107 };

static const struct rf_column mpi_columns[] = {
    RF_SUMMARY_COLUMNS("Instances", "number of events"),
    {"Source", RF_COLUMN_WORD,
     "kind of the event: p2p (messages), collectives, start_wait (of requests) or other"},
    {"Name", RF_COLUMN_WORD, "name of the function of MPI"},
};
static const struct rf_column openacc_columns[] = {
    RF_SUMMARY_COLUMNS("Count", "number of events"),
    {"Name", RF_COLUMN_TEXT, "name of the event, @file:line where its place is known"},
};
static const struct rf_column openmp_columns[] = {
    RF_SUMMARY_COLUMNS("Count", "number of events"),
    {"Name", RF_COLUMN_WORD, "name of the event"},
};
static const struct rf_column syscall_columns[] = {
    RF_SUMMARY_COLUMNS("Num Calls", "number of calls"),
    {"Name", RF_COLUMN_WORD, "name of the system call"},
};
static const struct rf_column size_columns[] = {
    {"Total Message Volume (B)", RF_COLUMN_COUNT, "sum of the sizes in bytes"},
    {"Instances", RF_COLUMN_COUNT, "number of messages whose size is known"},
    {"Avg (B)", RF_COLUMN_REAL, "mean of the sizes"},
    {"Med (B)", RF_COLUMN_REAL, "median of the sizes"},
    {"Min (B)", RF_COLUMN_COUNT, "smallest size"},
    {"Max (B)", RF_COLUMN_COUNT, "largest size"},
    {"StdDev (B)", RF_COLUMN_REAL, "standard deviation of the sizes, of a sample (n - 1)"},
    {"Source", RF_COLUMN_WORD,
     "p2p (messages), or coll_send and coll_recv: what collectives sent and received"},
    {"Name", RF_COLUMN_WORD, "name of the function of MPI"},
};

static const struct rf_quantile_place time_quantiles[] = {RF_SUMMARY_QUANTILES};
static const struct rf_quantile_place size_quantiles[] = {{7, "", " (B)", RF_COLUMN_SIGNED}};

/* ---- Times ---- */

static struct rf_extra_kinds kinds_of(unsigned counted)
{
    return counted == MPI       ? RF_KINDS_OF_MPI
           : counted == OPENACC ? RF_KINDS_OF_OPENACC
           : counted == OPENMP  ? RF_KINDS_OF_OPENMP
                                : RF_KINDS_OF_SYSCALLS;
}

static bool add_event(struct rf_group_by *by, const rf_recording *rec, unsigned counted,
                      const struct rf_extra *extra)
{
    uint32_t key[RF_GROUP_KEYS] = {[NAME] = extra->name, [FILE_NAME] = RF_NO_STRING};
    if (counted == SYSCALLS &&
        rf_extra_number(rec, extra, "eventClass", CLASS_OF_SYSCALLS) != CLASS_OF_SYSCALLS)
        return true;
    if (counted == OPENACC) {
        key[FILE_NAME] = (uint32_t)rf_extra_number(rec, extra, "srcFile", RF_NO_STRING);
        if (key[FILE_NAME] != RF_NO_STRING)
            key[LINE] = (uint32_t)rf_extra_number(rec, extra, "lineNo", 0);
    } else {
        key[SOURCE] = extra->kind;
    }
    return rf_group_by_add(by, key, rf_extra_duration_ns(extra)) != NULL;
}

static const char *mpi_source(uint32_t kind)
{
    return kind == RF_EXTRA_MPI_MESSAGE      ? "p2p"
           : kind == RF_EXTRA_MPI_COLLECTIVE ? "collectives"
           : kind == RF_EXTRA_MPI_WAIT       ? "start_wait"
                                             : "other";
}

static bool set_construct(struct rf_cell *cell, const rf_recording *rec,
                          const struct rf_group *group)
{
    struct rf_cell name, file;
    char *text;
    rf_cell_set_model_string(&name, rec, group->key[NAME]);
    if (group->key[FILE_NAME] == RF_NO_STRING)
        return rf_cell_set_text(cell, name.text, name.size);
    rf_cell_set_model_string(&file, rec, group->key[FILE_NAME]);
    int n = asprintf(&text, "%.*s@%.*s:%u", (int)name.size, name.text, (int)file.size, file.text,
                     group->key[LINE]);
    bool is_done = n >= 0 && rf_cell_set_text(cell, text, (size_t)n);
    if (n >= 0)
        free(text);
    return is_done;
}

static bool add_row(const struct rf_report *report, struct rf_table *table, const rf_recording *rec,
                    const struct rf_group *group, double all_ns)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_row_set_summary(row, &group->measured, group->n, all_ns);
    rf_row_set_quantiles(table, row, 0, group);
    if (report->counted == OPENACC)
        return set_construct(&row[RF_SUMMARY_N], rec, group);
    if (report->counted == MPI)
        rf_cell_set_word(&row[LAST_MPI], mpi_source(group->key[SOURCE]));
    rf_cell_set_model_string(&row[report->n_columns - 1], rec, group->key[NAME]);
    return true;
}

static int sum_times(const struct rf_report *report, const rf_recording *rec,
                     struct rf_table *table, struct rf_err *err)
{
    struct rf_group_by by = {.quantiles = &table->quantiles};
    const struct rf_extra *extra;
    bool is_done = true;
    (void)err;
    for (size_t i = 0; is_done && (extra = rf_extra_next(rec, kinds_of(report->counted), &i));)
        is_done = add_event(&by, rec, report->counted, extra);
    is_done = rf_group_by_measure(&by) && is_done;
    double all_ns = rf_group_by_total_ns(&by);
    for (size_t i = 0; i < by.n && is_done; i++)
        is_done = add_row(report, table, rec, &by.group[i], all_ns);
    rf_group_by_release(&by);
    rf_table_sort_by_total(table, RF_SUMMARY_TOTAL);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Times of summaries ---- */

static enum rf_tally_kind tally_of(unsigned counted)
{
    static const enum rf_tally_kind kinds[] = {[MPI] = RF_TALLY_MPI,
                                               [OPENACC] = RF_TALLY_OPENACC,
                                               [OPENMP] = RF_TALLY_OPENMP,
                                               [SYSCALLS] = RF_TALLY_SYSCALL};
    return kinds[counted];
}

/* "FILE:LINE" */
static uint32_t add_place(struct rf_collecting *c, uint32_t file, uint32_t line)
{
    size_t size = 0;
    const char *name = rf_string(c->rec, file, &size);
    char *text;
    if (asprintf(&text, "%.*s:%u", (int)size, name != NULL ? name : "", line) < 0) {
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
        return RF_NO_STRING;
    }
    const uint32_t place = rf_collect_text(c, text);
    free(text);
    return place;
}

static void collect_event(struct rf_collecting *c, unsigned counted, const struct rf_extra *extra)
{
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    if (counted == SYSCALLS &&
        rf_extra_number(c->rec, extra, "eventClass", CLASS_OF_SYSCALLS) != CLASS_OF_SYSCALLS)
        return;
    key.kind = tally_of(counted);
    key.name = rf_collect_string(c, extra->name);
    const uint32_t file = counted == OPENACC
                              ? (uint32_t)rf_extra_number(c->rec, extra, "srcFile", RF_NO_STRING)
                              : RF_NO_STRING;
    if (file != RF_NO_STRING)
        key.detail = add_place(c, file, (uint32_t)rf_extra_number(c->rec, extra, "lineNo", 0));
    if (counted == MPI)
        key.style = rf_collect_text(c, mpi_source(extra->kind));
    else if (counted != OPENACC)
        key.style = rf_collect_text(c, rf_extra_kind_name(extra->kind));
    rf_collect_tally(c, &key, rf_extra_duration_ns(extra));
}

static void collect_times(const struct rf_report *report, struct rf_collecting *c)
{
    const struct rf_extra *extra;
    rf_collect_searched(c, tally_of(report->counted));
    for (size_t i = 0; c->status == RF_OK &&
                       (extra = rf_extra_next(c->rec, kinds_of(report->counted), &i)) != NULL;)
        collect_event(c, report->counted, extra);
}

static bool add_tally(const struct rf_tally_rows *rows, const struct rf_tally *tally)
{
    const struct rf_durations measured = rf_summary_measure(&tally->values);
    struct rf_cell *row = rf_table_add_row(rows->table);
    if (row == NULL)
        return false;
    rf_row_set_summary(row, &measured, tally->values.n, rows->total);
    rf_row_set_summary_quantiles(rows->table, row, 0, &tally->values);
    if (rows->report->counted == MPI &&
        !rf_cell_set_summary_text(&row[LAST_MPI], rows->summary, tally->key.style))
        return false;
    return rf_cell_set_tally_names(&row[rows->report->n_columns - 1], rows->summary, &tally->key,
                                   '@');
}

static int show_times(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                      struct rf_table *table, struct rf_err *err)
{
    const enum rf_tally_kind kind = tally_of(report->counted);
    (void)err;
    const int status =
        rf_tally_rows_add(report, summary, input, kind, table, RF_SUMMARY_TOTAL, add_tally);
    if (status == RF_OK)
        rf_tally_rows_add_notes(report, table, summary, input, kind);
    return status;
}

/* ---- Sizes ---- */

enum size_source { P2P, COLL_SEND, COLL_RECV };

static bool add_size(struct rf_group_by *by, const rf_recording *rec, const struct rf_extra *extra,
                     const char *value, enum size_source source)
{
    const uint32_t key[RF_GROUP_KEYS] = {[NAME] = extra->name, [SOURCE] = source};
    int64_t size = rf_extra_number(rec, extra, value, -1);
    return size < 0 || rf_group_by_add(by, key, (uint64_t)size) != NULL;
}

static bool add_sizes(struct rf_group_by *by, const rf_recording *rec)
{
    const struct rf_extra *extra;
    bool is_done = true;
    for (size_t i = 0; is_done && (extra = rf_extra_next(rec, RF_KINDS_OF_MPI, &i));) {
        if (extra->kind == RF_EXTRA_MPI_MESSAGE)
            is_done = add_size(by, rec, extra, "size", P2P);
        else if (extra->kind == RF_EXTRA_MPI_COLLECTIVE)
            is_done = add_size(by, rec, extra, "size", COLL_SEND) &&
                      add_size(by, rec, extra, "recvSize", COLL_RECV);
    }
    return is_done;
}

static const char *const size_sources[] = {
    [P2P] = "p2p", [COLL_SEND] = "coll_send", [COLL_RECV] = "coll_recv"};

static int sum_sizes(const struct rf_report *report, const rf_recording *rec,
                     struct rf_table *table, struct rf_err *err)
{
    struct rf_group_by by = {.quantiles = &table->quantiles};
    (void)report;
    (void)err;
    bool is_done = add_sizes(&by, rec);
    is_done = rf_group_by_measure(&by) && is_done;
    for (size_t i = 0; i < by.n && is_done; i++) {
        struct rf_cell *row = rf_table_add_row(table);
        is_done = row != NULL;
        if (!is_done)
            break;
        row[0].count = by.group[i].measured.total_ns;
        row[1].count = by.group[i].n;
        rf_cells_set_durations(&row[2], &by.group[i].measured);
        rf_row_set_quantiles(table, row, 0, &by.group[i]);
        rf_cell_set_word(&row[7], size_sources[by.group[i].key[SOURCE]]);
        rf_cell_set_model_string(&row[8], rec, by.group[i].key[NAME]);
    }
    rf_group_by_release(&by);
    rf_table_sort_by_total(table, 0);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Sizes of summaries ---- */

static void collect_size(struct rf_collecting *c, const struct rf_extra *extra, const char *value,
                         enum size_source source)
{
    const int64_t size = rf_extra_number(c->rec, extra, value, -1);
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    if (size < 0)
        return;
    key.kind = RF_TALLY_MPI_BYTES;
    key.name = rf_collect_string(c, extra->name);
    key.style = rf_collect_text(c, size_sources[source]);
    rf_collect_tally(c, &key, (uint64_t)size);
}

static void collect_sizes(const struct rf_report *report, struct rf_collecting *c)
{
    const struct rf_extra *extra;
    (void)report;
    rf_collect_searched(c, RF_TALLY_MPI_BYTES);
    for (size_t i = 0;
         c->status == RF_OK && (extra = rf_extra_next(c->rec, RF_KINDS_OF_MPI, &i)) != NULL;) {
        if (extra->kind == RF_EXTRA_MPI_MESSAGE) {
            collect_size(c, extra, "size", P2P);
        } else if (extra->kind == RF_EXTRA_MPI_COLLECTIVE) {
            collect_size(c, extra, "size", COLL_SEND);
            collect_size(c, extra, "recvSize", COLL_RECV);
        }
    }
}

static bool add_size_tally(const struct rf_tally_rows *rows, const struct rf_tally *tally)
{
    const struct rf_durations measured = rf_summary_measure(&tally->values);
    struct rf_cell *row = rf_table_add_row(rows->table);
    if (row == NULL)
        return false;
    row[0].count = measured.total_ns;
    row[1].count = tally->values.n;
    rf_cells_set_durations(&row[2], &measured);
    rf_row_set_summary_quantiles(rows->table, row, 0, &tally->values);
    return rf_cell_set_summary_text(&row[7], rows->summary, tally->key.style) &&
           rf_cell_set_tally_name(&row[8], rows->summary, &tally->key);
}

static int show_sizes(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                      struct rf_table *table, struct rf_err *err)
{
    (void)err;
    const int status =
        rf_tally_rows_add(report, summary, input, RF_TALLY_MPI_BYTES, table, 0, add_size_tally);
    if (status == RF_OK)
        rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_MPI_BYTES);
    return status;
}

/* ---- The reports ---- */

const struct rf_report rf_report_mpi_event_sum = {
    .name = "mpi_event_sum",
    .description = "the time in MPI, by kind and function",
    .needs = RF_NEEDS_MPI,
    .title = "MPI Event Summary",
    RF_REPORT_COLUMNS(mpi_columns),
    RF_REPORT_QUANTILES(time_quantiles),
    .counted = MPI,
    .compute = sum_times,
    .compute_summary = show_times,
    .tallies = 1 + RF_TALLY_MPI,
    .collect = collect_times,
};

const struct rf_report rf_report_mpi_msg_size_sum = {
    .name = "mpi_msg_size_sum",
    .description = "the bytes of messages and collectives of MPI, by function",
    .needs = RF_NEEDS_MPI,
    .title = "MPI Message Size Summary",
    RF_REPORT_COLUMNS(size_columns),
    RF_REPORT_QUANTILES(size_quantiles),
    .compute = sum_sizes,
    .compute_summary = show_sizes,
    .tallies = 1 + RF_TALLY_MPI_BYTES,
    .collect = collect_sizes,
};

const struct rf_report rf_report_openacc_sum = {
    .name = "openacc_sum",
    .description = "the time in events of OpenACC, by name and place",
    .is_default = true,
    .needs = RF_NEEDS_OPENACC,
    .title = "OpenACC Summary",
    RF_REPORT_COLUMNS(openacc_columns),
    RF_REPORT_QUANTILES(time_quantiles),
    .counted = OPENACC,
    .compute = sum_times,
    .compute_summary = show_times,
    .tallies = 1 + RF_TALLY_OPENACC,
    .collect = collect_times,
};

const struct rf_report rf_report_openmp_sum = {
    .name = "openmp_sum",
    .alias = "openmpevtsum",
    .description = "the time in events of OpenMP, by name",
    .is_default = true,
    .needs = RF_NEEDS_OPENMP,
    .title = "OpenMP Summary",
    RF_REPORT_COLUMNS(openmp_columns),
    RF_REPORT_QUANTILES(time_quantiles),
    .counted = OPENMP,
    .compute = sum_times,
    .compute_summary = show_times,
    .tallies = 1 + RF_TALLY_OPENMP,
    .collect = collect_times,
};

const struct rf_report rf_report_syscall_sum = {
    .name = "syscall_sum",
    .description = "the time in system calls, by name",
    .needs = RF_NEEDS_SYSCALLS,
    .title = "Syscall Summary",
    RF_REPORT_COLUMNS(syscall_columns),
    RF_REPORT_QUANTILES(time_quantiles),
    .counted = SYSCALLS,
    .compute = sum_times,
    .compute_summary = show_times,
    .tallies = 1 + RF_TALLY_SYSCALL,
    .collect = collect_times,
};
