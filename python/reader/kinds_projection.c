/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds_projection.h"

#include "held.h"
#include "kind.h"
#include "row.h"

int run_of_projections(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){NULL, 0};
    if (held->projections != NULL)
        run->base = (const char *)rf_projections_all(held->projections, &run->n);
    return i == 0;
}

static const struct rf_event *projected_range(const struct row *row)
{
    const struct rf_projection *projection = row->at;
    return rf_thread_events(row->held->rec, projection->thread, NULL) + projection->event;
}

static int get_projected_name(const struct column *column, const struct row *row,
                              union value *value)
{
    (void)column;
    value->u = projected_range(row)->name;
    return 1;
}

static int get_projected_domain(const struct column *column, const struct row *row,
                                union value *value)
{
    (void)column;
    return value_set_domain(row, projected_range(row)->domain, value);
}

static int get_projected_duration(const struct column *column, const struct row *row,
                                  union value *value)
{
    const struct rf_projection *projection = row->at;
    (void)column;
    value_set_duration(value, projection->start_ns, projection->end_ns);
    return 1;
}

static int get_range_start(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = projected_range(row)->start_ns;
    return 1;
}

static int get_range_end(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = projected_range(row)->end_ns;
    return 1;
}

static int get_projection_pid(const struct column *column, const struct row *row,
                              union value *value)
{
    const struct rf_projection *projection = row->at;
    (void)column;
    return value_set_pid(row, row_process_of(row, projection->thread), value);
}

static int get_projection_tid(const struct column *column, const struct row *row,
                              union value *value)
{
    (void)column;
    return value_set_tid(row, ((const struct rf_projection *)row->at)->thread, value);
}

#define PROJECTION(member) FIELD(struct rf_projection, member)

const struct column projection_columns[] = {
    {"name", TEXT, .get = get_projected_name, .doc = "str: of the range."},
    {"domain", TEXT, .get = get_projected_domain, .none_text = DEFAULT_DOMAIN,
     .doc = "str: of the range; 'NVTX' is the default domain."},
    {"start_ns", TIME, PROJECTION(start_ns), .doc = "int: of the first piece of work."},
    {"end_ns", TIME, PROJECTION(end_ns), .doc = "int: of the last piece of work."},
    {"duration_ns", TIME, .get = get_projected_duration, .doc = "int: from the one to the other."},
    {"busy_ns", COUNT, PROJECTION(busy_ns), .doc = "int: sum of the durations of the work."},
    {"n_calls", NUMBER, PROJECTION(n_calls), .doc = "int: that caused the work."},
    {"n_ops", NUMBER, PROJECTION(n_ops), .doc = "int: pieces of work."},
    {"range_start_ns", TIME, .get = get_range_start, .doc = "int: when the range began."},
    {"range_end_ns", TIME, .get = get_range_end, .doc = "int: when the range ended."},
    {"pid", NUMBER, .get = get_projection_pid, .doc = "int: the process of the range."},
    {"tid", NUMBER, .get = get_projection_tid, .doc = "int: the thread of the range."},
    {"thread", INDEX, PROJECTION(thread), .refers = THREADS,
     .doc = "Thread: of the range. As a column: its index in Recording.threads."},
    {"is_by_process", FLAG, PROJECTION(by_process),
     .doc = "bool: whether the calls are those of the whole process."},
    {.name = NULL}};

static PyObject *projected_range_object(PyObject *self, void *ignored)
{
    const struct rf_projection *projection = row_of_object(self)->at;
    (void)ignored;
    return row_new_at(row_of_object(self)->held, RANGES, projection->thread, projection->event);
}

const PyGetSetDef projection_objects[] = {{"range", projected_range_object, NULL, "Range.", NULL},
                                          {NULL, NULL, NULL, NULL, NULL}};
