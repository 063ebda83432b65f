/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/size_limit.h"

#include <stdlib.h>

#include "summary/file_histogram.h"
#include "summary/limit_paths.h"

/* What rows take in a file of small pages, measured: with what is free on each page. */
enum {
    OF_FILE = 22000, /* without rows */
    OF_PATH = 12,
    OF_ROW = 82,
    OF_TALLY = 60,
    OF_HISTOGRAM = 10,
    OF_TEXT = 12,
    OF_STEP = 42,
    OF_STEP_CHILD = 19,
    OF_STEP_GPU = 30
};

/* Of tallies some always stay, of each kind. */
#define LEAST_PART_OF_PATHS 4

/* ---- What is there ---- */

static uint64_t with_free_space(uint64_t size)
{
    return size + size / 6;
}

static uint64_t bytes_of_text(const rf_summary *summary, uint32_t string)
{
    size_t size;
    (void)rf_summary_text(summary, string, &size);
    return with_free_space(size);
}

static uint64_t bytes_of_histogram(const struct rf_histogram *histogram)
{
    return histogram->n > 0 ? OF_HISTOGRAM + with_free_space(rf_file_histogram_size(histogram)) : 0;
}

/* By path, with its rows; the caller frees them. NULL: out of memory. */
static uint64_t *find_path_bytes(const rf_summary *summary, uint64_t *sum)
{
    uint64_t *bytes = malloc((summary->n_paths + 1) * sizeof(*bytes));
    if (bytes == NULL)
        return NULL;
    for (size_t i = 0; i < summary->n_paths; i++)
        bytes[i] = OF_PATH + bytes_of_text(summary, summary->path[i].domain) +
                   bytes_of_text(summary, summary->path[i].name);
    for (size_t i = 0; i < summary->n_rows; i++)
        bytes[summary->row[i].path] += OF_ROW + bytes_of_histogram(&summary->row[i].histogram);
    *sum = 0;
    for (size_t i = 0; i < summary->n_paths; i++)
        *sum += bytes[i];
    return bytes;
}

static uint64_t bytes_of_new_text(const rf_summary *summary, uint32_t string, bool *is_there)
{
    if (string >= summary->strings.n || is_there[string])
        return 0;
    is_there[string] = true;
    return OF_TEXT + bytes_of_text(summary, string);
}

static int find_tally_bytes(const rf_summary *summary, uint64_t *bytes)
{
    bool *is_there = calloc((size_t)summary->strings.n + 1, sizeof(*is_there));
    *bytes = 0;
    for (size_t i = 0; i < summary->tallies.n && is_there != NULL; i++) {
        const struct rf_tally *tally = &summary->tallies.item[i];
        *bytes += OF_TALLY + bytes_of_new_text(summary, tally->key.domain, is_there) +
                  bytes_of_new_text(summary, tally->key.name, is_there) +
                  bytes_of_new_text(summary, tally->key.style, is_there) +
                  bytes_of_new_text(summary, tally->key.detail, is_there) +
                  bytes_of_histogram(&tally->values.histogram);
    }
    free(is_there);
    return is_there != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- The room for paths and tallies ---- */

static int compare_ids(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* How many processes have the least or the largest of a row; 0: out of memory. */
static size_t count_processes(const rf_summary *summary)
{
    int64_t *pid = malloc((2 * summary->n_rows + 1) * sizeof(*pid));
    size_t n = 0;
    if (pid == NULL)
        return 0;
    for (size_t i = 0; i < summary->n_rows; i++) {
        pid[2 * i] = summary->row[i].min.pid;
        pid[2 * i + 1] = summary->row[i].max.pid;
    }
    qsort(pid, 2 * summary->n_rows, sizeof(*pid), compare_ids);
    for (size_t i = 0; i < 2 * summary->n_rows; i++)
        n += pid[i] != 0 && (i == 0 || pid[i] != pid[i - 1]); /* 0: not known */
    free(pid);
    return n > 0 ? n : 1;
}

/* Steps are not left out: of very many of them, half of the file is for other rows. */
static uint64_t room_of(const rf_summary *summary, uint32_t max_kb, size_t n_processes)
{
    const uint64_t all = (uint64_t)max_kb * 1000 * n_processes;
    const uint64_t fixed = OF_FILE + OF_STEP * (uint64_t)summary->n_steps +
                           OF_STEP_CHILD * (uint64_t)summary->n_step_children +
                           OF_STEP_GPU * (uint64_t)summary->n_step_gpus;
    return fixed < all / 2 ? all - fixed : all / 2;
}

/* ---- Less ---- */

static void coarsen(rf_summary *summary)
{
    struct rf_tallies *all = &summary->tallies;
    for (size_t i = 0; i < all->n; i++)
        if (rf_tally_may_be_coarse(all->item[i].key.kind))
            rf_histogram_coarsen(&all->item[i].values.histogram, RF_TALLY_COARSE_BITS);
}

/* Sets the bytes that are taken. */
static int fit_tallies(rf_summary *summary, size_t most, uint64_t room, uint64_t *bytes)
{
    int status = find_tally_bytes(summary, bytes);
    for (size_t n = most; status == RF_OK && n > 0 && *bytes > room; n = n * 7 / 8) {
        if (n < most)
            status = rf_summary_tallies_limit(summary, 0, n);
        coarsen(summary);
        if (status == RF_OK)
            status = find_tally_bytes(summary, bytes);
    }
    return status;
}

/* What becomes of paths that are not kept takes some more: so much less is kept then. */
static int fit_paths(rf_summary *summary, size_t most, uint64_t room, struct rf_err *err)
{
    uint64_t sum = 0, limit = room, *bytes = find_path_bytes(summary, &sum);
    int status = bytes != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    while (status == RF_OK && sum > room && limit > 0) {
        const struct rf_paths_limit to = {.most = most, .bytes = bytes, .room = limit};
        status = rf_summary_limit_paths(summary, &to, err);
        free(bytes);
        bytes = status == RF_OK ? find_path_bytes(summary, &sum) : NULL;
        if (status == RF_OK && bytes == NULL)
            status = RF_ERR_NO_MEMORY;
        if (sum > room)
            limit -= sum - room < limit ? sum - room : limit;
    }
    free(bytes);
    return status;
}

int rf_summary_fit(rf_summary *summary, const struct rf_summary_options *options,
                   struct rf_err *err)
{
    uint64_t of_tallies, of_paths, *of_path = find_path_bytes(summary, &of_paths);
    const size_t n_processes = count_processes(summary);
    free(of_path);
    if (of_path == NULL || n_processes == 0)
        return RF_ERR_NO_MEMORY;
    const uint64_t room = room_of(summary, options->max_kb, n_processes);
    const uint64_t left = of_paths < room / 2 ? room - of_paths : room / 2;
    const size_t most =
        options->max_tallies < summary->tallies.n ? options->max_tallies : summary->tallies.n;
    const int status = fit_tallies(summary, most, left, &of_tallies);
    const uint64_t least = room / LEAST_PART_OF_PATHS;
    const uint64_t of_rest = of_tallies < room - least ? room - of_tallies : least;
    return status == RF_OK ? fit_paths(summary, options->max_paths, of_rest, err) : status;
}
