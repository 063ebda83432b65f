/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_dated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/load/load.h"
#include "model/load/start_ends.h"
#include "model/nvtx/nvtx_entries.h"
#include "model/nvtx/nvtx_scope.h"
#include "model/strings.h"

int rf_nvtx_set_scope(struct rf_load *load, const struct rf_event *event,
                      const struct rf_nvtx_dates *dates)
{
    rf_recording *rec = load->rec;
    int status = RF_OK;
    char text[32];
    if (event->payload_type != RF_TYPE_EXTENDED || rec->payloads == NULL ||
        event->payload >= rec->payloads->n || (!dates->has_tid && dates->scope == 0) ||
        (!dates->has_tid && rf_nvtx_is_thread_scope(dates->scope)))
        return RF_OK;
    uint32_t *scope = &rec->payloads->set[event->payload].scope;
    if (!dates->has_tid) {
        *scope = rf_nvtx_scope(load, event->domain, dates->scope, &status);
        return status;
    }
    int n = snprintf(text, sizeof(text), "thread %u", dates->tid);
    *scope = rf_strings_add(&rec->strings, text, (size_t)n);
    return *scope != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
}

void rf_nvtx_mark_placed(struct rf_load *load, const struct rf_event *event)
{
    struct rf_payloads *payloads = load->rec->payloads;
    if (event->payload_type == RF_TYPE_EXTENDED && payloads != NULL && event->payload < payloads->n)
        payloads->set[event->payload].is_placed = true;
}

/* ---- Events that were called when they happened, or about then ---- */

static int64_t first_known(int64_t a, int64_t b)
{
    return a != RF_NO_TIME ? a : b;
}

/* Returns whether the event has other times than before. */
static bool set_times(struct rf_event *event, const struct rf_nvtx_dates *begin,
                      const struct rf_nvtx_dates *end)
{
    const int64_t start_ns = event->start_ns, end_ns = event->end_ns;
    int64_t from = first_known(begin->ns[RF_NVTX_BEGIN], begin->ns[RF_NVTX_POINT]);
    int64_t to = first_known(end->ns[RF_NVTX_END], end->ns[RF_NVTX_POINT]);
    to = first_known(to, begin->ns[RF_NVTX_END]);
    event->start_ns = first_known(from, start_ns);
    if (event->kind == RF_EVENT_MARK)
        return event->start_ns != start_ns;
    if (event->cut == RF_CUT_NONE)
        event->end_ns = first_known(to, end_ns);
    if (event->end_ns < event->start_ns) {
        event->end_ns = event->start_ns;
        event->flags |= RF_EVENT_CLAMPED;
    }
    return event->start_ns != start_ns || event->end_ns != end_ns;
}

/* What it was given in the end is as of then. */
int rf_nvtx_sample_event(struct rf_load *load, uint32_t thread, const struct rf_event *event)
{
    const struct rf_payload_set *set = rf_payload_set_of(load->rec, event);
    struct rf_nvtx_moment at = {set->process, event->domain, thread, event->start_ns};
    int status = rf_nvtx_sample_payloads(load, &at, &set->begin);
    at.ns = event->kind == RF_EVENT_MARK ? event->start_ns : event->end_ns;
    return status == RF_OK ? rf_nvtx_sample_payloads(load, &at, &set->end) : status;
}

int rf_nvtx_date_event(struct rf_nvtx_clocks *clocks, uint32_t thread, uint32_t event)
{
    struct rf_load *load = clocks->load;
    struct rf_load_thread *on = load->thread[thread];
    struct rf_event *dated = &on->event[event];
    const struct rf_payload_set *set = rf_payload_set_of(load->rec, dated);
    struct rf_nvtx_dates begin = {.domain = dated->domain}, end = {.domain = dated->domain};
    const struct rf_event as_called = *dated;
    if (set == NULL ||
        (!rf_nvtx_has_dates(load->rec, &set->begin) && !rf_nvtx_has_dates(load->rec, &set->end)))
        return RF_OK;
    int status = rf_nvtx_read_dates(clocks, on->process, &set->begin, &begin);
    if (status == RF_OK)
        status = rf_nvtx_read_dates(clocks, on->process, &set->end, &end);
    if (status == RF_OK)
        status = rf_nvtx_set_scope(load, dated, end.scope_rank > begin.scope_rank ? &end : &begin);
    if (begin.is_far || end.is_far) {
        load->cuda.n_notes[RF_NOTE_EVENT_FAR]++;
        rf_nvtx_mark_placed(load, dated);
    }
    const bool has_moved = set_times(dated, &begin, &end);
    if (status == RF_OK)
        status = rf_nvtx_sample_event(load, thread, dated);
    if (status != RF_OK || !has_moved)
        return status;
    on->is_unsorted = on->has_ties = true;
    load->cuda.n_notes[RF_NOTE_EVENT_OUTSIDE] += load->windows.is_focused &&
                                                 rf_windows_have(&load->windows, &as_called) &&
                                                 !rf_windows_have(&load->windows, dated);
    return dated->kind == RF_EVENT_PUSH_POP ? rf_nvtx_add_dated(load, thread, event) : RF_OK;
}

/* ---- Nesting ---- */

int rf_nvtx_add_dated(struct rf_load *load, uint32_t thread, uint32_t event)
{
    struct rf_nvtx_load *nvtx = &load->nvtx;
    if (rf_grow_array(&nvtx->dated, nvtx->n_dated, &nvtx->dated_room, sizeof(*nvtx->dated)) !=
        RF_OK)
        return RF_ERR_NO_MEMORY;
    load->thread[thread]->has_dated = true;
    nvtx->dated[nvtx->n_dated++] = (struct rf_nvtx_dated){thread, event};
    return RF_OK;
}

/* A push/pop range of a thread. */
struct nested {
    int64_t start_ns, end_ns;
    uint32_t domain, event;
    bool is_dated;
    bool is_crossing;
};

static int compare_nested(const void *left, const void *right)
{
    const struct nested *a = left, *b = right;
    if (a->domain != b->domain)
        return a->domain < b->domain ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

static int compare_dated(const void *left, const void *right)
{
    const struct rf_nvtx_dated *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

/* Sweeps over ranges in order. `open` has room for all of them. A range that the calls made stays:
 * those that it crosses give way. Of two that are dated the later one does. */
static void find_crossing(struct nested *range, size_t n, struct nested **open)
{
    size_t n_open = 0;
    for (size_t i = 0; i < n; i++) {
        struct nested *at = &range[i];
        while (n_open > 0 &&
               (open[n_open - 1]->domain != at->domain || open[n_open - 1]->end_ns <= at->start_ns))
            n_open--;
        while (n_open > 0 && open[n_open - 1]->end_ns < at->end_ns) {
            at->is_crossing = at->is_dated;
            if (at->is_dated || !open[n_open - 1]->is_dated)
                break;
            open[--n_open]->is_crossing = true;
        }
        if (!at->is_crossing)
            open[n_open++] = at;
    }
}

static int nest_thread(struct rf_load *load, uint32_t index, const struct rf_nvtx_dated *dated,
                       uint32_t n_dated)
{
    const struct rf_load_thread *thread = load->thread[index];
    struct nested *range = calloc(thread->n + 1, sizeof(*range));
    struct nested **open = calloc(thread->n + 1, sizeof(struct nested *));
    int status = range != NULL && open != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    size_t n = 0;
    for (size_t i = 0; i < thread->n && status == RF_OK; i++) {
        const struct rf_event *event = &thread->event[i];
        while (n_dated > 0 && dated->event < i) {
            dated++;
            n_dated--;
        }
        if (event->kind == RF_EVENT_PUSH_POP)
            range[n++] = (struct nested){.start_ns = event->start_ns,
                                         .end_ns = event->end_ns,
                                         .domain = event->domain,
                                         .event = (uint32_t)i,
                                         .is_dated = n_dated > 0 && dated->event == (uint32_t)i};
    }
    if (status == RF_OK) {
        qsort(range, n, sizeof(*range), compare_nested);
        find_crossing(range, n, open);
    }
    for (size_t i = 0; i < n && status == RF_OK; i++)
        if (range[i].is_crossing)
            status = rf_load_make_start_end(load, index, range[i].event, 0);
    free(range);
    free(open);
    return status;
}

int rf_nvtx_nest(struct rf_load *load)
{
    struct rf_nvtx_load *nvtx = &load->nvtx;
    int status = RF_OK;
    if (nvtx->n_dated > 0)
        qsort(nvtx->dated, nvtx->n_dated, sizeof(*nvtx->dated), compare_dated);
    for (uint32_t i = 0, end; i < nvtx->n_dated && status == RF_OK; i = end) {
        for (end = i; end < nvtx->n_dated && nvtx->dated[end].thread == nvtx->dated[i].thread;)
            end++;
        status = nest_thread(load, nvtx->dated[i].thread, nvtx->dated + i, end - i);
    }
    return status;
}
