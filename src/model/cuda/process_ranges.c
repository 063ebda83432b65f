/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/process_ranges.h"

#include <stdlib.h>

static bool is_ended_by_other(const rf_recording *rec, uint32_t thread,
                              const struct rf_event *event)
{
    return event->kind == RF_EVENT_START_END && rec->start_end[event->link].end_thread != thread;
}

size_t rf_count_ended_by_others(const rf_recording *rec, uint32_t thread)
{
    const struct rf_thread_events *events = &rec->events[thread];
    size_t n = 0;
    for (size_t i = 0; i < events->n; i++)
        n += is_ended_by_other(rec, thread, &events->event[i]);
    return n;
}

/* Those around others first. */
static int compare_events(const void *left, const void *right)
{
    const struct rf_event *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns > b->end_ns ? -1 : a->end_ns < b->end_ns;
}

static int collect(struct rf_ranges_of_process *p, uint32_t process)
{
    const rf_recording *rec = p->rec;
    size_t n = 0;
    for (uint32_t t = 0; t < rec->n_threads; t++)
        n += rec->thread[t].process == process ? rf_count_ended_by_others(rec, t) : 0;
    p->event = malloc((n + 1) * sizeof(*p->event));
    if (p->event == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t t = 0; t < rec->n_threads; t++)
        for (size_t i = 0; i < rec->events[t].n && rec->thread[t].process == process; i++) {
            if (!is_ended_by_other(rec, t, &rec->events[t].event[i]))
                continue;
            p->event[p->n] = rec->events[t].event[i];
            p->event[p->n++].color = t;
        }
    qsort(p->event, p->n, sizeof(*p->event), compare_events);
    return RF_OK;
}

static int begin(struct rf_ranges_of_process *p, uint32_t process)
{
    int status = collect(p, process);
    rf_range_stack_init(&p->ranges);
    p->kept = (struct rf_kept_ranges){.event = p->event, .n = p->n};
    p->has_begun = true;
    return status;
}

static int push(struct rf_ranges_of_process *p, const struct rf_event *range)
{
    int status = rf_range_stack_push(&p->ranges, p->pool, range->start_ns, 0);
    if (status == RF_OK)
        status = rf_projected_work_push(p->projected, p->ranges.open, range->color, range->domain,
                                        range->name, range->kind | RF_RANGES_BY_PROCESS);
    return status == RF_OK ? rf_kept_ranges_began(&p->kept, range, p->ranges.open) : status;
}

/* What begins and ends up to a time. */
static int read_up_to(struct rf_ranges_of_process *p, int64_t until_ns)
{
    const struct rf_event *range;
    enum rf_kept_step step;
    uint32_t node;
    int status = RF_OK;
    while (status == RF_OK && !p->ranges.is_uncertain &&
           (step = rf_kept_ranges_next(&p->kept, until_ns, &range, &node)) != RF_KEPT_NONE)
        status = step == RF_KEPT_BEGIN
                     ? push(p, range)
                     : rf_range_stack_take(&p->ranges, p->pool, node, range->end_ns);
    p->is_uncertain |= p->ranges.is_uncertain;
    return status;
}

int rf_ranges_of_process_find(struct rf_ranges_of_process *p, uint32_t process, int64_t start_ns,
                              int64_t end_ns, uint32_t *node)
{
    int status = p->has_begun ? RF_OK : begin(p, process);
    if (status == RF_OK)
        status = read_up_to(p, end_ns);
    *node = RF_NO_INDEX;
    if (status == RF_OK && !p->is_uncertain)
        *node = rf_range_stack_find(&p->ranges, p->pool, start_ns, end_ns);
    p->is_uncertain |= p->ranges.is_uncertain;
    return status;
}

int rf_ranges_of_process_end(struct rf_ranges_of_process *p)
{
    if (!p->has_begun)
        return RF_OK;
    const int status = read_up_to(p, INT64_MAX);
    rf_range_stack_end(&p->ranges, p->pool);
    p->is_uncertain |= p->ranges.is_uncertain;
    rf_ranges_of_process_release(p);
    return status;
}

void rf_ranges_of_process_release(struct rf_ranges_of_process *p)
{
    rf_kept_ranges_release(&p->kept);
    rf_range_stack_release(&p->ranges);
    free(p->event);
    p->event = NULL;
    p->n = 0;
    p->has_begun = false;
}
