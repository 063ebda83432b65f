/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_load.h"

#define MANY_SKIPS 128 /* each is looked for among all */

void kineto_skip_several(struct kineto_load *load, const struct kineto_item *item,
                         const char *reason, uint64_t n)
{
    const uint32_t category = kineto_string(load, &item->category);
    const char *table = rf_string(load->model.rec, category, NULL);
    if (table == NULL || *table == 0)
        table = "traceEvents";
    if (load->model.db.n_skips >= MANY_SKIPS)
        table = "other categories";
    nsys_db_skip(&load->model.db, table, reason, n);
}

void kineto_skip(struct kineto_load *load, const struct kineto_item *item, const char *reason)
{
    kineto_skip_several(load, item, reason, 1);
}
