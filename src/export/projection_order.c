/* SPDX-License-Identifier: Apache-2.0 */
#include "export/projection_order.h"

#include <stdlib.h>

#include "base/error.h"

/* By thread, then what encloses first; among equals as the ranges are. */
static int compare(const void *left, const void *right)
{
    const struct rf_projection *a = *(const struct rf_projection *const *)left;
    const struct rf_projection *b = *(const struct rf_projection *const *)right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

int rf_order_projections(const rf_projections *projections, const struct rf_projection ***out,
                         size_t *n, struct rf_err *err)
{
    *n = 0;
    const struct rf_projection *all =
        projections != NULL ? rf_projections_all(projections, n) : NULL;
    const struct rf_projection **order = malloc((*n + 1) * sizeof(*order));
    *out = order;
    if (order == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < *n; i++)
        order[i] = &all[i];
    qsort(order, *n, sizeof(*order), compare);
    return RF_OK;
}
