/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/size_limit.h"

#include <stdlib.h>
#include <string.h>

/* What rows take in a file of small pages, measured: with what is free on each page. */
enum {
    OF_FILE = 22000, /* without rows */
    OF_PATH = 12,
    OF_ROW = 74,
    OF_TALLY = 58,
    OF_HISTOGRAM = 15,
    OF_BUCKET = 5,
    OF_TEXT = 12
};

/* Paths and tallies have at least this part of the limit. */
#define LEAST_PART 2
/* Of what is left for both, paths may have a third: what is not kept has its rows, too, with many
 * buckets. */
#define PATHS_PART 3

static uint64_t bytes_of_text(const rf_summary *summary, uint32_t string)
{
    size_t size;
    (void)rf_summary_text(summary, string, &size);
    return size + size / 6;
}

static uint64_t bytes_of_histogram(const struct rf_histogram *histogram)
{
    return histogram->n > 0 ? OF_HISTOGRAM + OF_BUCKET * histogram->n : 0;
}

uint64_t *rf_summary_path_bytes(const rf_summary *summary)
{
    uint64_t *bytes = malloc((summary->n_paths + 1) * sizeof(*bytes));
    for (size_t i = 0; i < summary->n_paths && bytes != NULL; i++)
        bytes[i] = OF_PATH + bytes_of_text(summary, summary->path[i].domain) +
                   bytes_of_text(summary, summary->path[i].name);
    for (size_t i = 0; i < summary->n_rows && bytes != NULL; i++)
        bytes[summary->row[i].path] += OF_ROW + bytes_of_histogram(&summary->row[i].histogram);
    return bytes;
}

static uint64_t room_of(uint32_t max_kb)
{
    const uint64_t all = (uint64_t)max_kb * 1000;
    return OF_FILE < all - all / LEAST_PART ? all - OF_FILE : all / LEAST_PART;
}

uint64_t rf_summary_room_of_paths(uint32_t max_kb)
{
    return room_of(max_kb) / PATHS_PART;
}

/* ---- Tallies ---- */

static uint64_t bytes_of_new_text(const rf_summary *summary, uint32_t string, bool *is_there)
{
    if (string >= summary->strings.n || is_there[string])
        return 0;
    is_there[string] = true;
    return OF_TEXT + bytes_of_text(summary, string);
}

/* is_there: by string, room for all. */
static uint64_t bytes_of_tallies(const rf_summary *summary, bool *is_there)
{
    uint64_t bytes = 0;
    memset(is_there, 0, summary->strings.n * sizeof(*is_there));
    for (size_t i = 0; i < summary->tallies.n; i++) {
        const struct rf_tally *tally = &summary->tallies.item[i];
        bytes += OF_TALLY + bytes_of_new_text(summary, tally->key.domain, is_there) +
                 bytes_of_new_text(summary, tally->key.name, is_there) +
                 bytes_of_new_text(summary, tally->key.style, is_there) +
                 bytes_of_new_text(summary, tally->key.detail, is_there) +
                 bytes_of_histogram(&tally->values.histogram);
    }
    return bytes;
}

/* What paths left. */
static int room_of_tallies(const rf_summary *summary, uint32_t max_kb, uint64_t *room)
{
    uint64_t *of_path = rf_summary_path_bytes(summary);
    if (of_path == NULL)
        return RF_ERR_NO_MEMORY;
    *room = room_of(max_kb);
    for (size_t i = 0; i < summary->n_paths; i++)
        *room -= of_path[i] < *room ? of_path[i] : *room;
    free(of_path);
    return RF_OK;
}

int rf_summary_fit_tallies(rf_summary *summary, uint32_t most, uint32_t max_kb)
{
    uint64_t room = 0;
    size_t n = most < summary->tallies.n ? most : summary->tallies.n;
    bool *is_there = malloc(summary->strings.n + 1);
    int status = is_there != NULL ? room_of_tallies(summary, max_kb, &room) : RF_ERR_NO_MEMORY;
    while (status == RF_OK && n > 1 && bytes_of_tallies(summary, is_there) > room) {
        n = n * 3 / 4;
        status = rf_summary_tallies_limit(summary, 0, n);
    }
    free(is_there);
    return status;
}
