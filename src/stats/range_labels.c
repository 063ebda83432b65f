/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/range_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Domains ---- */

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

/* ---- Labels ---- */

/* NULL: only the number of the domain is known. */
static const char *domain_label(const rf_recording *rec, uint32_t index, char handle[24],
                                size_t *size)
{
    const struct rf_domain *domain = rf_domain_at(rec, index);
    const char *name = rf_string(rec, domain->name, size);
    if (!domain->is_valid) {
        *size = (size_t)snprintf(handle, 24, "0x%llx", (unsigned long long)domain->handle);
        return handle;
    }
    if (domain->id != 0)
        return name;
    *size = 0;
    return "";
}

bool rf_cell_set_range(struct rf_cell *cell, const rf_recording *rec, uint32_t domain,
                       uint32_t name)
{
    char handle[24];
    size_t domain_size = 0;
    struct rf_cell message;
    const char *prefix = domain_label(rec, domain, handle, &domain_size);
    rf_cell_set_model_string(&message, rec, name);
    size_t prefix_size = prefix != NULL ? domain_size + 1 : 0;
    char *label = malloc(prefix_size + message.size + 1);
    cell->text = label;
    if (label == NULL)
        return false;
    if (prefix != NULL) {
        memcpy(label, prefix, domain_size);
        label[domain_size] = ':';
    }
    memcpy(label + prefix_size, message.text, message.size + 1);
    cell->size = prefix_size + message.size;
    return true;
}

const char *rf_range_style(uint32_t kind)
{
    if ((kind & RF_STYLE_BY_PROCESS) != 0)
        return "StartEnd (process)";
    return kind == RF_EVENT_PUSH_POP ? "PushPop" : "StartEnd";
}
