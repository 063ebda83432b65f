/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/range_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
