/* SPDX-License-Identifier: Apache-2.0 */
/* The input is what stands in a summary (.rfsum): a byte chooses a table, then come the values of
 * one row. What is read can be added up, written, read again, and shown. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "rangefinder/compare.h"
#include "rows.h"

static const char *const tables[] = {"inputs",
                                     "paths",
                                     "sums",
                                     "sum_histograms",
                                     "step_inputs",
                                     "step_threads",
                                     "steps",
                                     "step_children",
                                     "step_gpus",
                                     "collective_inputs",
                                     "collectives", /* of version 1 */
                                     "counter_inputs",
                                     "counters",
                                     "counter_digits",
                                     "settings",
                                     "tally_inputs",
                                     "tally_texts",
                                     "tallies",
                                     "tally_histograms",
                                     "counter_ranges",
                                     "counter_range_digits",
                                     "collective_series",
                                     "collective_times"};

#define N_TABLES (sizeof(tables) / sizeof(tables[0]))

/* INSERT INTO table VALUES(?, ...): a value for each column. */
static sqlite3_stmt *prepare_insert(sqlite3 *db, const char *table)
{
    char sql[256];
    sqlite3_stmt *all, *insert;
    (void)snprintf(sql, sizeof(sql), "SELECT * FROM %s", table);
    if (sqlite3_prepare_v2(db, sql, -1, &all, NULL) != SQLITE_OK)
        abort();
    int n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", table);
    for (int k = 1; k < sqlite3_column_count(all); k++)
        n += snprintf(sql + n, sizeof(sql) - (size_t)n, ", ?");
    (void)snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
    (void)sqlite3_finalize(all);
    if (sqlite3_prepare_v2(db, sql, -1, &insert, NULL) != SQLITE_OK)
        abort();
    return insert;
}

static void insert_rows(sqlite3 *db, struct fuzz_input *in)
{
    sqlite3_stmt *insert[N_TABLES];
    for (size_t i = 0; i < N_TABLES; i++)
        insert[i] = prepare_insert(db, tables[i]);
    while (in->left > 0) {
        size_t i = (size_t)fuzz_take(in, 1) % N_TABLES;
        for (int k = 1; k <= sqlite3_bind_parameter_count(insert[i]); k++)
            fuzz_bind(insert[i], k, in);
        (void)sqlite3_step(insert[i]); /* NULL, and an id that comes again, are refused */
        (void)sqlite3_reset(insert[i]);
    }
    for (size_t i = 0; i < N_TABLES; i++)
        (void)sqlite3_finalize(insert[i]);
}

/* An empty summary, and then the rows. */
static void make_file(const char *path, struct fuzz_input *in)
{
    rf_summary *empty;
    sqlite3 *db = NULL;
    if (rf_summary_new(&empty, NULL) != RF_OK || rf_summary_write(empty, path, 1, NULL) != RF_OK ||
        sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db,
                     "PRAGMA synchronous = OFF; BEGIN; CREATE TABLE collectives"
                     " (input, kind, operation, communicator, number, start_utc_ns, end_utc_ns,"
                     " bytes, rank, pid, tid, device, stream)",
                     NULL, NULL, NULL) != SQLITE_OK)
        abort();
    insert_rows(db, in);
    if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        abort();
    (void)sqlite3_close(db);
    rf_summary_free(empty);
}

static rf_summary *read_file(const char *path, int *status)
{
    rf_summary *summary;
    struct rf_err err = {.code = RF_OK};
    if (rf_summary_new(&summary, NULL) != RF_OK)
        abort();
    *status = rf_summary_read(summary, path, &err);
    if (*status != RF_OK && (err.code != *status || err.text[0] == '\0'))
        abort();
    return summary;
}

static void show(const rf_summary *summary)
{
    static const char *const reports[] = {"nvtx_sum",
                                          "nvtx_tree",
                                          "osrt_sum",
                                          "cuda_gpu_kern_sum",
                                          "cuda_gpu_mem_size_sum",
                                          "steps",
                                          "collectives", /* of version 1 */
                                          "nvtx_counter_sum",
                                          "nvtx_counter_ranges",
                                          "gpu_metrics_sum",
                                          "nvtx_gpu_proj_sum",
                                          "nvtx_kern_sum",
                                          "cuda_gpu_kern_gb_sum",
                                          "cuda_kern_exec_sum",
                                          "launch_latency",
                                          "breakdown",
                                          "mpi_event_sum",
                                          "mpi_msg_size_sum",
                                          "openacc_sum",
                                          "um_sum",
                                          "um_total_sum",
                                          "um_cpu_page_faults_sum",
                                          "stragglers",
                                          "rank_summary",
                                          "balance",
                                          "rank_heatmap",
                                          "rank_step_heatmap",
                                          "collectives_trace"};
    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        const struct rf_report_options options = {
            .size = sizeof(options), .report = reports[i], .format = "csv", .output = "/dev/null"};
        rf_joined_report *joined;
        if (rf_joined_report_new(&options, &joined, NULL) != RF_OK)
            abort();
        const int is_of_job = rf_report_compares_inputs(reports[i]) == RF_COMPARES_JOB;
        if (is_of_job && rf_summary_n_inputs(summary) > 0)
            (void)rf_joined_report_add_job(joined, summary, NULL); /* ranks may be missing */
        for (uint32_t k = 0; k < rf_summary_n_inputs(summary) && !is_of_job; k++) {
            const int status = rf_joined_report_add_summary(joined, summary, k, NULL);
            if (status != RF_OK &&
                status != RF_ERR_UNSUPPORTED) /* it may not have been looked for */
                abort();
        }
        rf_joined_report_free(joined);
    }
}

/* What was read is written, and read again, with the same inputs. */
static void write_again(rf_summary *summary, const char *path)
{
    int status;
    if (rf_summary_write(summary, path, 1, NULL) != RF_OK)
        abort();
    rf_summary *again = read_file(path, &status);
    if (status != RF_OK || rf_summary_n_inputs(again) != rf_summary_n_inputs(summary))
        abort();
    rf_summary_free(again);
}

/* Compares the inputs with what they add up to. No number is not one. */
static void compare(const rf_summary *summary)
{
    rf_summary *sum;
    rf_compare *compare;
    struct rf_compare_time time = RF_COMPARE_TIME_INIT;
    struct rf_compare_count count = RF_COMPARE_COUNT_INIT;
    if (rf_summary_new(&sum, NULL) != RF_OK || rf_compare_new(NULL, &compare, NULL) != RF_OK)
        abort();
    if (rf_summary_append(sum, summary, NULL) == RF_OK && rf_summary_merge(sum, NULL) == RF_OK &&
        rf_compare_add(compare, RF_COMPARE_A, summary, NULL) == RF_OK &&
        rf_compare_add(compare, RF_COMPARE_B, sum, NULL) == RF_OK)
        (void)rf_compare_find(compare, NULL, NULL);
    for (size_t i = 0; rf_compare_time_at(compare, i, &time) == RF_OK; i++)
        if (!isfinite(time.a_ns) || !isfinite(time.b_ns) || !isfinite(time.ratio) ||
            !isfinite(time.low) || !isfinite(time.high) || !isfinite(time.share_a) ||
            !isfinite(time.share_b) || !(time.chance >= 0 && time.chance <= 1))
            abort();
    for (size_t i = 0; rf_compare_count_at(compare, i, &count) == RF_OK; i++)
        if (!isfinite(count.a_max) || !isfinite(count.b_max) || count.a_min > count.a_max ||
            count.b_min > count.b_max)
            abort();
    rf_compare_free(compare);
    rf_summary_free(sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size < 4096 ? size : 4096};
    int status;
    make_file(fuzz_path(), &in);
    rf_summary *summary = read_file(fuzz_path(), &status);
    if (status == RF_OK) {
        show(summary);
        compare(summary);
        write_again(summary, fuzz_path());
        if (rf_summary_merge(summary, NULL) == RF_OK)
            write_again(summary, fuzz_path());
    }
    rf_summary_free(summary);
    (void)unlink(fuzz_path());
    return 0;
}
