/* SPDX-License-Identifier: Apache-2.0 */
/* For people: one line per event in the order of time, indented by how deeply its thread's
 * push/pop ranges are nested. Safe on a terminal whatever the program wrote. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/grow.h"
#include "export/extra_words.h"
#include "export/flat/flat_rows.h"
#include "export/shown_fields.h"
#include "model/fields/event_names.h"
#include "model/fields/fields_counter.h"
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
#define WORDS_ROOM 40
#define COMMA      ((size_t)2) /* bytes */

struct value {
    struct rf_shown_field shown;
    uint8_t type; /* enum rf_field_type */
    uint8_t before_size, after_size;
    char before[WORDS_ROOM + COMMA]; /* ", registers ", ", " before a size, " (" before a name */
    char after[WORDS_ROOM];          /* "", " local bytes", ")" */
};

/* What rows of one kind have between brackets. */
struct values {
    size_t n;
    struct value value[MAX_VALUES];
};

struct text_writer {
    const rf_recording *rec;
    struct values values[RF_N_FLAT_SETS][RF_MAX_KINDS];
    struct open_ranges *open; /* by thread */
    bool has_no_memory;
};

/* ---- Nesting ---- */

static void open_range(struct text_writer *to, struct open_ranges *open, int64_t end_ns)
{
    if (rf_grow_array(&open->ends, open->n, &open->capacity, sizeof(*open->ends)) != RF_OK) {
        to->has_no_memory = true;
        return;
    }
    uint32_t i = open->n++;
    for (; i > 0 && open->ends[i - 1] < end_ns; i--)
        open->ends[i] = open->ends[i - 1];
    open->ends[i] = end_ns;
}

/* How many ranges a thread is in. Ranges of several domains may cross, so that the ends are kept in
 * order, not as a stack. */
static uint32_t depth_of(struct text_writer *to, const struct rf_flat_row *row)
{
    if (row->set != RF_FLAT_EVENT && row->set != RF_FLAT_CALL)
        return 0;
    struct open_ranges *open = &to->open[row->thread];
    while (open->n > 0 && open->ends[open->n - 1] <= row->start_ns)
        open->n--;
    uint32_t depth = open->n;
    if (row->event != NULL && row->event->kind == RF_EVENT_PUSH_POP && depth < MAX_DEPTH)
        open_range(to, open, row->end_ns);
    return depth < MAX_INDENT ? depth : MAX_INDENT;
}

/* ---- Columns ---- */

/* Text behind as many blanks as fill up the width; at most 64 bytes. */
static void put_right(struct rf_sink *sink, const char *text, size_t n, size_t width)
{
    char *out = rf_sink_reserve(sink, 64);
    size_t n_blanks = n < width ? width - n : 0;
    memset(out, ' ', n_blanks);
    memcpy(out + n_blanks, text, n);
    sink->used += n_blanks + n;
}

static void put_time(struct rf_sink *sink, int64_t value_ns, size_t width)
{
    char text[RF_SINK_THOUSANDTHS];
    size_t n = (size_t)(rf_put_thousandths(text, value_ns) - text);
    put_right(sink, text, n, width);
}

/* A number and the word before it, behind a slash if something stands there already. */
static char *put_number(char *out, const char *begin, const char *word, uint32_t number)
{
    if (out > begin)
        *out++ = '/';
    return rf_put_u64(rf_put_text(out, word), number);
}

/* "PID/TID" of calls and events, "PID/gpu0:STREAM" of work, or as much of it as is known. */
static size_t format_place(char *begin, const struct rf_flat_row *row)
{
    char *out = begin;
    uint32_t device = RF_NO_INDEX;
    if (row->of_process != NULL)
        out = put_number(out, begin, "", row->of_process->pid);
    if (row->set == RF_FLAT_OP) {
        const struct rf_gpu_track *track = row->parts->part[RF_PART_TRACK];
        out = put_number(out, begin, "gpu", track->device);
        *out++ = ':';
        return (size_t)(rf_put_u64(out, track->stream) - begin);
    }
    if (row->of_thread != NULL)
        out = put_number(out, begin, "", row->of_thread->tid);
    else if (row->set == RF_FLAT_EXTRA)
        device = row->work->extra->device;
    else if (row->set == RF_FLAT_SAMPLE)
        device = rf_counter_at(row->rec, row->work->counter)->device;
    if (device != RF_NO_INDEX)
        out = put_number(out, begin, "gpu", device);
    return (size_t)(out - begin);
}

/* When and where, and blanks up to what happened. */
static void put_columns(struct rf_sink *sink, const struct rf_flat_row *row, size_t indent)
{
    char place[64];
    if (row->start_ns != RF_NO_TIME)
        put_time(sink, row->start_ns, TIME_WIDTH);
    else
        rf_sink_pad(sink, TIME_WIDTH);
    if (row->end_ns != RF_NO_TIME)
        put_time(sink, rf_flat_duration_ns(row), DURATION_WIDTH + 1);
    else
        rf_sink_pad(sink, DURATION_WIDTH + 1);
    rf_sink_char(sink, ' ');
    put_right(sink, place, format_place(place, row), THREAD_WIDTH);
    rf_sink_pad(sink, indent);
}

static int put_string(struct rf_sink *sink, const rf_recording *rec, uint32_t string)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    if (text != NULL)
        rf_sink_printable(sink, text, size);
    return 0;
}

/* ---- What happened ---- */

/* "domain:"; nothing of the default domain and of one that has no name. */
static void put_domain(struct rf_sink *sink, const rf_recording *rec, uint32_t index)
{
    const struct rf_domain *domain = rf_domain_at(rec, index);
    if (!domain->is_valid) {
        rf_sink_hex(sink, domain->handle);
        rf_sink_char(sink, ':');
    } else if (domain->id != 0 && domain->name != RF_NO_STRING) {
        put_string(sink, rec, domain->name);
        rf_sink_char(sink, ':');
    }
}

/* "domain:message", or "message" in the default domain and in one that has no name; "(null)" for a
 * message that is a NULL. */
static void put_label(struct rf_sink *sink, const rf_recording *rec, const struct rf_event *event)
{
    put_domain(sink, rec, event->domain);
    if (event->name != RF_NO_STRING)
        put_string(sink, rec, event->name);
    else
        rf_sink_text(sink, "(null)");
}

static void put_brief(struct rf_sink *sink, const rf_recording *rec, const struct rf_field *field,
                      const struct rf_row *row)
{
    const struct rf_shown_field shown = rf_show_field(field, true);
    const char *at = rf_shown_at(&shown, row);
    rf_sink_char(sink, ' ');
    rf_sink_value(sink, rec, &shown, at, rf_shown_number(&shown, at), put_string);
}

/* Names and objects, as sentences. */
static void put_particulars(struct rf_sink *sink, const rf_recording *rec,
                            const struct rf_event *event, const struct rf_row *row)
{
    rf_sink_char(sink, '<');
    rf_sink_text(sink, rf_event_kind_name(event->kind));
    for (size_t i = 0; i < rf_event_fields.n; i++)
        if (rf_event_fields.field[i].is_brief &&
            rf_field_is_of(&rf_event_fields.field[i], event->kind))
            put_brief(sink, rec, &rf_event_fields.field[i], row);
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

/* ---- Fields ---- */

static bool is_size(const char *name)
{
    size_t n = strlen(name), n_unit = strlen("bytes");
    return n >= n_unit && strcmp(name + n - n_unit, "bytes") == 0;
}

/* Whether a field is among the values of a row: numbers, and what the line does not say already. */
static bool is_listed(const struct rf_field *field, unsigned kind, enum rf_field_part part)
{
    /* the number of a launch stands among the particulars of the kernel */
    enum rf_field_part among = field->part == RF_PART_LAUNCH ? RF_PART_DETAIL : field->part;
    return among == part && rf_field_is_of(field, kind) && !field->is_beside &&
           field->type != RF_FIELD_EMPTY && field->type != RF_FIELD_PROCESS;
}

static uint8_t join(char words[WORDS_ROOM], const char *begin, const char *name, const char *end)
{
    int size = snprintf(words, WORDS_ROOM, "%s%s%s", begin, name, end);
    assert(size >= 0 && size < WORDS_ROOM);
    for (char *p = words; *p != '\0'; p++)
        if (*p == '_')
            *p = ' ';
    return (uint8_t)size;
}

/* "registers 96", "4096 bytes", "grid 132x1x1", "scope gpu/engine"; other strings name the number
 * before them: "7 (io)" */
static void add_value(struct values *values, const struct rf_field *field)
{
    assert(values->n < MAX_VALUES);
    struct value *value = &values->value[values->n++];
    const char *name = field->text != NULL ? field->text : field->name;
    value->shown = rf_show_field(field, true);
    value->type = field->type;
    if (field->type == RF_FIELD_STRING && field->part != RF_PART_SCOPE) {
        value->before_size = join(value->before, " (", "", "");
        value->after_size = join(value->after, ")", "", "");
    } else if (is_size(name)) {
        value->before_size = join(value->before, ", ", "", "");
        value->after_size = join(value->after, " ", name, "");
    } else {
        value->before_size = join(value->before, ", ", name, " ");
    }
}

/* Attributes and particulars come first. */
static void init_values(struct values of_kind[RF_MAX_KINDS], const struct rf_fields *fields)
{
    static const enum rf_field_part parts[] = {
        RF_PART_CATEGORY, RF_PART_CATEGORY_NAME, RF_PART_COLOR, RF_PART_SCOPE, RF_PART_PAYLOAD,
        RF_PART_DETAIL,   RF_PART_END_THREAD,    RF_PART_ROW,   RF_PART_TRACK};
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
        for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
            for (size_t i = 0; i < fields->n; i++)
                if (is_listed(&fields->field[i], kind, parts[p]))
                    add_value(&of_kind[kind], &fields->field[i]);
}

/* The words before a value are copied as a whole, since a size that the compiler knows takes a few
 * instructions. */
static void put_value(struct rf_sink *sink, const rf_recording *rec, const struct value *value,
                      bool is_first, const void *at, uint64_t number)
{
    size_t skip = is_first ? COMMA : 0;
    char *out = rf_sink_reserve(sink, WORDS_ROOM + RF_SINK_U64 + 4);
    if (is_first)
        out = rf_put_text(out, "  [");
    memcpy(out, value->before + skip, WORDS_ROOM);
    out += value->before_size - skip;
    if (value->type == RF_FIELD_NUMBER)
        out = rf_put_u64(out, number);
    sink->used = (size_t)(out - sink->buffer);
    if (value->type != RF_FIELD_NUMBER)
        rf_sink_value(sink, rec, &value->shown, at, number, put_string);
    if (value->after_size > 0)
        rf_sink_bytes(sink, value->after, value->after_size);
}

/* "  [grid 132x1x1, block 256x1x1, registers 96, correlation 3, context 1]" */
static void put_values(struct rf_sink *sink, const struct values *values,
                       const struct rf_flat_row *row)
{
    bool is_first = true;
    for (size_t i = 0; i < values->n; i++) {
        const struct value *value = &values->value[i];
        const char *at = rf_shown_at(&value->shown, row->parts);
        uint64_t number = at != NULL ? rf_shown_number(&value->shown, at) : 0;
        if (at == NULL || rf_is_number_hidden(&value->shown, number))
            continue;
        put_value(sink, row->rec, value, is_first, at, number);
        is_first = false;
    }
    if (row->event != NULL && rf_has_flags(row->rec, row->event)) {
        rf_sink_text(sink, is_first ? "  [" : ", ");
        rf_sink_flags(sink, row->rec, row->event);
        is_first = false;
    }
    if (!is_first)
        rf_sink_char(sink, ']');
    if (row->time_flags != 0) {
        rf_sink_text(sink, "  [");
        rf_sink_time_flags(sink, row->time_flags);
        rf_sink_char(sink, ']');
    }
}

/* ---- What happened ---- */

static void put_extra(struct rf_sink *sink, const rf_recording *rec, const struct rf_extra *extra)
{
    rf_sink_char(sink, '<');
    rf_sink_text(sink, rf_extra_kind_name(extra->kind));
    rf_sink_char(sink, '>');
    if (extra->name != RF_NO_STRING) {
        rf_sink_char(sink, ' ');
        put_string(sink, rec, extra->name);
    }
    if (extra->has != 0) {
        rf_sink_text(sink, "  [");
        rf_sink_extra_words(sink, rec, extra, false);
        rf_sink_char(sink, ']');
    }
}

/* " = 3 jobs": in the unit, exactly where that needs no scale. */
static void put_sample_value(struct rf_sink *sink, const struct rf_flat_row *row)
{
    const struct rf_nvtx_counter *nvtx = row->sample.counter->nvtx;
    rf_sink_text(sink, " = ");
    if (nvtx != NULL && nvtx->factor != 1)
        rf_sink_double(sink, *row->work->sample * nvtx->factor);
    else
        rf_sink_sample(sink, &row->sample);
    if (nvtx == NULL || nvtx->unit == RF_NO_STRING)
        return;
    rf_sink_char(sink, ' ');
    put_string(sink, row->rec, nvtx->unit);
}

/* "engine:queue = 3 jobs" */
static void put_sample(struct rf_sink *sink, const struct rf_flat_row *row)
{
    const rf_recording *rec = row->rec;
    const struct rf_counter *counter = row->sample.counter;
    const struct rf_nvtx_counter *nvtx = counter->nvtx;
    if (nvtx != NULL)
        put_domain(sink, rec, nvtx->domain);
    put_string(sink, rec, counter->name);
    if (rf_sample_form(&row->sample) != RF_SAMPLE_IS_NONE)
        put_sample_value(sink, row);
    if (rf_sample_flags(&row->sample) & (RF_SAMPLE_NO_VALUE | RF_SAMPLE_PLACED)) {
        rf_sink_text(sink, "  [");
        rf_sink_sample_flags(sink, &row->sample);
        rf_sink_char(sink, ']');
    }
}

static void put_op_label(struct rf_sink *sink, const rf_recording *rec, const struct rf_gpu_op *op)
{
    char buffer[128];
    size_t size;
    const char *label = rf_op_label(rec, op, buffer, &size);
    rf_sink_printable(sink, label, size);
}

static void put_event(struct rf_sink *sink, const struct text_writer *to,
                      const struct rf_flat_row *row)
{
    const struct rf_event *event = row->event;
    if (event->kind > RF_EVENT_MARK) {
        put_particulars(sink, row->rec, event, row->parts);
        return;
    }
    if (event->kind == RF_EVENT_MARK)
        rf_sink_text(sink, "* ");
    put_label(sink, row->rec, event);
    if (!row->is_plain || rf_has_flags(row->rec, event))
        put_values(sink, &to->values[RF_FLAT_EVENT][row->kind], row);
}

static void put_row(void *context, struct rf_sink *sink, const struct rf_flat_row *row)
{
    struct text_writer *to = context;
    put_columns(sink, row, 2 + 2 * (size_t)depth_of(to, row));
    switch (row->set) {
    case RF_FLAT_EVENT:
        put_event(sink, to, row);
        break;
    case RF_FLAT_CALL:
        put_string(sink, row->rec, row->work->call->name);
        rf_sink_text(sink, "()");
        put_values(sink, &to->values[row->set][row->kind], row);
        break;
    case RF_FLAT_OP:
        put_op_label(sink, row->rec, row->work->op);
        put_values(sink, &to->values[row->set][row->kind], row);
        break;
    case RF_FLAT_EXTRA:
        put_extra(sink, row->rec, row->work->extra);
        break;
    default:
        put_sample(sink, row);
    }
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
    init_values(to->values[RF_FLAT_CALL], &rf_call_fields);
    init_values(to->values[RF_FLAT_OP], &rf_op_fields);
    init_values(to->values[RF_FLAT_EVENT], &rf_event_fields);
    init_values(to->values[RF_FLAT_EVENT], &rf_range_fields);
    put_head(sink, job->rec);
    int status = rf_flat_export(job, sink, put_row, to);
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
