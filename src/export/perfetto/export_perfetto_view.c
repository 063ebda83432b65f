/* SPDX-License-Identifier: Apache-2.0 */
/* Where a range is in the trace: its time there, and the name of its track as Perfetto's user
 * interface shows it, which adds the thread's id: "NAME TID" for a thread's own track, "NAME (TID)"
 * for those below it. */
#include "export/perfetto/export_perfetto_view.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/sized.h"
#include "export/perfetto/export_perfetto.h"
#include "export/perfetto/export_perfetto_domains.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_time.h"
#include "export/shown_begin.h"
#include "model/filter/range_search.h"
#include "model/private_access.h"

#define SLOWEST      "slowest:"
#define MAX_NAME     96 /* bytes of a track's name that are compared */
#define LEAST_MARGIN 1000
#define PLAIN_CHARS  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _-:/"

/* ---- Time ---- */

/* Times of a damaged recording may be anything: nothing overflows. */
static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* How much later b is than a; 0: it is not. */
static uint64_t difference(int64_t a, int64_t b)
{
    return b > a ? (uint64_t)b - (uint64_t)a : 0;
}

/* When the last range or call ends: no later than the trace, beyond which a viewer shows nothing.
 */
static int64_t last_end_ns(const rf_recording *rec)
{
    int64_t last_ns = INT64_MIN;
    size_t n;
    for (uint32_t thread = 0; thread < rf_n_threads(rec); thread++) {
        const struct rf_event *event = rf_thread_events(rec, thread, &n);
        for (size_t i = 0; i < n; i++)
            if ((event[i].kind == RF_EVENT_PUSH_POP || event[i].kind == RF_EVENT_START_END) &&
                event[i].end_ns > last_ns)
                last_ns = event[i].end_ns;
        const struct rf_call *call = rf_thread_calls(rec, thread, &n);
        for (size_t i = 0; i < n; i++)
            if (call[i].end_ns > last_ns)
                last_ns = call[i].end_ns;
    }
    return last_ns;
}

/* The trace's time at time 0 of the recording, which is the last one of merging, if that is not
 * NULL. */
static int64_t base_of(const rf_recording *rec, const struct rf_merging *merging)
{
    if (merging == NULL)
        return pf_base_ns(rec, rf_shown_begin_ns(rec));
    return sum(merging->base_ns, rf_merging_last(merging)->shift_ns);
}

/* The range with twice its duration before and after it, within the trace: what Perfetto shows
 * around a slice that it selects. */
static void set_times(struct rf_trace_view *view, const rf_recording *rec, int64_t base_ns,
                      const struct rf_found_range *range)
{
    int64_t begin_ns = rf_shown_begin_ns(rec), last_ns = last_end_ns(rec);
    uint64_t margin_ns = difference(range->start_ns, range->end_ns);
    margin_ns = margin_ns < INT64_MAX / 2 ? 2 * margin_ns : INT64_MAX;
    if (margin_ns < LEAST_MARGIN)
        margin_ns = LEAST_MARGIN;
    if (difference(begin_ns, range->start_ns) > margin_ns)
        begin_ns = sum(range->start_ns, -(int64_t)margin_ns);
    if (difference(range->end_ns, last_ns) > margin_ns)
        last_ns = sum(range->end_ns, (int64_t)margin_ns);
    view->start_ns = sum(base_ns, range->start_ns);
    view->end_ns = sum(base_ns, range->end_ns);
    view->shown_begin_ns = sum(base_ns, begin_ns);
    view->shown_end_ns = sum(base_ns, last_ns);
}

/* ---- The track ---- */

/* Adds the pattern of a text: any character stands for those that could mean something else in a
 * pattern, or in what it is written into. JavaScript counts UTF-16 units. */
static void add_pattern(struct rf_trace_view *view, const char *text, size_t size)
{
    char shown[3 * MAX_NAME];
    size_t used = strlen(view->track), n = size < MAX_NAME ? size : MAX_NAME;
    while (n < size && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--; /* not within a character */
    n = rf_utf8_replace(shown, text, n);
    for (size_t i = 0; i < n && used + 8 < sizeof(view->track); i++) {
        unsigned char c = (unsigned char)shown[i];
        if (c != '\0' && strchr(PLAIN_CHARS, c) != NULL)
            view->track[used++] = (char)c;
        else if ((c & 0xc0) != 0x80)
            used += (size_t)snprintf(view->track + used, sizeof(view->track) - used, "%s",
                                     c >= 0xf0 ? "[^][^]" : "[^]");
    }
    (void)snprintf(view->track + used, sizeof(view->track) - used, "%s",
                   size > MAX_NAME ? "[^]*" : "");
}

static void set_track(struct rf_trace_view *view, struct pf_writer *to, const char *suffix)
{
    (void)snprintf(view->track, sizeof(view->track), "^");
    add_pattern(view, to->words.buffer, to->words.used);
    add_pattern(view, suffix, strlen(suffix));
    size_t used = strlen(view->track);
    (void)snprintf(view->track + used, sizeof(view->track) - used, "$");
    to->words.used = 0;
}

/* Processes share the names of tracks without a pid: nothing is said where there are more than one,
 * as in a trace of several recordings. */
static void name_of_process(struct rf_trace_view *view, struct pf_writer *to,
                            const struct pf_track_name *name)
{
    if (name->pid == 0 && (rf_n_processes(to->rec) != 1 || to->job->merging != NULL))
        return;
    pf_sink_track_name(to, name);
    set_track(view, to, "");
}

static void name_of_thread(struct rf_trace_view *view, struct pf_writer *to, uint32_t thread,
                           const struct pf_track_name *name)
{
    char suffix[32];
    bool is_replaced = to->ids.tids[thread] != rf_thread_at(to->rec, thread)->tid;
    if (is_replaced && to->job->merging != NULL) /* by a number that follows other inputs' */
        return;
    (void)snprintf(suffix, sizeof(suffix), name != NULL ? " (%u)" : " %u", to->ids.tids[thread]);
    if (name != NULL)
        pf_sink_track_name(to, name);
    else
        pf_sink_thread_name(to, thread);
    set_track(view, to, suffix);
}

static void find_track(struct rf_trace_view *view, struct pf_writer *to,
                       const struct rf_event *event)
{
    struct pf_track_name name = {.string = RF_NO_STRING};
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    const bool has_category = pf_category_key(to, event) != 0;
    const bool is_default = domain->id == 0 && domain->is_valid;
    const bool is_start_end = event->kind == RF_EVENT_START_END;
    const uint32_t scope = rf_has_scopes(to->rec) ? rf_event_scope(to->rec, event) : RF_NO_STRING;
    if (has_category)
        pf_name_category(to, &name, event);
    else if (scope != RF_NO_STRING && is_default)
        name.string = scope;
    else if (is_start_end && scope == RF_NO_STRING)
        pf_name_start_ends(to, &name, domain);
    else
        pf_name_domain(to, &name, domain, "");
    if (is_start_end || scope != RF_NO_STRING)
        name_of_process(view, to, &name);
    else
        name_of_thread(view, to, view->thread, has_category || !is_default ? &name : NULL);
}

static int cut_words(void *context, const void *data, size_t size, struct rf_err *err)
{
    (void)context; /* a name that is too long is cut */
    (void)data;
    (void)size;
    (void)err;
    return RF_OK;
}

static int set_view_track(struct rf_trace_view *view, struct rf_export_job *job, bool by_category,
                          struct rf_err *err)
{
    const rf_recording *rec = job->rec;
    struct pf_writer to = {.job = job, .rec = rec, .by_category = by_category};
    int status = rf_shown_ids_init(&to.ids, rec, 1, NULL, err);
    if (status == RF_OK)
        status = rf_sink_init(&to.words, cut_words, NULL, err);
    if (status == RF_OK)
        find_track(view, &to, rf_thread_event_at(rec, view->thread, view->event));
    rf_sink_release(&to.words);
    rf_shown_ids_release(&to.ids);
    return status;
}

/* ---- The view ---- */

static const struct rf_found_range *choose(const struct rf_found_ranges *found, bool is_slowest)
{
    const struct rf_found_range *chosen = &found->range[0];
    for (size_t i = 1; i < found->n && is_slowest; i++) {
        const struct rf_found_range *range = &found->range[i];
        if (difference(range->start_ns, range->end_ns) >
            difference(chosen->start_ns, chosen->end_ns))
            chosen = range;
    }
    return chosen;
}

int pf_find_view(const rf_recording *rec, struct rf_merging *merging, const char *range,
                 bool by_category, struct rf_trace_view *out, struct rf_err *err)
{
    struct rf_trace_view view = RF_TRACE_VIEW_INIT;
    struct rf_export_job job = {.rec = rec, .merging = merging};
    struct rf_found_ranges found;
    bool is_slowest = strncmp(range, SLOWEST, strlen(SLOWEST)) == 0;
    int status =
        rf_find_ranges(rec, is_slowest ? range + strlen(SLOWEST) : range, NULL, &found, err);
    if (status == RF_OK && is_slowest && found.is_indexed)
        status = rf_fail(err, RF_ERR_USAGE,
                         "'%s': an INDEX names one range, and 'slowest:' asks for one of all: "
                         "leave one of the two out",
                         range);
    if (status == RF_OK) {
        const struct rf_found_range *chosen = choose(&found, is_slowest);
        view.n_found = found.n;
        view.thread = chosen->thread;
        view.event = chosen->event;
        set_times(&view, rec, base_of(rec, merging), chosen);
        status = set_view_track(&view, &job, by_category, err);
    }
    rf_found_ranges_release(&found);
    if (status == RF_OK && rf_sized_write(out, sizeof(view), &view) != RF_SIZED_OK)
        status = rf_fail(err, RF_ERR_USAGE, "rf_find_view: begin with RF_TRACE_VIEW_INIT");
    return status;
}

int rf_find_view(const rf_recording *rec, const char *range, int tracks_by_category,
                 struct rf_trace_view *out, struct rf_err *err)
{
    if (rec == NULL || range == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_find_view: an argument is NULL");
    return pf_find_view(rec, NULL, range, tracks_by_category != 0, out, err);
}
