/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page_ranks.h"

#include <math.h>

#include "base/amounts.h"
#include "base/error.h"
#include "page/page_tables.h"
#include "stats/ranks/rank_map.h"

#define MAX_ROWS   500 /* of a map: more ranks share rows */
#define N_LEVELS   8
#define ROW_HEIGHT 12 /* pixels, as far as there is room */
#define MAX_HEIGHT 600

/* What stands in a row of the picture. */
struct picture {
    const struct rf_rank_map *map;
    size_t n_rows, ranks_per_row;
};

/* The mean of the ranks of a row; NAN: none of them has anything there. */
static double value_at(const struct picture *picture, size_t row, size_t column)
{
    const struct rf_rank_map *map = picture->map;
    double sum = 0;
    size_t n = 0;
    for (size_t i = row * picture->ranks_per_row;
         i < (row + 1) * picture->ranks_per_row && i < map->n; i++) {
        const double value = map->value[i * map->n_columns + column];
        if (isnan(value))
            continue;
        sum += value;
        n++;
    }
    return n > 0 ? sum / (double)n : (double)NAN;
}

/* From 0 to N_LEVELS - 1; N_LEVELS: nothing there. */
static unsigned level_at(const struct picture *picture, size_t row, size_t column)
{
    const struct rf_rank_map *map = picture->map;
    const double value = value_at(picture, row, column), width = map->most - map->least;
    if (isnan(value))
        return N_LEVELS;
    const double level = width > 0 ? (value - map->least) / width * N_LEVELS : 0;
    return level < N_LEVELS ? (unsigned)level : N_LEVELS - 1;
}

/* A path for each level, of lines through cells that have it side by side. */
static void put_level(struct rf_sink *sink, const struct picture *picture, unsigned level)
{
    const size_t n_columns = picture->map->n_columns;
    rf_sink_format(sink, "<path class=\"h%u\" d=\"", level);
    for (size_t row = 0; row < picture->n_rows; row++)
        for (size_t begin = 0, end; begin < n_columns; begin = end) {
            end = begin + 1;
            if (level_at(picture, row, begin) != level)
                continue;
            while (end < n_columns && level_at(picture, row, end) == level)
                end++;
            rf_sink_format(sink, "M%zu %zu.5h%zu", begin, row, end - begin);
        }
    rf_sink_text(sink, "\"/>");
}

static void put_value(struct rf_sink *sink, double value, bool is_of_steps)
{
    char text[40];
    if (is_of_steps)
        rf_sink_text(sink, rf_format_duration(text, sizeof(text), (int64_t)value));
    else
        rf_sink_format(sink, "%.1f %%", value);
}

static void put_map(struct rf_sink *sink, const struct rf_rank_map *map,
                    const struct rf_job_ranks *ranks, bool is_of_steps)
{
    char text[40];
    struct picture picture = {.map = map, .ranks_per_row = (map->n + MAX_ROWS - 1) / MAX_ROWS};
    if (map->n_columns == 0 || isnan(map->least))
        return;
    picture.n_rows = (map->n + picture.ranks_per_row - 1) / picture.ranks_per_row;
    const size_t height = picture.n_rows * ROW_HEIGHT;
    rf_sink_format(sink, "<figure><figcaption><b>%s</b>: from rank %lld at the top to rank %lld, ",
                   is_of_steps ? "Durations of steps" : "Busy with own work",
                   (long long)ranks->rank[0].rank, (long long)ranks->rank[ranks->n - 1].rank);
    if (is_of_steps)
        rf_sink_format(sink, "a column is the mean of %zu steps", (size_t)map->column);
    else
        rf_sink_format(sink, "a column is %s since the start of the rank's first step",
                       rf_format_duration(text, sizeof(text), (int64_t)map->column));
    if (picture.ranks_per_row > 1)
        rf_sink_format(sink, ", a row the mean of %zu ranks", picture.ranks_per_row);
    rf_sink_text(sink, "; from ");
    put_value(sink, map->least, is_of_steps);
    rf_sink_text(sink, " (pale) to ");
    put_value(sink, map->most, is_of_steps);
    rf_sink_format(sink,
                   "</figcaption><svg class=\"heat\" viewBox=\"0 0 %zu %zu\" height=\"%zu\" "
                   "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"map of ranks\">",
                   map->n_columns, picture.n_rows, height < MAX_HEIGHT ? height : MAX_HEIGHT);
    for (unsigned level = 0; level < N_LEVELS; level++)
        put_level(sink, &picture, level);
    rf_sink_text(sink, "</svg></figure>\n");
}

static int put_maps(const struct rf_job *job, struct rf_sink *sink)
{
    struct rf_rank_times times;
    struct rf_rank_map time = {.n = 0}, steps = {.n = 0};
    int status = rf_rank_times_init(&times, job);
    if (status == RF_OK)
        status = rf_rank_map_of_time(&time, &times);
    if (status == RF_OK)
        status = rf_rank_map_of_steps(&steps, &times);
    if (status == RF_OK) {
        rf_sink_text(sink, "<section id=\"ranks\"><h2>Ranks</h2>\n");
        put_map(sink, &time, &job->ranks, false);
        put_map(sink, &steps, &job->ranks, true);
        rf_sink_text(sink, "</section>\n");
    }
    rf_rank_map_release(&time);
    rf_rank_map_release(&steps);
    rf_rank_times_release(&times);
    return status;
}

int rf_page_ranks_put(const rf_summary *summary, struct rf_sink *sink, struct rf_err *err)
{
    static const char *const tables[] = {"stragglers", "balance", "rank_summary"};
    struct rf_job job;
    int status = rf_job_open(&job, summary, "ranks", NULL);
    const bool are_many = status == RF_OK && job.ranks.n > 1;
    if (are_many)
        status = put_maps(&job, sink);
    rf_job_close(&job);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && are_many && status == RF_OK; i++)
        status = rf_page_table_put(tables[i], summary, sink, err);
    if (status == RF_ERR_NO_MEMORY)
        return rf_fail(err, status, "out of memory");
    return status == RF_ERR_UNSUPPORTED ? RF_OK : status; /* they are not ranks of one job */
}
