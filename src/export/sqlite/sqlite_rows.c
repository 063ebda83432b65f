/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_rows.h"

#include <stdlib.h>

static int compare_inherited(const void *a, const void *b)
{
    const struct rf_event *x = a;
    const struct rf_event *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->domain < y->domain ? -1 : x->domain > y->domain;
}

static bool is_created(const struct rf_domain *domain)
{
    return domain->is_valid && domain->id != 0;
}

/* Marks the domains that have an event of their own creation. */
static void find_created(const rf_recording *rec, bool *has_event)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_event *events = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            if (events[i].kind == RF_EVENT_DOMAIN_CREATE)
                has_event[events[i].domain] = true;
    }
}

/* An import can hold ranges of a domain that it has no row for: there is no name to look up. */
static bool is_unknown(const rf_recording *rec, const struct rf_domain *domain)
{
    return domain->name == RF_NO_STRING &&
           rf_process_at(rec, domain->process)->parent == RF_NO_INDEX;
}

/* Consumers look names up by process and domain, so an inherited domain needs its row too. */
static void collect_inherited(struct rf_nvtx_rows *rows)
{
    uint32_t n_created = 0;
    for (uint32_t i = 0; i < rf_n_domains(rows->rec); i++)
        n_created += is_created(rf_domain_at(rows->rec, i));
    if (n_created == 0)
        return;
    find_created(rows->rec, rows->is_domain_seen);
    for (uint32_t i = 0; i < rf_n_domains(rows->rec); i++) {
        const struct rf_domain *domain = rf_domain_at(rows->rec, i);
        if (!is_created(domain) || rows->is_domain_seen[i] || is_unknown(rows->rec, domain))
            continue;
        rows->inherited[rows->n_inherited++] =
            (struct rf_event){.kind = RF_EVENT_DOMAIN_CREATE,
                              .start_ns = rf_process_at(rows->rec, domain->process)->first_ns,
                              .end_ns = RF_NO_TIME,
                              .domain = i,
                              .name = domain->name};
    }
    memset(rows->is_domain_seen, 0, rf_n_domains(rows->rec) * sizeof(*rows->is_domain_seen));
    qsort(rows->inherited, rows->n_inherited, sizeof(*rows->inherited), compare_inherited);
}

const uint8_t rf_nvtx_event_types[UINT8_MAX + 1] = {
    [RF_EVENT_PUSH_POP] = 59,      /* NvtxPushPopRange */
    [RF_EVENT_START_END] = 60,     /* NvtxStartEndRange */
    [RF_EVENT_MARK] = 34,          /* NvtxMark */
    [RF_EVENT_CATEGORY] = 33,      /* NvtxCategory */
    [RF_EVENT_THREAD_NAME] = 39,   /* NvtxThread */
    [RF_EVENT_DOMAIN_CREATE] = 75, /* NvtxDomainCreate */
    [RF_EVENT_DOMAIN_DESTROY] = 76 /* NvtxDomainDestroy */
};

/* Only the first creation of a domain is a row: with more, consumers that join on it count every
 * range several times. */
static bool has_row(struct rf_nvtx_rows *rows, const struct rf_event *event)
{
    if (event->kind != RF_EVENT_DOMAIN_CREATE)
        return rf_nvtx_event_types[event->kind] != 0;
    bool is_first = !rows->is_domain_seen[event->domain];
    rows->is_domain_seen[event->domain] = true;
    return is_first;
}

static void find_next(struct rf_nvtx_rows *rows)
{
    do {
        rows->has_next = rf_cursor_next(rows->cursor, &rows->next);
    } while (rows->has_next && !has_row(rows, rows->next.event));
}

void rf_nvtx_rows_init(struct rf_nvtx_rows *rows, struct rf_sqlite *out)
{
    size_t n = rf_n_domains(out->rec);
    *rows = (struct rf_nvtx_rows){.rec = out->rec};
    rows->is_domain_seen = rf_sqlite_alloc(out, n, sizeof(*rows->is_domain_seen));
    rows->inherited = rf_sqlite_alloc(out, n, sizeof(*rows->inherited));
    if (out->status == RF_OK)
        out->status = rf_cursor_new(out->rec, &rows->cursor, out->job->err);
    if (out->status != RF_OK)
        return;
    collect_inherited(rows);
    find_next(rows);
}

bool rf_nvtx_rows_next(struct rf_nvtx_rows *rows)
{
    const struct rf_event *inherited = &rows->inherited[rows->n_inherited_done];
    if (rows->n_inherited_done < rows->n_inherited &&
        (!rows->has_next || inherited->start_ns <= rows->next.event->start_ns)) {
        rows->n_inherited_done++;
        rows->at = (struct rf_event_at){.event = inherited, .thread = RF_NO_INDEX};
        return true;
    }
    if (!rows->has_next)
        return false;
    rows->at = rows->next;
    find_next(rows);
    return true;
}

void rf_nvtx_rows_release(struct rf_nvtx_rows *rows)
{
    rf_cursor_free(rows->cursor);
    free(rows->is_domain_seen);
    free(rows->inherited);
    memset(rows, 0, sizeof(*rows));
}
