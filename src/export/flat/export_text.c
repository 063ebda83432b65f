/* SPDX-License-Identifier: Apache-2.0 */
/* For people: one line per event in the order of time, indented by how deeply its thread's
 * push/pop ranges are nested. Safe on a terminal whatever the program wrote. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/grow.h"
#include "model/fields/event_names.h"
#include "export/shown_fields.h"
#include "export/export.h"
#include "export/extra_words.h"
#include "model/fields/gpu_names.h"

#define TIME_WIDTH     14
#define DURATION_WIDTH 13
#define THREAD_WIDTH   19
#define MAX_INDENT     40
#define MAX_DEPTH      1024 /* deeper is not followed: it would not be seen, and could take long */

/* The ends of a thread's open push/pop ranges, the earliest last. */
struct open_ranges {
    int64_t *ends;
    uint32_t n;
    size_t capacity;
};

#define MAX_VALUES 48

struct value {
    struct rf_shown_field shown;
    uint8_t type;      /* enum rf_field_type */
    bool is_size;      /* the number comes first: "4096 bytes" */
    uint8_t text_size; /* of */
    char text[48];     /* the name with blanks */
};

/* What rows of one kind have between brackets. */
struct values {
    size_t n;
    struct value value[MAX_VALUES];
};

struct text_writer {
    const rf_recording *rec;
    struct values calls[RF_MAX_KINDS];
    struct values ops[RF_MAX_KINDS];
    struct open_ranges *open; /* by thread */
    bool has_no_memory;
};

/* ---- Nesting ---- */

/* Ranges of several domains may cross, so that the ends are kept in order, not as a stack. */
static uint32_t depth_of(struct text_writer *to, const struct rf_event_at *at)
{
    const struct rf_event *event = at->event;
    struct open_ranges *open = &to->open[at->thread];
    while (open->n > 0 && open->ends[open->n - 1] <= event->start_ns)
        open->n--;
    uint32_t depth = open->n;
    if (event->kind != RF_EVENT_PUSH_POP || depth == MAX_DEPTH)
        return depth;
    if (rf_grow_array(&open->ends, open->n, &open->capacity, sizeof(*open->ends)) != RF_OK) {
        to->has_no_memory = true;
        return depth;
    }
    uint32_t i = open->n++;
    for (; i > 0 && open->ends[i - 1] < event->end_ns; i--)
        open->ends[i] = open->ends[i - 1];
    open->ends[i] = event->end_ns;
    return depth;
}

/* ---- Columns ---- */

/* What a number of thousandths takes: its digits, the point and the sign. */
static size_t thousandths_width(int64_t value)
{
    char digits[20];
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return (value < 0) + rf_format_u64(digits, size / 1000) + 4;
}

static void put_aligned(struct rf_sink *sink, int64_t value_ns, size_t width)
{
    size_t used = thousandths_width(value_ns);
    if (used < width)
        rf_sink_pad(sink, width - used);
    rf_sink_thousandths(sink, value_ns);
}

static void put_right(struct rf_sink *sink, const char *text, size_t n)
{
    if (n < THREAD_WIDTH)
        rf_sink_pad(sink, THREAD_WIDTH - n);
    rf_sink_bytes(sink, text, n);
}

/* Right-aligned "pid/tid". */
static void put_thread(struct rf_sink *sink, const rf_recording *rec, uint32_t thread_index)
{
    char text[41];
    const struct rf_thread *thread = rf_thread_at(rec, thread_index);
    size_t n = rf_format_u64(text, rf_process_at(rec, thread->process)->pid);
    text[n++] = '/';
    n += rf_format_u64(text + n, thread->tid);
    put_right(sink, text, n);
}

static void put_string(struct rf_sink *sink, const rf_recording *rec, uint32_t string)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    if (text != NULL)
        rf_sink_printable(sink, text, size);
}

/* ---- What happened ---- */

/* "domain:message", or "message" in the default domain and in one that has no name; "(null)" for a
 * message that is a NULL. */
static void put_label(struct rf_sink *sink, const rf_recording *rec, const struct rf_event *event)
{
    const struct rf_domain *domain = rf_domain_at(rec, event->domain);
    if (!domain->is_valid) {
        rf_sink_hex(sink, domain->handle);
        rf_sink_char(sink, ':');
    } else if (domain->id != 0 && domain->name != RF_NO_STRING) {
        put_string(sink, rec, domain->name);
        rf_sink_char(sink, ':');
    }
    if (event->name != RF_NO_STRING)
        put_string(sink, rec, event->name);
    else
        rf_sink_text(sink, "(null)");
}

static void put_word(struct rf_sink *sink, int *n_words, const char *word)
{
    rf_sink_text(sink, (*n_words)++ == 0 ? "  [" : ", ");
    rf_sink_text(sink, word);
}

static void put_attributes(struct rf_sink *sink, const rf_recording *rec,
                           const struct rf_event_at *at)
{
    const struct rf_event *event = at->event;
    int n_words = 0;
    if ((event->flags & RF_EVENT_HAS_CATEGORY) != 0) {
        uint32_t name = rf_category_name(rec, event->domain, event->category);
        put_word(sink, &n_words, "category ");
        rf_sink_u64(sink, event->category);
        if (name != RF_NO_STRING) {
            rf_sink_text(sink, " (");
            put_string(sink, rec, name);
            rf_sink_char(sink, ')');
        }
    }
    if ((event->flags & RF_EVENT_HAS_COLOR) != 0) {
        put_word(sink, &n_words, "color ");
        rf_sink_color(sink, event->color);
    }
    if (event->payload_type != RF_TYPE_NONE) {
        put_word(sink, &n_words, "payload ");
        if (rf_payload_string(event) != RF_NO_STRING)
            put_string(sink, rec, rf_payload_string(event));
        else
            rf_sink_payload(sink, event);
    }
    if (event->kind == RF_EVENT_START_END) {
        const struct rf_start_end *link = rf_start_end_at(rec, event->link);
        put_word(sink, &n_words, "start/end ");
        rf_sink_u64(sink, link->number);
        if (link->parent_number != 0) {
            put_word(sink, &n_words, "parent ");
            rf_sink_u64(sink, link->parent_number);
        }
        if (link->end_thread != at->thread && link->end_thread != RF_NO_INDEX) {
            put_word(sink, &n_words, "ended by thread ");
            rf_sink_u64(sink, rf_thread_at(rec, link->end_thread)->tid);
        }
    }
    if (event->cut != RF_CUT_NONE) {
        put_word(sink, &n_words, "cut: ");
        rf_sink_text(sink, rf_cut_name(event->cut));
    }
    if (rf_has_flags(rec, event)) {
        put_word(sink, &n_words, "");
        rf_sink_flags(sink, rec, event);
    }
    if (n_words > 0)
        rf_sink_char(sink, ']');
}

static void put_brief(struct rf_sink *sink, const rf_recording *rec, const struct rf_field *field,
                      const struct rf_event *event)
{
    struct rf_row row;
    rf_row_of_event(rec, event, &row);
    uint64_t number = rf_field_number(field, rf_field_at(field, &row));
    rf_sink_char(sink, ' ');
    if (field->type == RF_FIELD_WORD)
        rf_sink_text(sink, field->word((int)number));
    else if (field->type == RF_FIELD_HEX)
        rf_sink_hex(sink, number);
    else
        rf_sink_u64(sink, number);
}

/* Names and objects, as sentences. */
static void put_particulars(struct rf_sink *sink, const rf_recording *rec,
                            const struct rf_event *event)
{
    rf_sink_char(sink, '<');
    rf_sink_text(sink, rf_event_kind_name(event->kind));
    for (size_t i = 0; i < rf_event_fields.n; i++)
        if (rf_event_fields.field[i].is_brief &&
            rf_field_is_of(&rf_event_fields.field[i], event->kind))
            put_brief(sink, rec, &rf_event_fields.field[i], event);
    rf_sink_char(sink, '>');
    bool is_domain =
        event->kind == RF_EVENT_DOMAIN_CREATE || event->kind == RF_EVENT_DOMAIN_DESTROY;
    uint32_t name = is_domain ? rf_domain_at(rec, event->domain)->name : event->name;
    if (name == RF_NO_STRING)
        return;
    rf_sink_char(sink, ' ');
    if (is_domain)
        put_string(sink, rec, name);
    else
        put_label(sink, rec, event);
}

static void put_event(void *context, struct rf_sink *sink, const struct rf_event_at *at)
{
    struct text_writer *to = context;
    const struct rf_event *event = at->event;
    bool is_range = event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
    uint32_t depth = depth_of(to, at);
    put_aligned(sink, event->start_ns, TIME_WIDTH);
    if (is_range)
        put_aligned(sink, rf_duration_ns(event), DURATION_WIDTH + 1);
    else
        rf_sink_pad(sink, DURATION_WIDTH + 1);
    rf_sink_char(sink, ' ');
    put_thread(sink, to->rec, at->thread);
    rf_sink_pad(sink, 2 + 2 * (size_t)(depth < MAX_INDENT ? depth : MAX_INDENT));
    if (is_range || event->kind == RF_EVENT_MARK) {
        if (event->kind == RF_EVENT_MARK)
            rf_sink_text(sink, "* ");
        put_label(sink, to->rec, event);
        put_attributes(sink, to->rec, at);
    } else {
        put_particulars(sink, to->rec, event);
    }
    rf_sink_char(sink, '\n');
}

/* ---- Calls and GPU work ---- */

static void put_time_flags(struct rf_sink *sink, uint8_t flags)
{
    if (flags == 0)
        return;
    rf_sink_text(sink, "  [");
    rf_sink_time_flags(sink, flags);
    rf_sink_char(sink, ']');
}

static bool is_size(const char *name)
{
    size_t n = strlen(name), n_unit = strlen("bytes");
    return n >= n_unit && strcmp(name + n - n_unit, "bytes") == 0;
}

/* Whether a field is among the values of a row: numbers, and what the line does not say already. */
static bool is_listed(const struct rf_field *field, unsigned kind, enum rf_field_part part)
{
    return field->part == part && rf_field_is_of(field, kind) && !field->is_beside &&
           field->type != RF_FIELD_EMPTY && field->type != RF_FIELD_PROCESS;
}

static void add_value(struct values *values, const struct rf_field *field)
{
    assert(values->n < MAX_VALUES);
    struct value *value = &values->value[values->n++];
    value->shown = rf_show_field(field, true);
    value->type = field->type;
    value->is_size = is_size(field->name);
    int size =
        snprintf(value->text, sizeof(value->text), value->is_size ? " %s" : "%s ", field->name);
    assert(size > 0 && (size_t)size < sizeof(value->text));
    value->text_size = (uint8_t)size;
    for (char *p = value->text; *p != '\0'; p++)
        if (*p == '_')
            *p = ' ';
}

/* The particulars come first. */
static void init_values(struct values of_kind[RF_MAX_KINDS], const struct rf_fields *fields)
{
    static const enum rf_field_part parts[] = {RF_PART_DETAIL, RF_PART_ROW, RF_PART_TRACK};
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
        for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
            for (size_t i = 0; i < fields->n; i++)
                if (is_listed(&fields->field[i], kind, parts[p]))
                    add_value(&of_kind[kind], &fields->field[i]);
}

/* "registers 96", "4096 bytes", "grid 132x1x1" */
static void put_value(struct rf_sink *sink, const struct value *value, const void *at,
                      uint64_t number)
{
    if (!value->is_size)
        rf_sink_bytes(sink, value->text, value->text_size);
    if (value->type == RF_FIELD_TRIPLE)
        rf_sink_triple(sink, at);
    else if (value->type == RF_FIELD_SIGNED)
        rf_sink_i64(sink, (int64_t)number);
    else
        rf_sink_u64(sink, number);
    if (value->is_size)
        rf_sink_bytes(sink, value->text, value->text_size);
}

/* "  [grid 132x1x1, block 256x1x1, registers 96, correlation 3, context 1]" */
static void put_values(struct rf_sink *sink, const struct values *values, const struct rf_row *row)
{
    int n_words = 0;
    for (size_t i = 0; i < values->n; i++) {
        const struct value *value = &values->value[i];
        const char *at = rf_shown_at(&value->shown, row);
        uint64_t number = at != NULL ? rf_shown_number(&value->shown, at) : 0;
        if (at == NULL || rf_is_number_hidden(&value->shown, number))
            continue;
        put_word(sink, &n_words, "");
        put_value(sink, value, at, number);
    }
    if (n_words > 0)
        rf_sink_char(sink, ']');
}

/* As deep as the ranges that the thread is in. */
static void put_call(struct text_writer *to, struct rf_sink *sink, const struct rf_work_at *at)
{
    struct rf_row row;
    struct open_ranges *open = &to->open[at->thread];
    while (open->n > 0 && open->ends[open->n - 1] <= at->call->start_ns)
        open->n--;
    put_aligned(sink, at->call->start_ns, TIME_WIDTH);
    put_aligned(sink, rf_call_duration_ns(at->call), DURATION_WIDTH + 1);
    rf_sink_char(sink, ' ');
    put_thread(sink, to->rec, at->thread);
    rf_sink_pad(sink, 2 + 2 * (size_t)(open->n < MAX_INDENT ? open->n : MAX_INDENT));
    put_string(sink, to->rec, at->call->name);
    rf_sink_text(sink, "()");
    rf_row_of_call(at->call, &row);
    put_values(sink, &to->calls[at->call->kind], &row);
    put_time_flags(sink, at->call->flags);
}

static void put_op(const struct text_writer *to, struct rf_sink *sink, const struct rf_gpu_op *op)
{
    const rf_recording *rec = to->rec;
    char place[64], buffer[128];
    size_t size;
    const struct rf_gpu_track *track = rf_gpu_track_at(rec, op->track);
    struct rf_row row;
    char *end = rf_put_text(rf_put_u64(place, rf_process_at(rec, track->process)->pid), "/gpu");
    end = rf_put_u64(rf_put_text(rf_put_u64(end, track->device), ":"), track->stream);
    put_aligned(sink, op->start_ns, TIME_WIDTH);
    put_aligned(sink, rf_op_duration_ns(op), DURATION_WIDTH + 1);
    rf_sink_char(sink, ' ');
    put_right(sink, place, (size_t)(end - place));
    rf_sink_text(sink, "  ");
    const char *label = rf_op_label(rec, op, buffer, &size);
    rf_sink_printable(sink, label, size);
    rf_row_of_op(rec, op, &row);
    put_values(sink, &to->ops[op->kind], &row);
    put_time_flags(sink, op->flags);
}

/* ---- What else was recorded, and counters ---- */

/* "PID/TID", or as much of it as is known. */
static void put_where(struct rf_sink *sink, const rf_recording *rec, uint32_t process,
                      uint32_t thread, uint32_t device)
{
    char place[64], *end = place;
    if (thread != RF_NO_INDEX) {
        put_thread(sink, rec, thread);
        return;
    }
    if (process != RF_NO_INDEX)
        end = rf_put_u64(place, rf_process_at(rec, process)->pid);
    if (device != RF_NO_INDEX)
        end = rf_put_u64(rf_put_text(end, end > place ? "/gpu" : "gpu"), device);
    put_right(sink, place, (size_t)(end - place));
}

static void put_extra(struct rf_sink *sink, const rf_recording *rec, const struct rf_extra *extra)
{
    if (extra->start_ns != RF_NO_TIME)
        put_aligned(sink, extra->start_ns, TIME_WIDTH);
    else
        rf_sink_pad(sink, TIME_WIDTH);
    if (extra->end_ns != RF_NO_TIME)
        put_aligned(sink, rf_extra_duration_ns(extra), DURATION_WIDTH + 1);
    else
        rf_sink_pad(sink, DURATION_WIDTH + 1);
    rf_sink_char(sink, ' ');
    put_where(sink, rec, extra->process, extra->thread, extra->device);
    rf_sink_text(sink, "  <");
    rf_sink_text(sink, rf_extra_kind_name(extra->kind));
    rf_sink_char(sink, '>');
    if (extra->name != RF_NO_STRING) {
        rf_sink_char(sink, ' ');
        put_string(sink, rec, extra->name);
    }
    if (extra->has != 0) {
        rf_sink_text(sink, "  [");
        rf_sink_extra_words(sink, rec, extra, 0);
        rf_sink_char(sink, ']');
    }
}

static void put_sample(struct rf_sink *sink, const rf_recording *rec, const struct rf_work_at *at)
{
    const struct rf_counter *counter = rf_counter_at(rec, at->counter);
    put_aligned(sink, *at->sample_ns, TIME_WIDTH);
    rf_sink_pad(sink, DURATION_WIDTH + 1);
    rf_sink_char(sink, ' ');
    put_where(sink, rec, counter->process, RF_NO_INDEX, counter->device);
    rf_sink_text(sink, "  ");
    put_string(sink, rec, counter->name);
    rf_sink_text(sink, " = ");
    rf_sink_double(sink, *at->sample);
}

static void put_work(void *context, struct rf_sink *sink, const struct rf_work_at *at)
{
    struct text_writer *to = context;
    if (at->call != NULL)
        put_call(to, sink, at);
    else if (at->op != NULL)
        put_op(to, sink, at->op);
    else if (at->extra != NULL)
        put_extra(sink, to->rec, at->extra);
    else
        put_sample(sink, to->rec, at);
    rf_sink_char(sink, '\n');
}

/* ---- The head ---- */

static void put_count(struct rf_sink *sink, uint64_t n, const char *what)
{
    if (n == 0)
        return;
    rf_sink_text(sink, "# ");
    rf_sink_u64(sink, n);
    rf_sink_text(sink, what);
}

static void put_head(struct rf_sink *sink, const rf_recording *rec)
{
    const struct rf_info *info = rf_get_info(rec);
    rf_sink_text(sink, "# ");
    if (info->path != NULL)
        rf_sink_printable(sink, info->path, strlen(info->path));
    rf_sink_text(sink, ", time 0 is ");
    rf_sink_utc(sink, info->epoch_utc_ns);
    rf_sink_char(sink, '\n');
    for (uint32_t i = 0; i < rf_n_processes(rec); i++) {
        const struct rf_process *process = rf_process_at(rec, i);
        rf_sink_text(sink, "# process ");
        rf_sink_u64(sink, process->pid);
        rf_sink_text(sink, ": ");
        put_string(sink, rec, process->command != RF_NO_STRING ? process->command : process->name);
        rf_sink_char(sink, '\n');
    }
    for (uint32_t i = 0; i < rf_n_captures(rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(rec, i);
        rf_sink_text(sink, "# capture ");
        rf_sink_u64(sink, capture->number);
        rf_sink_text(sink, ": from ");
        rf_sink_thousandths(sink, capture->begin_ns);
        rf_sink_text(sink, " to ");
        rf_sink_thousandths(sink, capture->end_ns);
        rf_sink_text(sink, capture->is_open ? ", not ended\n" : "\n");
    }
    if (info->is_focused && rf_n_captures(rec) == 0)
        rf_sink_text(sink, "# no capture has begun\n");
    put_count(sink, info->n_cut_at_start, " ranges were open when a capture began\n");
    put_count(sink, info->n_cut, " ranges were cut: their end was not recorded\n");
    put_count(sink, info->n_lost_records, " events were lost\n");
    rf_sink_text(sink, "#   start (us) duration (us)             pid/tid  event\n");
}

static void free_writer(struct text_writer *to)
{
    for (uint32_t i = 0; to->open != NULL && i < rf_n_threads(to->rec); i++)
        free(to->open[i].ends);
    free(to->open);
    free(to);
}

static int write_text(struct rf_export_job *job, struct rf_sink *sink)
{
    struct text_writer *to = calloc(1, sizeof(*to));
    if (to != NULL)
        to->open = calloc((size_t)rf_n_threads(job->rec) + 1, sizeof(*to->open));
    if (to == NULL || to->open == NULL) {
        free(to);
        return rf_fail(job->err, RF_ERR_NO_MEMORY, "out of memory");
    }
    to->rec = job->rec;
    init_values(to->calls, &rf_call_fields);
    init_values(to->ops, &rf_op_fields);
    put_head(sink, job->rec);
    int status = rf_export_each(job, sink, put_event, put_work, to);
    if (status == RF_OK && to->has_no_memory)
        status = rf_fail(job->err, RF_ERR_NO_MEMORY, "out of memory");
    free_writer(to);
    return status;
}

const struct rf_export_format rf_export_text = {
    .name = "text",
    .description = "text for people: one line per event, indented by nesting",
    .extensions = {"txt"},
    .write_text = write_text,
};
