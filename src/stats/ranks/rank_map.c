/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/ranks/rank_map.h"

#include <math.h>
#include <stdlib.h>

static int init(struct rf_rank_map *map, size_t n, size_t n_columns, double column)
{
    *map = (struct rf_rank_map){.n = n, .n_columns = n_columns, .column = column};
    map->value = calloc(n * n_columns + 1, sizeof(*map->value));
    map->all = calloc(n + 1, sizeof(*map->all));
    if (map->value == NULL)
        map->n = 0;
    return map->value != NULL && map->all != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

void rf_rank_map_release(struct rf_rank_map *map)
{
    free(map->value);
    free(map->all);
    *map = (struct rf_rank_map){.n = 0};
}

static void find_ends(struct rf_rank_map *map)
{
    map->least = map->most = NAN;
    for (size_t i = 0; i < map->n * map->n_columns; i++) {
        map->least = fmin(map->least, map->value[i]); /* which pass over NAN */
        map->most = fmax(map->most, map->value[i]);
    }
}

/* ---- Time ---- */

/* Of a rank, by column. */
struct bins {
    double column_ns;
    double own_ns[RF_RANK_MAP_COLUMNS], all_ns[RF_RANK_MAP_COLUMNS];
};

static size_t bin_of(const struct bins *bins, double ns)
{
    const double bin = ns / bins->column_ns;
    return bin < RF_RANK_MAP_COLUMNS ? (size_t)bin : RF_RANK_MAP_COLUMNS - 1;
}

static void add_piece(void *context, uint64_t from_ns, uint64_t to_ns, bool is_collective)
{
    struct bins *bins = context;
    const double from = (double)from_ns, to = (double)to_ns;
    const size_t last = bin_of(bins, to);
    for (size_t i = bin_of(bins, from); i <= last; i++) {
        const double begin = (double)i * bins->column_ns, end = begin + bins->column_ns;
        const bool is_last = i == RF_RANK_MAP_COLUMNS - 1;
        const double ns = (is_last || to < end ? to : end) - (from > begin ? from : begin);
        if (ns <= 0)
            continue;
        bins->all_ns[i] += ns;
        if (!is_collective)
            bins->own_ns[i] += ns;
    }
}

int rf_rank_map_of_time(struct rf_rank_map *map, const struct rf_rank_times *times)
{
    uint64_t longest_ns = 1;
    for (size_t i = 0; i < times->n; i++)
        if (times->rank[i].span_ns > longest_ns)
            longest_ns = times->rank[i].span_ns;
    const double column = (double)longest_ns / RF_RANK_MAP_COLUMNS;
    int status = init(map, times->n, RF_RANK_MAP_COLUMNS, column);
    for (size_t i = 0; i < times->n && status == RF_OK; i++) {
        struct bins bins = {.column_ns = column};
        double own = 0, all = 0;
        rf_rank_times_visit(times, i, add_piece, &bins);
        for (size_t k = 0; k < RF_RANK_MAP_COLUMNS; k++) {
            const bool has_any = bins.all_ns[k] > 0;
            map->value[i * map->n_columns + k] =
                has_any ? 100 * bins.own_ns[k] / bins.all_ns[k] : (double)NAN;
            own += bins.own_ns[k];
            all += bins.all_ns[k];
        }
        map->all[i] = all > 0 ? 100 * own / all : (double)NAN;
    }
    find_ends(map);
    return status;
}

/* ---- Steps ---- */

static void set_steps(struct rf_rank_map *map, const struct rf_rank_times *times, size_t rank,
                      size_t per_column)
{
    const size_t n = times->rank[rank].n_steps;
    double all = 0;
    for (size_t k = 0; k < map->n_columns; k++) {
        double total = 0;
        size_t of_column = 0;
        for (size_t i = k * per_column; i < (k + 1) * per_column && i < n; i++, of_column++)
            total += (double)rf_rank_times_step(times, rank, i)->duration;
        map->value[rank * map->n_columns + k] =
            of_column > 0 ? total / (double)of_column : (double)NAN;
        all += total;
    }
    map->all[rank] = n > 0 ? all / (double)n : (double)NAN;
}

int rf_rank_map_of_steps(struct rf_rank_map *map, const struct rf_rank_times *times)
{
    size_t most = 0;
    for (size_t i = 0; i < times->n; i++)
        most = times->rank[i].n_steps > most ? times->rank[i].n_steps : most;
    const size_t per_column = most / RF_RANK_MAP_COLUMNS + (most % RF_RANK_MAP_COLUMNS > 0);
    const size_t n_columns = per_column > 0 ? (most + per_column - 1) / per_column : 0;
    int status = init(map, times->n, n_columns, (double)per_column);
    for (size_t i = 0; i < times->n && status == RF_OK; i++)
        set_steps(map, times, i, per_column);
    find_ends(map);
    return status;
}
