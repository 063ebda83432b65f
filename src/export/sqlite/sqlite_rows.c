/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int compare_inherited(const void *a, const void *b)
{
    const struct rf_inherited_domain *x = a;
    const struct rf_inherited_domain *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->domain < y->domain ? -1 : x->domain > y->domain;
}

static int is_created(const struct rf_domain *domain)
{
    return domain->is_valid && domain->id != 0;
}

/* Marks the domains that have an event of their own creation. */
static void find_created(const rf_recording *rec, unsigned char *has_event)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_event *events = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            if (events[i].kind == RF_EVENT_DOMAIN_CREATE)
                has_event[events[i].domain] = 1;
    }
}

/* An import can hold ranges of a domain that nothing else tells of: there is no name to look up. */
static int is_unknown(const rf_recording *rec, const struct rf_domain *domain)
{
    return domain->name == RF_NO_STRING &&
           rf_process_at(rec, domain->process)->parent == RF_NO_INDEX;
}

/* Consumers look names up by process and domain, so an inherited domain needs its row too. */
static void collect_inherited(struct rf_nvtx_rows *rows)
{
    uint32_t n_created = 0;
    for (uint32_t i = 0; i < rf_n_domains(rows->rec); i++)
        n_created += is_created(rf_domain_at(rows->rec, i)) != 0;
    if (n_created == 0)
        return;
    find_created(rows->rec, rows->is_domain_seen);
    for (uint32_t i = 0; i < rf_n_domains(rows->rec); i++) {
        const struct rf_domain *domain = rf_domain_at(rows->rec, i);
        if (!is_created(domain) || rows->is_domain_seen[i] || is_unknown(rows->rec, domain))
            continue;
        rows->inherited[rows->n_inherited].start_ns =
            rf_process_at(rows->rec, domain->process)->first_ns;
        rows->inherited[rows->n_inherited++].domain = i;
    }
    memset(rows->is_domain_seen, 0, rf_n_domains(rows->rec));
    qsort(rows->inherited, rows->n_inherited, sizeof(*rows->inherited), compare_inherited);
}

/* Only the first creation of a domain is a row: with more, consumers that join on it count every
 * range several times. */
static int has_row(struct rf_nvtx_rows *rows, const struct rf_event *event)
{
    switch (event->kind) {
    case RF_EVENT_PUSH_POP:
    case RF_EVENT_START_END:
    case RF_EVENT_MARK:
    case RF_EVENT_CATEGORY:
    case RF_EVENT_THREAD_NAME:
    case RF_EVENT_DOMAIN_DESTROY:
        return 1;
    case RF_EVENT_DOMAIN_CREATE:
        if (rows->is_domain_seen[event->domain])
            return 0;
        rows->is_domain_seen[event->domain] = 1;
        return 1;
    default:
        return 0;
    }
}

static void next_event(struct rf_nvtx_rows *rows)
{
    do {
        rows->has_event = rf_cursor_next(rows->cursor, &rows->at);
    } while (rows->has_event && !has_row(rows, rows->at.event));
}

int rf_nvtx_rows_init(struct rf_nvtx_rows *rows, const rf_recording *rec, struct rf_err *err)
{
    memset(rows, 0, sizeof(*rows));
    rows->rec = rec;
    size_t n = rf_n_domains(rec);
    rows->is_domain_seen = calloc(n + 1, 1);
    rows->inherited = calloc(n + 1, sizeof(*rows->inherited));
    if (rows->is_domain_seen == NULL || rows->inherited == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    collect_inherited(rows);
    int status = rf_cursor_new(rec, &rows->cursor, err);
    if (status == RF_OK)
        next_event(rows);
    rows->is_inherited = 1; /* the first event is not to be passed over by the first next */
    return status;
}

int rf_nvtx_rows_next(struct rf_nvtx_rows *rows)
{
    if (!rows->is_inherited)
        next_event(rows);
    rows->is_inherited = rows->next_inherited < rows->n_inherited &&
                         (!rows->has_event || rows->inherited[rows->next_inherited].start_ns <=
                                                  rows->at.event->start_ns);
    if (rows->is_inherited) {
        rows->next_inherited++;
        return 1;
    }
    return rows->has_event;
}

void rf_nvtx_rows_release(struct rf_nvtx_rows *rows)
{
    rf_cursor_free(rows->cursor);
    free(rows->is_domain_seen);
    free(rows->inherited);
    memset(rows, 0, sizeof(*rows));
}
