/* SPDX-License-Identifier: Apache-2.0 */
/* rank_heatmap, rank_step_heatmap: the ranks of a job along their time, and along their steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/ranks/rank_map.h"
#include "stats/report.h"
#include "stats/sparkline.h"
#include "stats/summary_rows.h"

enum { RANK, ALL, HOST, FIRST };

#define FIXED(all, meaning)                                                                        \
    [RANK] = {"Rank", RF_COLUMN_ID, "rank of the process in its job, or what --rank-from says"},   \
    [ALL] = {all, RF_COLUMN_REAL, meaning},                                                        \
    [HOST] = {"Host", RF_COLUMN_TEXT, "name of the machine"}

static const struct rf_column time_columns[] = {
    FIXED("Busy (%)",
          "time that is not in collectives, in percent of the time in steps; None: none. Behind "
          "Host the same along the time since the start of the rank's first step, in 40 columns, "
          "or a line on a terminal"),
};

static const struct rf_column step_columns[] = {
    FIXED("Avg Step (ns)", "mean duration of its steps; None: none. Behind Host the same of each "
                           "step, or of several in turn, in at most 40 columns, or a line on a "
                           "terminal"),
};

/* ---- Columns ---- */

#define TITLE_SIZE 40

struct titles {
    char title[RF_RANK_MAP_COLUMNS][TITLE_SIZE];
};

/* T1, T2 of parts of the time; "Step 1" of a step; "Steps from 4" of several. */
static void set_title(char title[TITLE_SIZE], const struct rf_rank_map *map, size_t i,
                      bool is_of_steps)
{
    const size_t n = (size_t)map->column;
    if (!is_of_steps)
        (void)snprintf(title, TITLE_SIZE, "T%zu (%%)", i + 1);
    else if (n == 1)
        (void)snprintf(title, TITLE_SIZE, "Step %zu (ns)", i + 1);
    else
        (void)snprintf(title, TITLE_SIZE, "Steps from %zu (ns)", i * n + 1);
}

static void set_columns(struct rf_table *table, struct titles *titles,
                        const struct rf_rank_map *map, bool is_of_steps)
{
    const char *meaning = table->columns[ALL].meaning;
    memcpy(table->own_columns, table->columns, FIRST * sizeof(*table->columns));
    table->columns = table->own_columns;
    table->n_columns = FIRST;
    if (table->width > 0) {
        table->own_columns[table->n_columns++] =
            (struct rf_column){is_of_steps ? "Over Steps" : "Over Time", RF_COLUMN_TEXT, meaning};
        return;
    }
    for (size_t i = 0; i < map->n_columns; i++) {
        set_title(titles->title[i], map, i, is_of_steps);
        table->own_columns[table->n_columns++] =
            (struct rf_column){titles->title[i], RF_COLUMN_REAL, meaning};
    }
}

static int add_columns(struct rf_table *table, const struct rf_rank_map *map, bool is_of_steps)
{
    struct titles *titles = calloc(1, sizeof(*titles));
    table->words = titles;
    table->free_words = free;
    if (table->own_columns == NULL)
        table->own_columns = calloc(RF_TABLE_MAX_COLUMNS, sizeof(*table->own_columns));
    if (titles == NULL || table->own_columns == NULL)
        return RF_ERR_NO_MEMORY;
    set_columns(table, titles, map, is_of_steps);
    return RF_OK;
}

/* ---- Rows ---- */

/* From the least value of the map to the largest one, which stands behind the line for the scale.
 */
static bool set_line(struct rf_cell *cell, const struct rf_table *table,
                     const struct rf_rank_map *map, size_t rank)
{
    char line[3 * RF_SPARKLINE_MAX + 1] = "";
    uint64_t value[RF_RANK_MAP_COLUMNS + 1];
    size_t n = 0;
    for (; n < map->n_columns && !isnan(map->value[rank * map->n_columns + n]); n++)
        value[n] = (uint64_t)(1000 * (map->value[rank * map->n_columns + n] - map->least));
    value[n] = (uint64_t)(1000 * (map->most - map->least));
    if (n > 0)
        rf_sparkline(line, value, n + 1, RF_SPARKLINE_MAX, table->is_ascii);
    const size_t size = strlen(line), last = table->is_ascii ? 1 : 3;
    return rf_cell_set_text(cell, line, size > last ? size - last : 0);
}

static bool add_row(struct rf_table *table, const struct rf_job *job, const struct rf_rank_map *map,
                    size_t i)
{
    struct rf_cell *row = rf_table_add_row(table);
    const char *host = job->ranks.rank[i].host;
    if (row == NULL)
        return false;
    row[RANK].count = (uint64_t)job->ranks.rank[i].rank;
    row[ALL].real = map->all[i];
    if (!rf_cell_set_text(&row[HOST], host, strlen(host)))
        return false;
    if (table->width > 0)
        return set_line(&row[FIRST], table, map, i);
    for (size_t k = 0; k < map->n_columns; k++)
        row[FIRST + k].real = map->value[i * map->n_columns + k];
    return true;
}

static void note_columns(struct rf_table *table, const struct rf_rank_map *map, bool is_of_steps)
{
    if (table->width > 0 && map->n_columns > 0 && !isnan(map->least))
        rf_table_add_note(table, "lines are from %.*f %s to %.*f %s", is_of_steps ? 3 : 1,
                          map->least / (is_of_steps ? 1e6 : 1), is_of_steps ? "ms" : "%",
                          is_of_steps ? 3 : 1, map->most / (is_of_steps ? 1e6 : 1),
                          is_of_steps ? "ms" : "%");
    if (!is_of_steps)
        rf_table_add_note(table, "%s is %.3f ms since the start of the rank's first step",
                          table->width > 0 ? "a character" : "a column", map->column / 1e6);
    else if (map->n_columns == 0)
        rf_table_add_note(table, "no rank has steps");
    else if (map->column > 1)
        rf_table_add_note(table, "%s is the mean of %zu steps",
                          table->width > 0 ? "a character" : "a column", (size_t)map->column);
}

static int add_rows(struct rf_table *table, const struct rf_job *job, bool is_of_steps)
{
    struct rf_rank_times times;
    struct rf_rank_map map = {.n = 0};
    int status = rf_rank_times_init(&times, job);
    if (status == RF_OK)
        status =
            is_of_steps ? rf_rank_map_of_steps(&map, &times) : rf_rank_map_of_time(&map, &times);
    if (status == RF_OK)
        status = add_columns(table, &map, is_of_steps);
    for (size_t i = 0; i < map.n && status == RF_OK; i++)
        status = add_row(table, job, &map, i) ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        note_columns(table, &map, is_of_steps);
    rf_rank_map_release(&map);
    rf_rank_times_release(&times);
    return status;
}

static int show_job(const struct rf_report *report, const rf_summary *summary,
                    struct rf_table *table, struct rf_err *err)
{
    struct rf_job job;
    int status = rf_job_open(&job, summary, report->name, err);
    if (status == RF_OK && add_rows(table, &job, report->columns == step_columns) != RF_OK)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (status == RF_OK)
        rf_job_note(&job, false, table);
    rf_job_close(&job);
    return status;
}

const struct rf_report rf_report_rank_heatmap = {
    .name = "rank_heatmap",
    .description = "how busy each rank is with its own work, along the time",
    .needs = RF_NEEDS_RANK,
    .title = "Ranks over Time",
    RF_REPORT_COLUMNS(time_columns),
    .compute = rf_report_job_of_recording,
    .compute_job = show_job,
};

const struct rf_report rf_report_rank_step_heatmap = {
    .name = "rank_step_heatmap",
    .description = "how long the steps of each rank take, step by step",
    .needs = RF_NEEDS_RANK | RF_NEEDS_RANGES,
    .title = "Ranks over Steps",
    RF_REPORT_COLUMNS(step_columns),
    .compute = rf_report_job_of_recording,
    .compute_job = show_job,
};
