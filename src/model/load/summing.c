/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/summing.h"

#include <stdlib.h>
#include <string.h>

#include "model/same_domains.h"

#define MANY_EVENTS 1024u /* more than fit into a cache cost more */

static bool is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

static bool add_event(struct rf_sums *sums, const struct rf_event *event, uint32_t domain,
                      const struct rf_sum_owner *owner)
{
    const struct rf_sum_key key = {domain, event->name, event->kind};
    const struct rf_sum_place place = {(uint64_t)event->end_ns - (uint64_t)event->start_ns,
                                       event->start_ns, *owner};
    return rf_sums_add(sums, &key, &place);
}

/* ---- While a stream is decoded ---- */

static bool has_ended(const struct rf_event *event)
{
    if (event->payload_type == RF_TYPE_EXTENDED)
        return false; /* payloads may say what the event is called */
    return event->kind == RF_EVENT_MARK ||
           (event->kind == RF_EVENT_PUSH_POP && event->end_ns != RF_NO_TIME);
}

static void take_out(struct rf_decoder *d, const struct rf_load_thread *thread,
                     const struct rf_event *event)
{
    const struct rf_sum_owner owner = {thread->process, thread->tid, thread->serial};
    d->n_summed.n_events++;
    d->n_summed.n_cut += event->cut != RF_CUT_NONE;
    if (event->kind == RF_EVENT_MARK) {
        d->n_summed.n_marks++;
        return;
    }
    d->n_summed.n_ranges++;
    if (!add_event(&d->sums, event, event->domain, &owner))
        d->is_out_of_memory = true;
}

/* Open ranges are linked, from the innermost outwards, by their places: each moves to
 * moved[its place]. */
static void move_links(struct rf_load_thread *thread, const uint32_t *moved)
{
    for (uint32_t i = 0; i < thread->n_stacks; i++) {
        uint32_t *link = &thread->stack[i].top;
        while (*link != RF_NO_INDEX) {
            *link = moved[*link];
            link = &thread->event[*link].link;
        }
    }
}

void rf_sum_ended(struct rf_decoder *d, struct rf_load_thread *thread,
                  struct rf_load_stream *stream)
{
    size_t n = 0, enough = thread->enough > MANY_EVENTS ? thread->enough : MANY_EVENTS;
    if (thread->n < enough)
        return;
    uint32_t *moved = malloc(thread->n * sizeof(*moved));
    if (moved == NULL) {
        d->is_out_of_memory = true;
        return;
    }
    if (thread->n_summed == 0)
        thread->first_event_ns = thread->event[0].start_ns;
    for (size_t i = 0; i < thread->n; i++) {
        const struct rf_event *event = &thread->event[i];
        if (event->start_ns < thread->first_event_ns)
            thread->first_event_ns = event->start_ns;
        if (has_ended(event)) {
            take_out(d, thread, event);
            continue;
        }
        if (event->kind == RF_EVENT_START_END)
            stream->start[event->link].event = (uint32_t)n;
        moved[i] = (uint32_t)n;
        thread->event[n++] = *event;
    }
    move_links(thread, moved);
    free(moved);
    thread->n_summed += thread->n - n;
    thread->n = n;
    thread->enough = 2 * n;
}

/* ---- When all are ---- */

int rf_sums_join(struct rf_load *load, const struct rf_decoder *d, const uint32_t *remap)
{
    for (size_t i = 0; i < d->sums.n; i++) {
        const struct rf_sum *sum = &d->sums.sum[i];
        struct rf_sum_key key = sum->key;
        if (remap != NULL && key.name != RF_NO_STRING && key.name >= d->name_base)
            key.name = remap[key.name - d->name_base];
        if (!rf_sums_merge(&load->sums, &key, sum))
            return RF_ERR_NO_MEMORY;
    }
    load->n_summed.n_events += d->n_summed.n_events;
    load->n_summed.n_ranges += d->n_summed.n_ranges;
    load->n_summed.n_marks += d->n_summed.n_marks;
    load->n_summed.n_cut += d->n_summed.n_cut;
    return RF_OK;
}

bool rf_sums_are_wrong(const struct rf_load *load)
{
    for (uint32_t i = 0; i < load->n_threads; i++)
        if (load->thread[i]->is_merged && load->thread[i]->n_summed > 0)
            return true;
    return false;
}

/* The events that were kept. */
static bool add_kept(rf_recording *rec, const uint32_t *same_domain)
{
    for (uint32_t t = 0; t < rec->n_threads; t++) {
        struct rf_thread_events *events = &rec->events[t];
        const struct rf_sum_owner owner = {rec->thread[t].process, rec->thread[t].tid,
                                           rec->thread[t].serial};
        for (size_t i = 0; i < events->n; i++)
            if (is_range(&events->event[i]) &&
                !add_event(rec->sums, &events->event[i], same_domain[events->event[i].domain],
                           &owner))
                return false;
        free(events->memory);
        *events = (struct rf_thread_events){.event = NULL};
    }
    return true;
}

int rf_load_sums(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    struct rf_info *info = &rec->info;
    if (!load->sums_ranges)
        return RF_OK;
    uint32_t *same_domain = rf_same_domains(rec);
    rec->sums = calloc(1, sizeof(*rec->sums));
    bool is_done = same_domain != NULL && rec->sums != NULL;
    for (size_t i = 0; i < load->sums.n && is_done; i++) {
        struct rf_sum_key key = load->sums.sum[i].key;
        key.domain = same_domain[key.domain];
        is_done = rf_sums_merge(rec->sums, &key, &load->sums.sum[i]);
    }
    is_done = is_done && add_kept(rec, same_domain);
    free(same_domain);
    info->n_events += load->n_summed.n_events;
    info->n_ranges += load->n_summed.n_ranges;
    info->n_marks += load->n_summed.n_marks;
    info->n_cut += load->n_summed.n_cut;
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}
