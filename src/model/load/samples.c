/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/samples.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/arrays.h"

int rf_samples_keep(rf_recording *rec, void *memory)
{
    if (memory == NULL)
        return RF_OK;
    int status =
        rf_grow_array(&rec->column, rec->n_columns, &rec->column_room, sizeof(*rec->column));
    if (status == RF_OK)
        rec->column[rec->n_columns++] = memory;
    else
        free(memory);
    return status;
}

void rf_samples_release(rf_recording *rec)
{
    for (size_t i = 0; i < rec->n_columns; i++)
        free(rec->column[i]);
    free(rec->column);
}

/* ---- Order ---- */

struct place {
    int64_t ns;
    size_t row;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->ns < b->ns ? -1 : a->ns > b->ns;
}

static bool is_sorted(const int64_t *ns, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (ns[i - 1] > ns[i])
            return false;
    return true;
}

int rf_samples_sort(int64_t *ns, size_t n, double *value, size_t n_columns)
{
    if (is_sorted(ns, n))
        return RF_OK;
    struct place *place = malloc(n * sizeof(*place));
    double *copy = malloc(n * sizeof(*copy));
    int status = place != NULL && copy != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n && status == RF_OK; i++)
        place[i] = (struct place){ns[i], i};
    if (status == RF_OK)
        status = rf_sort_records(place, n, sizeof(*place), compare_places);
    for (size_t i = 0; i < n && status == RF_OK; i++)
        ns[i] = place[i].ns;
    for (size_t k = 0; k < n_columns && status == RF_OK; k++) {
        double *column = value + k * n;
        memcpy(copy, column, n * sizeof(*copy));
        for (size_t i = 0; i < n; i++)
            column[i] = copy[place[i].row];
    }
    free(place);
    free(copy);
    return status;
}
