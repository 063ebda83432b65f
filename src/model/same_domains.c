/* SPDX-License-Identifier: Apache-2.0 */
#include "model/same_domains.h"

#include <stdbool.h>
#include <stdlib.h>

struct domain_order {
    uint64_t key;  /* name, or what the program passed */
    uint32_t kind; /* 0 default, 1 named, 2 unknown handle */
    uint32_t index;
};

static int compare_domains(const void *a, const void *b)
{
    const struct domain_order *x = a;
    const struct domain_order *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

uint32_t *rf_same_domains(const rf_recording *rec)
{
    uint32_t n = rf_n_domains(rec);
    struct domain_order *order = calloc((size_t)n + 1, sizeof(*order));
    uint32_t *same = calloc((size_t)n + 1, sizeof(*same));
    if (order == NULL || same == NULL) {
        free(order);
        free(same);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct rf_domain *domain = rf_domain_at(rec, i);
        order[i].index = i;
        order[i].kind = !domain->is_valid ? 2 : domain->id != 0 ? 1 : 0;
        order[i].key = !domain->is_valid ? domain->handle : domain->id != 0 ? domain->name : 0;
    }
    if (n > 0)
        qsort(order, n, sizeof(*order), compare_domains);
    for (uint32_t i = 0; i < n; i++) {
        bool is_same =
            i > 0 && order[i].kind == order[i - 1].kind && order[i].key == order[i - 1].key;
        same[order[i].index] = is_same ? same[order[i - 1].index] : order[i].index;
    }
    free(order);
    return same;
}
