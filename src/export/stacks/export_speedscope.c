/* SPDX-License-Identifier: Apache-2.0 */
/* The file of https://www.speedscope.app: for each thread its push/pop ranges in the order of time.
 * There a range ends before those around it; so that of two that cross, as those of two domains
 * can, the inner one is closed with the outer one, and opened again. */
#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/grow.h"
#include "base/map.h"
#include "export/stacks/frames.h"
#include "model/same_domains.h"

/* Of more ranges that cross one that ends, those further inside end there, too. */
#define MAX_OPENED_AGAIN 64

struct open_range {
    int64_t end_ns;
    int64_t least_ns; /* the first end of this one and those around it */
    uint32_t frame;
};

struct speedscope {
    struct rf_export_job *job;
    struct rf_sink *sink;
    uint32_t *same_domain;  /* the first one of the same name */
    struct rf_map frame_of; /* that domain, name -> frame */
    uint32_t n_frames;
    struct open_range *open;
    size_t n_open, room;
    bool has_event; /* of the profile */
};

/* ---- Frames ---- */

static uint32_t frame_of(const struct speedscope *s, const struct rf_event *range)
{
    return rf_map_find(&s->frame_of, s->same_domain[range->domain], range->name);
}

static bool add_frame(struct speedscope *s, const struct rf_event *range)
{
    const rf_recording *rec = s->job->rec;
    if (frame_of(s, range) != RF_MAP_NONE)
        return true;
    if (rf_map_set(&s->frame_of, s->same_domain[range->domain], range->name, s->n_frames) != RF_OK)
        return false;
    const struct rf_domain *domain = rf_domain_at(rec, range->domain);
    struct rf_frame_name frame = {.name = rf_string(rec, range->name, &frame.name_size)};
    if (domain != NULL && domain->id != 0)
        frame.domain = rf_string(rec, domain->name, &frame.domain_size);
    rf_sink_text(s->sink, s->n_frames++ == 0 ? "\n{\"name\":" : ",\n{\"name\":");
    rf_sink_json_frame(s->sink, &frame);
    rf_sink_char(s->sink, '}');
    return true;
}

static bool add_frames(struct speedscope *s)
{
    for (uint32_t t = 0; t < rf_n_threads(s->job->rec); t++) {
        size_t n = 0;
        const struct rf_event *event = rf_thread_events(s->job->rec, t, &n);
        for (size_t i = 0; i < n; i++)
            if (event[i].kind == RF_EVENT_PUSH_POP && !add_frame(s, &event[i]))
                return false;
    }
    return true;
}

/* ---- Events ---- */

static void put_event(struct speedscope *s, char type, uint32_t frame, int64_t at_ns)
{
    rf_sink_text(s->sink, s->has_event ? ",\n{\"type\":\"" : "\n{\"type\":\"");
    rf_sink_char(s->sink, type);
    rf_sink_text(s->sink, "\",\"frame\":");
    rf_sink_u64(s->sink, frame);
    rf_sink_text(s->sink, ",\"at\":");
    rf_sink_i64(s->sink, at_ns);
    rf_sink_char(s->sink, '}');
    s->has_event = true;
}

static bool push(struct speedscope *s, int64_t end_ns, uint32_t frame)
{
    if (rf_grow_array(&s->open, s->n_open, &s->room, sizeof(*s->open)) != RF_OK)
        return false;
    int64_t least_ns = end_ns;
    if (s->n_open > 0 && s->open[s->n_open - 1].least_ns < end_ns)
        least_ns = s->open[s->n_open - 1].least_ns;
    s->open[s->n_open++] = (struct open_range){end_ns, least_ns, frame};
    return true;
}

/* Closes the range that ends first, and opens those again that it crosses. */
static bool close_first(struct speedscope *s)
{
    const int64_t at_ns = s->open[s->n_open - 1].least_ns;
    struct open_range again[MAX_OPENED_AGAIN];
    size_t n_again = 0;
    bool is_found = false;
    while (!is_found) {
        const struct open_range *top = &s->open[--s->n_open];
        put_event(s, 'C', top->frame, at_ns);
        is_found = top->end_ns == at_ns;
        if (is_found)
            break;
        if (n_again == MAX_OPENED_AGAIN) { /* the innermost one is given up */
            for (size_t i = 1; i < n_again; i++)
                again[i - 1] = again[i];
            n_again--;
        }
        again[n_again++] = *top;
    }
    while (n_again > 0) {
        const struct open_range *range = &again[--n_again];
        put_event(s, 'O', range->frame, at_ns);
        if (!push(s, range->end_ns, range->frame))
            return false;
    }
    return true;
}

static bool close_until(struct speedscope *s, int64_t ns)
{
    while (s->n_open > 0 && s->open[s->n_open - 1].least_ns <= ns)
        if (!close_first(s))
            return false;
    return true;
}

static int put_events(struct speedscope *s, const struct rf_event *event, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (rf_export_step(s->job) != RF_OK || rf_sink_status(s->sink) != RF_OK)
            return RF_ERR_IO;
        if (event[i].kind != RF_EVENT_PUSH_POP)
            continue;
        uint32_t frame = frame_of(s, &event[i]);
        if (!close_until(s, event[i].start_ns))
            return RF_ERR_NO_MEMORY;
        put_event(s, 'O', frame, event[i].start_ns);
        if (!push(s, event[i].end_ns, frame))
            return RF_ERR_NO_MEMORY;
    }
    return close_until(s, INT64_MAX) ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Profiles ---- */

static void put_string(struct rf_sink *sink, const rf_recording *rec, uint32_t string)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    if (text != NULL && size > 0) {
        rf_sink_char(sink, ' ');
        (void)rf_sink_json_inner(sink, text, size);
    }
}

static void put_name(struct rf_sink *sink, const rf_recording *rec, const struct rf_thread *thread)
{
    const struct rf_process *process = rf_process_at(rec, thread->process);
    rf_sink_text(sink, "\"name\":\"");
    if (process != NULL && process->rank >= 0) {
        rf_sink_text(sink, "rank ");
        rf_sink_i64(sink, process->rank);
        rf_sink_text(sink, ", ");
    }
    rf_sink_u64(sink, process != NULL ? process->pid : 0);
    if (process != NULL)
        put_string(sink, rec, process->name);
    rf_sink_text(sink, ", thread ");
    rf_sink_u64(sink, thread->tid);
    put_string(sink, rec, thread->name);
    rf_sink_char(sink, '"');
}

/* false: the thread has no such ranges. */
static bool find_span(const struct rf_event *event, size_t n, int64_t *start_ns, int64_t *end_ns)
{
    bool is_found = false;
    for (size_t i = 0; i < n; i++) {
        if (event[i].kind != RF_EVENT_PUSH_POP)
            continue;
        if (!is_found)
            *start_ns = event[i].start_ns;
        if (!is_found || event[i].end_ns > *end_ns)
            *end_ns = event[i].end_ns;
        is_found = true;
    }
    return is_found;
}

/* Progress of a thread without a profile. */
static int pass_over(struct rf_export_job *job, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rf_export_step(job) != RF_OK)
            return RF_ERR_IO;
    return RF_OK;
}

static int put_profiles(struct speedscope *s)
{
    int status = RF_OK;
    bool has_profile = false;
    for (uint32_t t = 0; t < rf_n_threads(s->job->rec) && status == RF_OK; t++) {
        size_t n = 0;
        int64_t start_ns = 0, end_ns = 0;
        const struct rf_event *event = rf_thread_events(s->job->rec, t, &n);
        if (!find_span(event, n, &start_ns, &end_ns)) {
            status = pass_over(s->job, n);
            continue;
        }
        rf_sink_text(s->sink,
                     has_profile ? ",\n{\"type\":\"evented\"," : "\n{\"type\":\"evented\",");
        has_profile = true;
        put_name(s->sink, s->job->rec, rf_thread_at(s->job->rec, t));
        rf_sink_text(s->sink, ",\"unit\":\"nanoseconds\",\"startValue\":");
        rf_sink_i64(s->sink, start_ns);
        rf_sink_text(s->sink, ",\"endValue\":");
        rf_sink_i64(s->sink, end_ns);
        rf_sink_text(s->sink, ",\"events\":[");
        s->has_event = false;
        status = put_events(s, event, n);
        rf_sink_text(s->sink, "]}");
    }
    return status;
}

static int write_speedscope(struct rf_export_job *job, struct rf_sink *sink)
{
    struct speedscope s = {.job = job, .sink = sink};
    rf_sink_text(sink, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                       "\"exporter\":\"rangefinder ");
    rf_sink_text(sink, rf_version());
    rf_sink_text(sink, "\",\n\"shared\":{\"frames\":[");
    job->n_events = rf_get_info(job->rec)->n_events; /* without calls and work */
    s.same_domain = rf_same_domains(job->rec);
    int status = s.same_domain != NULL && add_frames(&s) ? RF_OK : RF_ERR_NO_MEMORY;
    rf_sink_text(sink, "]},\n\"profiles\":[");
    if (status == RF_OK)
        status = put_profiles(&s);
    rf_sink_text(sink, "]}\n");
    rf_map_release(&s.frame_of);
    free(s.same_domain);
    free(s.open);
    if (status == RF_ERR_NO_MEMORY)
        return rf_fail(job->err, status, "out of memory");
    return status == RF_OK ? rf_sink_status(sink) : status;
}

const struct rf_export_format rf_export_speedscope = {
    .name = "speedscope",
    .description = "the push/pop ranges of each thread, for https://www.speedscope.app",
    .extensions = {"speedscope.json"},
    .write_text = write_speedscope,
};
