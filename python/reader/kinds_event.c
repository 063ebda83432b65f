/* SPDX-License-Identifier: Apache-2.0 */
/* Events, ranges and marks. */
#include <string.h>

#include "shared_recording.h"
#include "kind.h"
#include "model/fields/event_names.h"
#include "model/fields/fields.h"
#include "nesting.h"
#include "payload_objects.h"
#include "row.h"
#include "views.h"

static bool run_of_events(const struct recording *recording, uint32_t i, struct run *run)
{
    run->base = rf_thread_events(recording->rec, i, &run->n);
    return i < rf_n_threads(recording->rec);
}

static bool is_range(const void *at)
{
    const struct rf_event *event = at;
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

static bool is_mark(const void *at)
{
    return ((const struct rf_event *)at)->kind == RF_EVENT_MARK;
}

/* ---- Where members stand ---- */

static const struct rf_event *event_of(const struct row *row)
{
    return row->at;
}

static const void *range_of(const struct row *row)
{
    return is_range(row->at) ? row->at : NULL;
}

/* Other events use the members of attributes for what they are about. */
static const struct rf_event *attributes_of(const struct row *row)
{
    return is_range(row->at) || is_mark(row->at) ? row->at : NULL;
}

static const void *domain_of(const struct row *row)
{
    return rf_domain_at(row->recording->rec, event_of(row)->domain);
}

static const struct rf_start_end *start_end_of(const struct row *row)
{
    const struct rf_event *event = event_of(row);
    return event->kind == RF_EVENT_START_END ? rf_start_end_at(row->recording->rec, event->link)
                                             : NULL;
}

static const void *part_of_event(const struct row *row, unsigned part, struct rf_row *room)
{
    const struct rf_event_at at = {.event = row->at, .thread = row->run};
    return rf_part_of_event(row->recording->rec, &at, part, room);
}

/* ---- Values ---- */

static bool get_end_thread(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_start_end *start_end = start_end_of(row);
    (void)column;
    value->i = start_end != NULL ? start_end->end_thread : row->run;
    return is_range(row->at) && value->i != RF_NO_INDEX;
}

static bool get_payload_text(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = rf_payload_string(event_of(row));
    return attributes_of(row) != NULL && value->u != RF_NO_STRING;
}

/* ---- Payloads that are numbers ---- */

/* The first payload of an event that is one number. */
struct number {
    struct rf_value value;
    unsigned depth, wanted_depth;
};

static int find_number(void *context, const struct rf_value *value)
{
    struct number *number = context;
    bool is_begin = value->kind == RF_VALUE_OBJECT || value->kind == RF_VALUE_ARRAY;
    bool is_number = (value->kind == RF_VALUE_UNSIGNED && (value->flags & RF_VALUE_ENUM) == 0) ||
                     value->kind == RF_VALUE_SIGNED || value->kind == RF_VALUE_REAL;
    bool is_payload = number->depth == number->wanted_depth && value->kind != RF_VALUE_END;
    number->depth += is_begin;
    number->depth -= value->kind == RF_VALUE_END;
    if (is_payload && !is_begin)
        number->value = *value;
    return is_payload && (is_number || !is_begin || number->wanted_depth == 0);
}

static enum value_type read_extended(const struct row *row, union value *to)
{
    const rf_recording *rec = row->recording->rec;
    struct rf_payload_bytes second;
    struct number number = {.value = {.kind = RF_VALUE_NULL}};
    number.wanted_depth = (unsigned)rf_payload_at(rec, row->at, 1, &second);
    (void)rf_visit_payloads(rec, row->at, 0, find_number, &number);
    to->u = number.value.number; /* the bits of any number */
    switch (number.value.kind) {
    case RF_VALUE_UNSIGNED:
        return (number.value.flags & RF_VALUE_ENUM) != 0 ? PLAIN : to->i >= 0 ? INTEGER : COUNT;
    case RF_VALUE_SIGNED:
        return INTEGER;
    case RF_VALUE_REAL:
        return REAL;
    default:
        return PLAIN;
    }
}

/* The number and its type: INTEGER if an int64 holds it, else COUNT; or REAL. PLAIN: there is none.
 */
static enum value_type read_payload(const struct row *row, union value *value)
{
    const struct rf_event *event = event_of(row);
    float single;
    if (attributes_of(row) == NULL)
        return PLAIN;
    value->u = event->payload;
    switch (event->payload_type) {
    case RF_TYPE_UINT64:
        return value->i >= 0 ? INTEGER : COUNT;
    case RF_TYPE_INT64:
        return INTEGER;
    case RF_TYPE_UINT32:
        value->u = (uint32_t)value->u;
        return INTEGER;
    case RF_TYPE_INT32:
        value->i = (int32_t)value->u;
        return INTEGER;
    case RF_TYPE_DOUBLE:
        return REAL; /* its bits are there */
    case RF_TYPE_FLOAT:
        memcpy(&single, &(uint32_t){(uint32_t)value->u}, sizeof(single));
        value->d = (double)single;
        return REAL;
    case RF_TYPE_EXTENDED:
        return read_extended(row, value);
    default:
        return PLAIN;
    }
}

static bool get_payload(const struct column *column, const struct row *row, union value *value)
{
    enum value_type type = read_payload(row, value);
    (void)column;
    if (type == INTEGER)
        value->d = (double)value->i;
    else if (type == COUNT)
        value->d = (double)value->u;
    return type != PLAIN;
}

/* Whether a column of INTEGER or COUNT can hold a payload. */
static bool holds_payload(enum value_type column, enum value_type type, const union value *value)
{
    return type == column || (column == COUNT && type == INTEGER && value->i >= 0);
}

static bool get_payload_integer(const struct column *column, const struct row *row,
                                union value *value)
{
    return holds_payload(column->type, read_payload(row, value), value);
}

static PyObject *payload_number(const struct row *row)
{
    union value value;
    switch (read_payload(row, &value)) {
    case INTEGER:
        return PyLong_FromLongLong(value.i);
    case COUNT:
        return PyLong_FromUnsignedLongLong(value.u);
    case REAL:
        return PyFloat_FromDouble(value.d);
    default:
        Py_RETURN_NONE;
    }
}

#define PAYLOAD_DOC                                                                                \
    "int, float, str where it is JSON, or what a structure is: a dict, list, number, str or "      \
    "bytes;\n"                                                                                     \
    "several are a list. None where there is none, or it is of an unknown type."

/* Integers where all payloads are. */
static const struct column *narrow_payload(const struct view *view)
{
    static const struct column integers = {"payload", INTEGER, .get = get_payload_integer,
                                           .doc = PAYLOAD_DOC};
    static const struct column counts = {"payload", COUNT, .get = get_payload_integer,
                                         .doc = PAYLOAD_DOC};
    struct row row = {NULL, NULL, 0, 0};
    union value value;
    bool has_any = false, are_integers = true, are_counts = true;
    for (Py_ssize_t i = 0; i < view->n && (are_integers || are_counts); i++) {
        view_get(view, i, &row);
        enum value_type type = read_payload(&row, &value);
        if (type == PLAIN)
            continue;
        has_any = true;
        are_integers = are_integers && holds_payload(INTEGER, type, &value);
        are_counts = are_counts && holds_payload(COUNT, type, &value);
    }
    if (has_any && are_integers)
        return &integers;
    return has_any && are_counts ? &counts : kind_find_column(&kinds[EVENTS], "payload");
}

#define EVENT(member) FIELD(struct rf_event, member)
#define ONLY(kind)    (1u << (kind))
#define RANGES_ONLY   (ONLY(EVENTS) | ONLY(RANGES))

/* Columns with a name alone are of rf_event_fields and rf_range_fields. */
static const struct column event_columns[] = {
    {"kind", WORD, EVENT(kind), .word = rf_event_kind_name,
     .doc = "str: 'push_pop', 'start_end', 'mark', or what else an event is."},
    {"start_ns", TIME, EVENT(start_ns), .doc = "int: nanoseconds after time 0 of the recording."},
    {"end_ns", TIME, EVENT(end_ns), .only_in = RANGES_ONLY,
     .doc = "int: nanoseconds after time 0. cut says where it is not the program's own."},
    {"duration_ns", TIME, EVENT(start_ns), .of = range_of, .get = get_duration,
     .only_in = RANGES_ONLY, .doc = "int: nanoseconds."},
    {"name", TEXT, EVENT(name), .doc = "str: the message; None where there is none."},
    {"domain", TEXT, .of = domain_of, .get = get_domain_name, .none_text = DEFAULT_DOMAIN,
     .doc = "str: the name of the domain; 'NVTX' is the default domain."},
    {"domain_id", NUMBER, FIELD(struct rf_domain, id), .of = domain_of,
     .doc = "int: 0 for the default domain; domains of a process are numbered as they come."},
    {.name = "category"},
    {.name = "category_name"},
    {.name = "color"},
    {"payload", REAL, .get = get_payload, .object = payload_number, .narrow = narrow_payload,
     .doc = PAYLOAD_DOC " As a column: the\n"
                        "first one that is a number; int64 or uint64 where all are ints, else\n"
                        "double, which rounds beyond 2**53."},
    {.name = "payload_type"},
    {.name = "scope"},
    {"payload_bits", COUNT, EVENT(payload),
     .doc = "int: the payload as it is, 64 bits; of unknown types perhaps an address."},
    {"payload_text", TEXT, .get = get_payload_text, .doc = "str: a payload that is text; or None."},
    {"pid", NUMBER, PROCESS(pid), .of = process_of_run,
     .doc = "int: the process as the system numbers it."},
    {"tid", NUMBER, THREAD(tid), .of = thread_of_run,
     .doc = "int: the thread as the system numbers it."},
    {"process", INDEX, THREAD(process), .of = thread_of_run, .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"thread", INDEX, .get = get_run, .refers = THREADS,
     .doc = "Thread: that began it. As a column: its index in Recording.threads."},
    {"end_thread", INDEX, .get = get_end_thread, .refers = THREADS, .only_in = RANGES_ONLY,
     .doc = "Thread: that ended it. As a column: its index in Recording.threads."},
    {.name = "range_id", .only_in = RANGES_ONLY},
    {.name = "cut", .only_in = RANGES_ONLY},
    {"is_cut", FLAG, EVENT(cut), .only_in = RANGES_ONLY,
     .doc = "bool: whether its end was not recorded; cut says why."},
    {"is_cut_at_start", FLAG, EVENT(flags), .mask = RF_EVENT_CUT_AT_START, .only_in = RANGES_ONLY,
     .doc = "bool: whether it was open when the first capture that it is in began."},
    {"is_clamped", FLAG, EVENT(flags), .mask = RF_EVENT_CLAMPED, .only_in = RANGES_ONLY,
     .doc = "bool: whether its end lay before its start, by the clocks of two threads."},
    {"is_foreign_end", FLAG, EVENT(flags), .mask = RF_EVENT_FOREIGN_END, .only_in = RANGES_ONLY,
     .doc = "bool: whether another process passed its id to nvtxRangeEnd."},
    {"is_registered", FLAG, EVENT(flags), .mask = RF_EVENT_REGISTERED,
     .doc = "bool: whether the message is a registered string."},
    {"is_bad_handle", FLAG, EVENT(flags), .mask = RF_EVENT_BAD_HANDLE,
     .doc =
         "bool: whether the message is a registered string that does not exist; name is '0x...'."},
    {"is_bad_payload", FLAG, EVENT(flags), .mask = RF_EVENT_BAD_PAYLOAD,
     .doc = "bool: whether a payload could not be decoded whole: what could not is bytes."},
    {.name = NULL}};

/* ---- Events as objects ---- */

static PyObject *payload_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    union value value;
    (void)ignored;
    if (get_payload_text(NULL, row, &value))
        return recording_string(row->recording, (uint32_t)value.u);
    if (attributes_of(row) != NULL && event_of(row)->payload_type == RF_TYPE_EXTENDED)
        return payload_object_of(row->recording->rec, event_of(row));
    return payload_number(row);
}

static PyObject *projection_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    size_t n;
    (void)ignored;
    if (recording_project(row->recording) != 0)
        return NULL;
    const struct rf_projection *all = rf_projections_all(row->recording->projections, &n);
    const struct rf_projection *found =
        rf_projection_of(row->recording->projections, row->run, row->index);
    if (found == NULL)
        Py_RETURN_NONE;
    return row_new_at(row->recording, PROJECTIONS, 0, (uint64_t)(found - all));
}

static const char payload_doc[] = PAYLOAD_DOC;

static const PyGetSetDef mark_objects[] = {{"payload", payload_object, NULL, payload_doc, NULL},
                                           {NULL, NULL, NULL, NULL, NULL}};

static PyObject *range_self_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    (void)ignored;
    if (recording_project(row->recording) != 0)
        return NULL;
    return PyLong_FromLongLong(rf_range_self_ns(row->recording->projections, row->run, row->index));
}

static const PyGetSetDef range_objects[] = {
    {"payload", payload_object, NULL, payload_doc, NULL},
    {"parent", range_parent_object, NULL,
     "Range: the one that it is part of; or None. Of `async with annotate` and decorated "
     "coroutines\n"
     "of rangefinder.nvtx it is the one that their task had open; of others the innermost one of\n"
     "the same thread that encloses it. The first question looks through the whole recording.",
     NULL},
    {"depth", range_depth_object, NULL, "int: how many parents stand above it.", NULL},
    {"self_ns", range_self_object, NULL,
     "int: nanoseconds that no other range of the same thread inside it covers; never negative.",
     NULL},
    {"children", range_children_object, NULL, "list of Range: those whose parent it is, by start.",
     NULL},
    {"projection", projection_object, NULL, "Projection: the GPU work under it; or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

#define EVENT_ROWS                                                                                 \
    .columns = event_columns, .fields = {&rf_event_fields, &rf_range_fields},                      \
    .part_of = part_of_event, .kind_at = offsetof(struct rf_event, kind),                          \
    .size = sizeof(struct rf_event), .is_timed = true, .run = run_of_events

#define ALL_KINDS   ((2u << RF_EVENT_SYNC) - 1)
#define RANGE_KINDS (1u << RF_EVENT_PUSH_POP | 1u << RF_EVENT_START_END)

const struct kind event_kind = {
    .name = "events",
    .type_name = "rangefinder.recording.Event",
    .doc = "Something that a program annotated: a range, a mark, or a call that names or creates.",
    EVENT_ROWS,
    .field_kinds = ALL_KINDS,
    .objects = mark_objects};

const struct kind range_kind = {.name = "ranges",
                                .type_name = "rangefinder.recording.Range",
                                .doc = "A range: what a program did between two moments.",
                                EVENT_ROWS,
                                .field_kinds = RANGE_KINDS,
                                .keeps = is_range,
                                .objects = range_objects};

const struct kind mark_kind = {.name = "marks",
                               .type_name = "rangefinder.recording.Mark",
                               .doc = "A moment that a program marked.",
                               EVENT_ROWS,
                               .field_kinds = 1u << RF_EVENT_MARK,
                               .keeps = is_mark,
                               .objects = mark_objects};
