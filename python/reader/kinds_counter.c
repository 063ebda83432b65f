/* SPDX-License-Identifier: Apache-2.0 */
/* Counters and their samples. */
#include "shared_recording.h"
#include "model/fields/fields_counter.h"
#include "kind.h"
#include "rows.h"

/* ---- Counters ---- */

static bool run_of_counters(const struct recording *recording, uint32_t i, struct run *run)
{
    return run_of_array(i, run, rf_counter_at(recording->rec, 0), rf_n_counters(recording->rec));
}

static const void *part_of_counter(const struct row *row, unsigned part, struct rf_row *room)
{
    rf_row_of_counter(row->recording->rec, row->at, NULL, room);
    return room->part[part];
}

static const void *nvtx_of(const struct row *row)
{
    return ((const struct rf_counter *)row->at)->nvtx;
}

static const void *domain_of(const struct row *row)
{
    const struct rf_nvtx_counter *nvtx = nvtx_of(row);
    return nvtx != NULL ? rf_domain_at(row->recording->rec, nvtx->domain) : NULL;
}

/* ---- Limits: int where the program gave an int, else float ---- */

static const struct rf_counter_limit *limit_of(const struct row *row, int bit)
{
    const struct rf_nvtx_counter *nvtx = nvtx_of(row);
    if (nvtx == NULL || (nvtx->has_limits & bit) == 0)
        return NULL;
    return bit == 1 ? &nvtx->min : &nvtx->max;
}

static bool get_limit(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_counter_limit *limit = limit_of(row, column->mask);
    if (limit == NULL)
        return false;
    if (column->type == REAL)
        value->d = limit->value;
    else
        value->i = limit->integer;
    return true;
}

static PyObject *limit_object(const struct row *row, int bit)
{
    const struct rf_counter_limit *limit = limit_of(row, bit);
    if (limit == NULL)
        Py_RETURN_NONE;
    switch (limit->number) {
    case RF_COUNTER_INT64:
        return PyLong_FromLongLong(limit->integer);
    case RF_COUNTER_UINT64:
        return PyLong_FromUnsignedLongLong((uint64_t)limit->integer);
    default:
        return PyFloat_FromDouble(limit->value);
    }
}

static PyObject *min_object(const struct row *row)
{
    return limit_object(row, 1);
}

static PyObject *max_object(const struct row *row)
{
    return limit_object(row, 2);
}

/* INTEGER or COUNT if one of them holds the limits of all rows, which have some; else REAL. */
static enum value_type type_of_limits(const struct view *view, int bit)
{
    bool has_any = false, has_real = false, has_negative = false, has_top = false;
    struct row row = {NULL, NULL, 0, 0};
    for (Py_ssize_t i = 0; i < view->n; i++) {
        view_get(view, i, &row);
        const struct rf_counter_limit *limit = limit_of(&row, bit);
        has_any |= limit != NULL;
        if (limit == NULL || limit->number == RF_COUNTER_REAL)
            has_real |= limit != NULL;
        else if (limit->integer < 0)
            *(limit->number == RF_COUNTER_UINT64 ? &has_top : &has_negative) = true;
    }
    if (!has_any || has_real || (has_top && has_negative))
        return REAL;
    return has_top ? COUNT : INTEGER;
}

#define MIN_DOC "int or float: the least value that the program expects; or None."
#define MAX_DOC "int or float: the largest one; or None."

static const struct column *narrow_min(const struct view *view)
{
    static const struct column integers = {"min", INTEGER, .get = get_limit, .mask = 1,
                                           .doc = MIN_DOC};
    static const struct column counts = {"min", COUNT, .get = get_limit, .mask = 1, .doc = MIN_DOC};
    const enum value_type type = type_of_limits(view, 1);
    return type == INTEGER ? &integers
           : type == COUNT ? &counts
                           : kind_find_column(&kinds[COUNTERS], "min");
}

static const struct column *narrow_max(const struct view *view)
{
    static const struct column integers = {"max", INTEGER, .get = get_limit, .mask = 2,
                                           .doc = MAX_DOC};
    static const struct column counts = {"max", COUNT, .get = get_limit, .mask = 2, .doc = MAX_DOC};
    const enum value_type type = type_of_limits(view, 2);
    return type == INTEGER ? &integers
           : type == COUNT ? &counts
                           : kind_find_column(&kinds[COUNTERS], "max");
}

#define COUNTER(member) FIELD(struct rf_counter, member)

/* Columns with a name alone are of rf_counter_fields. */

static const struct column counter_columns[] = {
    {"name", TEXT, COUNTER(name), .doc = "str: 'SMs Active [Throughput %]'."},
    {"set", TEXT, COUNTER(set), .doc = "str: what it was sampled with; or None."},
    {"device", NUMBER, COUNTER(device), .absent = RF_ABSENT_MAX, .doc = "int: Gpu.id; or None."},
    {"domain", TEXT, .of = domain_of, .get = get_domain_name, .none_text = DEFAULT_DOMAIN,
     .doc = "str: the domain of a counter of NVTX; 'NVTX' is the default domain; or None."},
    {"process", INDEX, COUNTER(process), .refers = PROCESSES,
     .doc = "Process; None where it is of the machine."},
    {"thread", INDEX, FIELD(struct rf_nvtx_counter, thread), .of = nvtx_of, .refers = THREADS,
     .doc = "Thread: that its scope is; or None."},
    {.name = "unit"},
    {.name = "description"},
    {.name = "scope"},
    {.name = "number"},
    {.name = "value_type"},
    {.name = "interpolation"},
    {"min", REAL, .get = get_limit, .mask = 1, .object = min_object, .narrow = narrow_min,
     .doc = MIN_DOC},
    {"max", REAL, .get = get_limit, .mask = 2, .object = max_object, .narrow = narrow_max,
     .doc = MAX_DOC},
    {.name = "scale_numerator"},
    {.name = "scale_denominator"},
    {"n_samples", COUNT, COUNTER(n_samples), .doc = "int: how many samples it has."},
    {"is_derived", FLAG, COUNTER(is_derived),
     .doc = "bool: whether it was computed from allocations of memory."},
    {.name = NULL}};

static const PyGetSetDef counter_objects[] = {
    {"samples", rows_of_run_object, NULL, "Rows of Sample, by time.", &kinds[SAMPLES]},
    {NULL, NULL, NULL, NULL, NULL}};

const struct kind counter_kind = {.name = "counters",
                                  .type_name = "rangefinder.recording.Counter",
                                  .doc = "A quantity over time.",
                                  .columns = counter_columns,
                                  .fields = {&rf_counter_fields},
                                  .part_of = part_of_counter,
                                  .kind_at = offsetof(struct rf_counter, is_derived),
                                  .field_kinds = 3, /* 0 and 1: derived or not */
                                  .size = sizeof(struct rf_counter),
                                  .run = run_of_counters,
                                  .objects = counter_objects};

/* ---- Samples: a row is a time; its value stands beside it ---- */

static bool run_of_samples(const struct recording *recording, uint32_t i, struct run *run)
{
    const struct rf_counter *counter = rf_counter_at(recording->rec, i);
    if (counter != NULL)
        *run = (struct run){counter->ns, counter->n_samples};
    return counter != NULL;
}

static const void *counter_of(const struct row *row)
{
    return rf_counter_at(row->recording->rec, row->run);
}

static const void *value_of(const struct row *row)
{
    return rf_counter_at(row->recording->rec, row->run)->value + row->index;
}

static struct rf_sample_at sample_at(const struct row *row)
{
    return (struct rf_sample_at){counter_of(row), row->index};
}

static bool get_value(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_sample_at at = sample_at(row);
    (void)column;
    value->d = at.counter->value[at.i];
    return rf_sample_form(&at) != RF_SAMPLE_IS_NONE;
}

static PyObject *value_object(const struct row *row)
{
    const struct rf_sample_at at = sample_at(row);
    switch (rf_sample_form(&at)) {
    case RF_SAMPLE_IS_INT64:
        return PyLong_FromLongLong(at.counter->nvtx->integer[at.i]);
    case RF_SAMPLE_IS_UINT64:
        return PyLong_FromUnsignedLongLong((uint64_t)at.counter->nvtx->integer[at.i]);
    case RF_SAMPLE_IS_REAL:
        return PyFloat_FromDouble(at.counter->value[at.i]);
    default:
        Py_RETURN_NONE;
    }
}

/* Whether a column of INTEGER or COUNT can hold a value. */
static bool holds(enum value_type type, const struct rf_sample_at *at)
{
    const enum rf_sample_form form = rf_sample_form(at);
    if (form == RF_SAMPLE_IS_NONE)
        return true;
    if (form == RF_SAMPLE_IS_REAL)
        return false;
    const bool has_top = at->counter->nvtx->integer[at->i] < 0;
    return !has_top || form == (type == COUNT ? RF_SAMPLE_IS_UINT64 : RF_SAMPLE_IS_INT64);
}

static bool get_integer(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_sample_at at = sample_at(row);
    (void)column;
    if (rf_sample_form(&at) == RF_SAMPLE_IS_NONE)
        return false;
    value->i = at.counter->nvtx->integer[at.i];
    return true;
}

static bool has_integers(const rf_recording *rec)
{
    const struct rf_counter *counter;
    for (uint32_t i = 0; (counter = rf_counter_at(rec, i)) != NULL; i++)
        if (counter->nvtx != NULL && counter->nvtx->integer != NULL)
            return true;
    return false;
}

#define VALUE_DOC                                                                                  \
    "float, or int of a counter of NVTX that counts in integers; in the unit that the counter's\n" \
    "name or unit gives; None where the program had no value."

/* Integers where all values are. */
static const struct column *narrow_value(const struct view *view)
{
    static const struct column integers = {"value", INTEGER, .get = get_integer, .doc = VALUE_DOC};
    static const struct column counts = {"value", COUNT, .get = get_integer, .doc = VALUE_DOC};
    struct row row = {NULL, NULL, 0, 0};
    bool are_integers = true, are_counts = true;
    if (view->n > 0)
        view_get(view, 0, &row);
    if (view->n == 0 || !has_integers(row.recording->rec))
        return kind_find_column(&kinds[SAMPLES], "value");
    for (Py_ssize_t i = 0; i < view->n && (are_integers || are_counts); i++) {
        view_get(view, i, &row);
        const struct rf_sample_at at = sample_at(&row);
        are_integers = are_integers && holds(INTEGER, &at);
        are_counts = are_counts && holds(COUNT, &at);
    }
    return are_integers ? &integers
           : are_counts ? &counts
                        : kind_find_column(&kinds[SAMPLES], "value");
}

static bool get_flag(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_sample_at at = sample_at(row);
    value->u = (rf_sample_flags(&at) & column->mask) != 0;
    return true;
}

static const struct column sample_columns[] = {
    {"start_ns", TIME, .size = sizeof(int64_t), .doc = "int: nanoseconds after time 0."},
    {"value", REAL, .size = sizeof(double), .of = value_of, .get = get_value,
     .object = value_object, .narrow = narrow_value, .is_array = true, .doc = VALUE_DOC},
    {"is_placed", FLAG, .get = get_flag, .mask = RF_SAMPLE_PLACED,
     .doc = "bool: whether it has no time that is known, and stands where it was recorded."},
    {"counter", INDEX, .get = get_run, .refers = COUNTERS,
     .doc = "Counter. As a column: its index in Recording.counters."},
    {"name", TEXT, COUNTER(name), .of = counter_of, .doc = "str: of the counter."},
    {.name = NULL}};

const struct kind sample_kind = {
    .name = "samples",
    .type_name = "rangefinder.recording.Sample",
    .doc = "The value of a counter from the sample before up to start_ns.",
    .columns = sample_columns,
    .size = sizeof(int64_t),
    .is_timed = true,
    .run = run_of_samples};
