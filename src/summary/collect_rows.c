/* SPDX-License-Identifier: Apache-2.0 */
/* What functions that add rows share: names, places and rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary/collect.h"

bool rf_collect_fail(struct rf_collecting *c, int status)
{
    if (c->status == RF_OK)
        c->status = status;
    return false;
}

/* ---- Names ---- */

/* A string of the recording in the summary. known: c->name or c->folded. */
static uint32_t name_of(struct rf_collecting *c, uint32_t *known, uint32_t string)
{
    size_t size;
    const char *text = rf_string(c->rec, string, &size);
    if (text == NULL)
        return RF_NO_STRING;
    if (known[string] == RF_NO_STRING) {
        bool is_folded = known == c->folded;
        known[string] = is_folded ? rf_summary_add_folded(c->summary, text, size)
                                  : rf_strings_add(&c->summary->strings, text, size);
        if (known[string] == RF_NO_STRING)
            (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    }
    return known[string];
}

uint32_t rf_collect_string(struct rf_collecting *c, uint32_t string)
{
    return name_of(c, c->name, string);
}

uint32_t rf_collect_range_name(struct rf_collecting *c, uint32_t string)
{
    return name_of(c, c->options.fold_numbers ? c->folded : c->name, string);
}

uint32_t rf_collect_domain(struct rf_collecting *c, uint32_t index)
{
    const struct rf_domain *domain = rf_domain_at(c->rec, index);
    char handle[24] = "";
    if (domain == NULL)
        return RF_NO_STRING;
    if (domain->is_valid && domain->id != 0)
        return rf_collect_string(c, domain->name);
    if (!domain->is_valid)
        (void)snprintf(handle, sizeof(handle), "0x%llx", (unsigned long long)domain->handle);
    uint32_t string = rf_strings_add(&c->summary->strings, handle, strlen(handle));
    if (string == RF_NO_STRING)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    return string;
}

/* ---- Rows ---- */

int64_t rf_collect_utc(const struct rf_collecting *c, int64_t ns)
{
    int64_t utc;
    if (__builtin_add_overflow(rf_get_info(c->rec)->epoch_utc_ns, ns, &utc))
        return ns < 0 ? INT64_MIN : INT64_MAX;
    return utc;
}

int64_t rf_collect_rank(const struct rf_collecting *c, int64_t own)
{
    const int64_t said = c->options.rank;
    const bool is_other = said != RF_NO_TIME && said >= 0 && said != rf_get_info(c->rec)->rank;
    return is_other ? said : own;
}

struct rf_summary_place rf_collect_place(const struct rf_collecting *c, uint32_t thread,
                                         int64_t start_ns, uint64_t value)
{
    const struct rf_thread *t = rf_thread_at(c->rec, thread);
    const struct rf_process *process = t != NULL ? rf_process_at(c->rec, t->process) : NULL;
    return (struct rf_summary_place){.value = value,
                                     .start_utc_ns = rf_collect_utc(c, start_ns),
                                     .rank = process != NULL ? process->rank : -1,
                                     .pid = process != NULL ? process->pid : 0,
                                     .tid = t != NULL ? t->tid : 0};
}

bool rf_collect_add_gpu(struct rf_collecting *c, uint32_t path, uint32_t kind, uint64_t ns)
{
    struct rf_summary_row *row = rf_summary_row(c->summary, 0, path, kind);
    int status = row != NULL ? rf_summary_row_add_gpu(row, 1, ns) : RF_ERR_NO_MEMORY;
    return status == RF_OK || rf_collect_fail(c, status);
}

bool rf_collect_add_self(struct rf_collecting *c, uint32_t path, uint32_t kind, uint64_t ns)
{
    struct rf_summary_row *row = rf_summary_row(c->summary, 0, path, kind);
    int status = row != NULL ? rf_summary_row_add_self(row, ns) : RF_ERR_NO_MEMORY;
    return status == RF_OK || rf_collect_fail(c, status);
}

bool rf_collect_add(struct rf_collecting *c, uint32_t path, uint32_t kind,
                    const struct rf_summary_place *place)
{
    struct rf_summary_row *row =
        path != RF_NO_INDEX ? rf_summary_row(c->summary, 0, path, kind) : NULL;
    int status = row != NULL ? rf_summary_row_add(row, place) : RF_ERR_NO_MEMORY;
    return status == RF_OK || rf_collect_fail(c, status);
}
