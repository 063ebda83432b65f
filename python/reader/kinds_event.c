/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds_event.h"

#include <string.h>

#include "held.h"
#include "kind.h"
#include "model/fields/event_names.h"
#include "nesting.h"
#include "python_text.h"
#include "row.h"
#include "views.h"

#define ONLY(kind) (1u << (kind))

/* ---- Which rows there are ---- */

int run_of_events(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){NULL, 0};
    if (i >= rf_n_threads(held->rec))
        return 0;
    run->base = (const char *)rf_thread_events(held->rec, i, &run->n);
    return 1;
}

int is_range_row(const void *at)
{
    const struct rf_event *event = at;
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

int is_mark_row(const void *at)
{
    return ((const struct rf_event *)at)->kind == RF_EVENT_MARK;
}

/* ---- Values of events ---- */

static const struct rf_event *event_of(const struct row *row)
{
    return row->at;
}

/* Other events use the fields of attributes for what they are about. */
static int has_attributes(const struct row *row)
{
    return is_range_row(row->at) || is_mark_row(row->at);
}

static int get_kind(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = event_of(row)->kind;
    return 1;
}

static int get_duration(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = rf_duration_ns(event_of(row));
    return is_range_row(row->at);
}

static int get_domain(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_domain(row, event_of(row)->domain, value);
}

static int get_domain_id(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_domain *domain = rf_domain_at(row->held->rec, event_of(row)->domain);
    (void)column;
    value->u = domain != NULL ? domain->id : 0;
    return domain != NULL;
}

static int has_category(const struct row *row)
{
    return has_attributes(row) && (event_of(row)->flags & RF_EVENT_HAS_CATEGORY) != 0;
}

static int get_category(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = event_of(row)->category;
    return has_category(row) || event_of(row)->kind == RF_EVENT_CATEGORY;
}

static int get_category_name(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_event *event = event_of(row);
    (void)column;
    value->u = rf_category_name(row->held->rec, event->domain, event->category);
    return has_category(row);
}

static int get_color(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = event_of(row)->color;
    return has_attributes(row) && (event_of(row)->flags & RF_EVENT_HAS_COLOR) != 0;
}

static int get_payload(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_event *event = event_of(row);
    uint32_t low = (uint32_t)event->payload;
    float single;
    (void)column;
    if (!has_attributes(row))
        return 0;
    switch (event->payload_type) {
    case RF_TYPE_UINT64:
        value->d = (double)event->payload;
        return 1;
    case RF_TYPE_INT64:
        value->d = (double)(int64_t)event->payload;
        return 1;
    case RF_TYPE_UINT32:
        value->d = low;
        return 1;
    case RF_TYPE_INT32:
        value->d = (int32_t)low;
        return 1;
    case RF_TYPE_DOUBLE:
        memcpy(&value->d, &event->payload, sizeof(value->d));
        return 1;
    case RF_TYPE_FLOAT:
        memcpy(&single, &low, sizeof(single));
        value->d = (double)single;
        return 1;
    default:
        return 0;
    }
}

/* An integer payload; a uint64 of more than 63 bits is one of COUNT only. */
static int get_payload_integer(const struct column *column, const struct row *row,
                               union value *value)
{
    const struct rf_event *event = event_of(row);
    if (!has_attributes(row))
        return 0;
    value->u = event->payload;
    switch (event->payload_type) {
    case RF_TYPE_UINT64:
        return column->type == COUNT || value->i >= 0;
    case RF_TYPE_INT64:
        return column->type == INTEGER || value->i >= 0;
    case RF_TYPE_UINT32:
        value->u = (uint32_t)event->payload;
        return 1;
    case RF_TYPE_INT32:
        value->i = (int32_t)(uint32_t)event->payload;
        return column->type == INTEGER || value->i >= 0;
    default:
        return 0;
    }
}

#define PAYLOAD_DOC                                                                                \
    "int, float, or str where it is JSON; None where there is none, or it is of an unknown type."

static const struct column integer_payload = {"payload", INTEGER, .get = get_payload_integer,
                                              .doc = PAYLOAD_DOC};
static const struct column count_payload = {"payload", COUNT, .get = get_payload_integer,
                                            .doc = PAYLOAD_DOC};

static PyObject *payload_number(const struct row *row)
{
    union value value;
    if (get_payload_integer(&integer_payload, row, &value))
        return PyLong_FromLongLong(value.i);
    if (get_payload_integer(&count_payload, row, &value))
        return PyLong_FromUnsignedLongLong(value.u);
    if (get_payload(NULL, row, &value))
        return PyFloat_FromDouble(value.d);
    Py_RETURN_NONE;
}

/* Integers where all payloads are. */
static const struct column *narrow_payload(const struct view *view)
{
    struct row row = {NULL, NULL, 0, 0};
    union value value;
    size_t n = 0, n_integers = 0, n_counts = 0;
    for (Py_ssize_t i = 0; i < view->n && n == (n_integers > n_counts ? n_integers : n_counts);
         i++) {
        view_get(view, i, &row);
        if (!get_payload(NULL, &row, &value))
            continue;
        n++;
        n_integers += (size_t)get_payload_integer(&integer_payload, &row, &value);
        n_counts += (size_t)get_payload_integer(&count_payload, &row, &value);
    }
    if (n > 0 && n_integers == n)
        return &integer_payload;
    if (n > 0 && n_counts == n)
        return &count_payload;
    return kind_find_column(&kinds[EVENTS], "payload");
}

static int get_payload_type(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = event_of(row)->payload_type;
    return has_attributes(row) && value->u != RF_TYPE_NONE;
}

static int get_payload_text(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = rf_payload_string(event_of(row));
    return has_attributes(row) && value->u != RF_NO_STRING;
}

static const struct rf_thread *thread_of(const struct row *row)
{
    return rf_thread_at(row->held->rec, row->run);
}

static int get_thread(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = row->run;
    return 1;
}

static int get_process(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = thread_of(row)->process;
    return 1;
}

static int get_tid(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = thread_of(row)->tid;
    return 1;
}

static int get_pid(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    return value_set_pid(row, thread_of(row)->process, value);
}

static int get_cut(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = event_of(row)->cut;
    return value->u != RF_CUT_NONE;
}

static int get_is_cut(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = event_of(row)->cut != RF_CUT_NONE;
    return 1;
}

/* column->field: an enum rf_event_flags */
static int get_flag(const struct column *column, const struct row *row, union value *value)
{
    value->u = (event_of(row)->flags & column->field) != 0;
    return 1;
}

static const struct rf_start_end *start_end_of(const struct row *row)
{
    const struct rf_event *event = event_of(row);
    return event->kind == RF_EVENT_START_END ? rf_start_end_at(row->held->rec, event->link) : NULL;
}

static int get_range_id(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_start_end *start_end = start_end_of(row);
    (void)column;
    value->u = start_end != NULL ? start_end->id : 0;
    return start_end != NULL;
}

static int get_end_thread(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_start_end *start_end = start_end_of(row);
    (void)column;
    value->i = start_end != NULL ? start_end->end_thread : row->run;
    return is_range_row(row->at) && value->i != RF_NO_INDEX;
}

static const char *cut_word(int cut)
{
    const char *name = rf_cut_name(cut);
    return name != NULL && name[0] != 0 ? name : "unknown";
}

#define EVENT(member) FIELD(struct rf_event, member)
#define RANGES_ONLY   (ONLY(EVENTS) | ONLY(RANGES))

const struct column event_columns[] = {
    {"kind", WORD, .get = get_kind, .word = rf_event_kind_name,
     .doc = "str: 'push_pop', 'start_end', 'mark', or what else an event is."},
    {"start_ns", TIME, EVENT(start_ns), .doc = "int: nanoseconds after time 0 of the recording."},
    {"end_ns", TIME, EVENT(end_ns), .only_in = RANGES_ONLY,
     .doc = "int: nanoseconds after time 0. cut says where it is not the program's own."},
    {"duration_ns", TIME, .get = get_duration, .only_in = RANGES_ONLY, .doc = "int: nanoseconds."},
    {"name", TEXT, EVENT(name), .doc = "str: the message; None where there is none."},
    {"domain", TEXT, .get = get_domain, .none_text = DEFAULT_DOMAIN,
     .doc = "str: the name of the domain; 'NVTX' is the default domain."},
    {"domain_id", NUMBER, .get = get_domain_id,
     .doc = "int: 0 for the default domain; domains of a process are numbered as they come."},
    {"category", NUMBER, .get = get_category, .doc = "int: the id; None where there is none."},
    {"category_name", TEXT, .get = get_category_name,
     .doc = "str: what the program named the category; None where it did not."},
    {"color", NUMBER, .get = get_color, .doc = "int: 0xAARRGGBB; None where there is none."},
    {"payload", REAL, .get = get_payload, .object = payload_number, .narrow = narrow_payload,
     .doc = PAYLOAD_DOC " As a column: int64 or\n"
                        "uint64 where all are ints, else double, which rounds beyond 2**53."},
    {"payload_type", WORD, .get = get_payload_type, .word = rf_payload_type_name,
     .doc = "str: 'uint64', 'int64', 'double', 'uint32', 'int32', 'float', 'json', ...; None where "
            "there is none; 'unknown' of types that this version does not know."},
    {"payload_bits", COUNT, EVENT(payload),
     .doc = "int: the payload as it is, 64 bits; of unknown types perhaps an address."},
    {"payload_text", TEXT, .get = get_payload_text, .doc = "str: a payload that is text; or None."},
    {"pid", NUMBER, .get = get_pid, .doc = "int: the process as the system numbers it."},
    {"tid", NUMBER, .get = get_tid, .doc = "int: the thread as the system numbers it."},
    {"process", INDEX, .get = get_process, .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"thread", INDEX, .get = get_thread, .refers = THREADS,
     .doc = "Thread: that began it. As a column: its index in Recording.threads."},
    {"end_thread", INDEX, .get = get_end_thread, .refers = THREADS, .only_in = RANGES_ONLY,
     .doc = "Thread: that ended it. As a column: its index in Recording.threads."},
    {"range_id", COUNT, .get = get_range_id, .only_in = RANGES_ONLY,
     .doc = "int: what nvtxRangeStart returned; None where it was pushed."},
    {"cut", WORD, .get = get_cut, .word = cut_word, .only_in = RANGES_ONLY,
     .doc = "str: why the end is not the program's own: 'thread ended', ...; None where it is."},
    {"is_cut", FLAG, .get = get_is_cut, .only_in = RANGES_ONLY,
     .doc = "bool: whether its end was not recorded; cut says why."},
    {"is_cut_at_start", FLAG, RF_EVENT_CUT_AT_START, .get = get_flag, .only_in = RANGES_ONLY,
     .doc = "bool: whether it was open when the first capture that it is in began."},
    {"is_clamped", FLAG, RF_EVENT_CLAMPED, .get = get_flag, .only_in = RANGES_ONLY,
     .doc = "bool: whether its end lay before its start, by the clocks of two threads."},
    {"is_foreign_end", FLAG, RF_EVENT_FOREIGN_END, .get = get_flag, .only_in = RANGES_ONLY,
     .doc = "bool: whether another process passed its id to nvtxRangeEnd."},
    {"is_registered", FLAG, RF_EVENT_REGISTERED, .get = get_flag,
     .doc = "bool: whether the message is a registered string."},
    {"is_bad_handle", FLAG, RF_EVENT_BAD_HANDLE, .get = get_flag,
     .doc =
         "bool: whether the message is a registered string that does not exist; name is '0x...'."},
    {.name = NULL}};

/* ---- Events as objects ---- */

static PyObject *payload_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    union value value;
    (void)ignored;
    if (get_payload_text(NULL, row, &value))
        return string_object(row->held, (uint32_t)value.u);
    return payload_number(row);
}

static PyObject *projection_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    size_t n;
    (void)ignored;
    if (held_project(row->held) != 0)
        return NULL;
    const struct rf_projection *all = rf_projections_all(row->held->projections, &n);
    const struct rf_projection *found =
        rf_projection_of(row->held->projections, row->run, row->index);
    if (found == NULL)
        Py_RETURN_NONE;
    return row_new_at(row->held, PROJECTIONS, 0, (uint64_t)(found - all));
}

static const char payload_doc[] = PAYLOAD_DOC;

const PyGetSetDef mark_objects[] = {{"payload", payload_object, NULL, payload_doc, NULL},
                                    {NULL, NULL, NULL, NULL, NULL}};

static PyObject *range_self_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    (void)ignored;
    if (held_project(row->held) != 0)
        return NULL;
    return PyLong_FromLongLong(rf_range_self_ns(row->held->projections, row->run, row->index));
}

const PyGetSetDef range_objects[] = {
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
