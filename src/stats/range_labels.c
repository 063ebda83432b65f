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
        int is_same =
            i > 0 && order[i].kind == order[i - 1].kind && order[i].key == order[i - 1].key;
        same[order[i].index] = is_same ? same[order[i - 1].index] : order[i].index;
    }
    free(order);
    return same;
}

/* ---- Labels ---- */

/* NULL: nothing is known of it but its number, and the message stands alone, as it is typed. */
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

char *rf_range_label(const rf_recording *rec, uint32_t domain, uint32_t name, size_t *size)
{
    char handle[24];
    size_t domain_size = 0;
    size_t text_size;
    const char *prefix = domain_label(rec, domain, handle, &domain_size);
    const char *text = rf_string(rec, name, &text_size);
    if (text == NULL) {
        text = "(null)";
        text_size = strlen(text);
    }
    size_t prefix_size = prefix != NULL ? domain_size + 1 : 0;
    *size = prefix_size + text_size;
    char *label = malloc(*size + 1);
    if (label == NULL)
        return NULL;
    if (prefix != NULL) {
        memcpy(label, prefix, domain_size);
        label[domain_size] = ':';
    }
    memcpy(label + prefix_size, text, text_size);
    return label;
}

const char *rf_range_style(int kind)
{
    if ((kind & RF_STYLE_BY_PROCESS) != 0)
        return "StartEnd (process)";
    return kind == RF_EVENT_PUSH_POP ? "PushPop" : "StartEnd";
}
