/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing recordings, and what they hand out. */
#include "model/recording.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"

/* Programs that were compiled earlier step through arrays of these. */
_Static_assert(sizeof(struct rf_event) == 48, "an event has 48 bytes");
_Static_assert(sizeof(struct rf_call) == 40, "a call has 40 bytes");
_Static_assert(sizeof(struct rf_gpu_op) == 56, "a piece of GPU work has 56 bytes");
_Static_assert(sizeof(struct rf_extra) == 64, "an extra has 64 bytes");
_Static_assert(sizeof(struct rf_projection) == 48, "a projection has 48 bytes");

/* Callers allocate these, and the library writes them whole. */
_Static_assert(sizeof(struct rf_event_at) == 16, "it keeps its size");
_Static_assert(sizeof(struct rf_err) == 1040, "it keeps its size");

const struct rf_info *rf_get_info(const rf_recording *rec)
{
    return rec != NULL ? &rec->info : NULL;
}

const struct rf_piece_info *rf_get_piece(const rf_recording *rec)
{
    return rec != NULL && rec->piece.number > 0 ? &rec->piece : NULL;
}

const struct rf_ring_info *rf_get_ring(const rf_recording *rec)
{
    return rec != NULL && rec->ring.size_bytes > 0 ? &rec->ring : NULL;
}

const char *rf_message_at(const rf_recording *rec, size_t i)
{
    for (uint32_t k = 0; rec != NULL && k < RF_MAX_MESSAGES; k++)
        if (rec->control.message[k][0] != 0 && i-- == 0)
            return rec->control.message[k];
    return NULL;
}

const char *rf_string(const rf_recording *rec, uint32_t id, size_t *size)
{
    if (rec == NULL || id >= rec->strings.n) {
        if (size != NULL)
            *size = 0;
        return NULL;
    }
    if (size != NULL)
        *size = rec->strings.entry[id].size;
    return rec->strings.entry[id].text;
}

uint32_t rf_n_strings(const rf_recording *rec)
{
    return rec != NULL ? rec->strings.n : 0;
}

uint32_t rf_n_processes(const rf_recording *rec)
{
    return rec != NULL ? rec->n_processes : 0;
}

const struct rf_process *rf_process_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->n_processes ? &rec->process[i] : NULL;
}

uint32_t rf_n_threads(const rf_recording *rec)
{
    return rec != NULL ? rec->n_threads : 0;
}

const struct rf_thread *rf_thread_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->n_threads ? &rec->thread[i] : NULL;
}

uint32_t rf_n_domains(const rf_recording *rec)
{
    return rec != NULL ? rec->n_domains : 0;
}

const struct rf_domain *rf_domain_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->n_domains ? &rec->domain[i] : NULL;
}

uint32_t rf_n_captures(const rf_recording *rec)
{
    return rec != NULL ? rec->n_captures : 0;
}

const struct rf_capture_info *rf_capture_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->n_captures ? &rec->capture[i] : NULL;
}

uint64_t rf_captured_ns(const rf_recording *rec)
{
    uint64_t ns = 0;
    for (uint32_t i = 0; i < rf_n_captures(rec); i++)
        ns += (uint64_t)rec->capture[i].end_ns - (uint64_t)rec->capture[i].begin_ns;
    return ns;
}

uint32_t rf_category_name(const rf_recording *rec, uint32_t domain, uint32_t category)
{
    while (rec != NULL && domain < rec->n_domains) {
        uint32_t name = rf_map_find(&rec->category, domain, category);
        if (name != RF_MAP_NONE)
            return name;
        domain = rec->domain_parent[domain];
    }
    return RF_NO_STRING;
}

const struct rf_event *rf_thread_events(const rf_recording *rec, uint32_t thread, size_t *n)
{
    size_t n_events = rec != NULL && thread < rec->n_threads ? rec->events[thread].n : 0;
    if (n != NULL)
        *n = n_events;
    return n_events > 0 ? rec->events[thread].event : NULL;
}

const struct rf_event *rf_thread_event_at(const rf_recording *rec, uint32_t thread, size_t i)
{
    size_t n;
    const struct rf_event *event = rf_thread_events(rec, thread, &n);
    return i < n ? &event[i] : NULL;
}

const struct rf_start_end *rf_start_end_at(const rf_recording *rec, uint32_t link)
{
    return rec != NULL && link < rec->n_start_end ? &rec->start_end[link] : NULL;
}

const char *rf_cut_name(int cut)
{
    static const char *const name[] = {[RF_CUT_NONE] = "",
                                       [RF_CUT_THREAD_ENDED] = "thread ended",
                                       [RF_CUT_PROCESS_ENDED] = "process ended",
                                       [RF_CUT_KILLED] = "killed",
                                       [RF_CUT_EXEC] = "exec",
                                       [RF_CUT_CAPTURE_ENDED] = "capture ended",
                                       [RF_CUT_DOMAIN_DESTROYED] = "domain destroyed",
                                       [RF_CUT_LIVE] = "still open",
                                       [RF_CUT_LOST] = "events lost"};
    return cut >= 0 && (size_t)cut < sizeof(name) / sizeof(name[0]) ? name[cut] : "unknown";
}

static void count_event(rf_recording *rec, struct rf_process *process, const struct rf_event *event)
{
    struct rf_info *info = &rec->info;
    if (event->kind > RF_EVENT_MARK)
        return;
    rec->domain[event->domain].n_annotations++;
    process->n_annotations++;
    info->n_cut_at_start += (event->flags & RF_EVENT_CUT_AT_START) != 0;
    if (event->kind == RF_EVENT_MARK) {
        info->n_marks++;
        return;
    }
    info->n_ranges++;
    if (event->cut == RF_CUT_NONE)
        return;
    info->n_cut++;
    info->n_cut_by[event->cut % RF_CUT_REASONS]++;
}

void rf_recording_count_events(rf_recording *rec)
{
    struct rf_info *info = &rec->info;
    info->n_events = info->n_ranges = info->n_marks = info->n_cut = info->n_cut_at_start = 0;
    memset(info->n_cut_by, 0, sizeof(info->n_cut_by));
    for (uint32_t i = 0; i < rec->n_processes; i++)
        rec->process[i].n_annotations = 0;
    for (uint32_t i = 0; i < rec->n_domains; i++)
        rec->domain[i].n_annotations = 0;
    for (uint32_t i = 0; i < rec->n_threads; i++) {
        const struct rf_thread_events *events = &rec->events[i];
        struct rf_process *process = &rec->process[rec->thread[i].process];
        info->n_events += events->n;
        for (size_t k = 0; k < events->n; k++)
            count_event(rec, process, &events->event[k]);
    }
}
