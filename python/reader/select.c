/* SPDX-License-Identifier: Apache-2.0 */
/* Rows.filter(): what it was given becomes a test per column, which needs no interpreter. */
#include "select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "find_column.h"
#include "shared_recording.h"
#include "kind.h"
#include "places.h"
#include "raise.h"
#include "row.h"
#include "rows.h"
#include "views.h"
#include "with_python.h"

enum comparison { EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL };

struct test {
    const struct column *column;
    enum comparison comparison;
    bool fits_none;
    bool has_bounds;       /* low <= value < high, or one side of what is compared with */
    long double low, high; /* hold all that a column can */
    uint8_t *fits_id;      /* TEXT, WORD: by id */
    size_t n_ids;
    union value *value; /* others: those that fit */
    size_t n_values;
    PyObject *texts; /* a list of those that values point into; NULL: none */
};

struct tests {
    struct test *test;
    size_t n;
};

static void tests_release(struct tests *tests)
{
    for (size_t i = 0; i < tests->n; i++) {
        free(tests->test[i].fits_id);
        free(tests->test[i].value);
        Py_XDECREF(tests->test[i].texts);
    }
    free(tests->test);
}

/* ---- What rows hold ---- */

static bool is_equal(enum value_type type, const union value *a, const union value *b)
{
    if (type == REAL)
        return a->d == b->d;
    if (type == PLAIN)
        return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
    return a->u == b->u;
}

static long double number_of(enum value_type type, const union value *value)
{
    return type == REAL                      ? (long double)value->d
           : type == COUNT || type == NUMBER ? (long double)value->u
                                             : (long double)value->i;
}

static bool is_within(const struct test *test, long double number)
{
    switch (test->comparison) {
    case LESS:
        return number < test->low;
    case LESS_OR_EQUAL:
        return number <= test->low;
    case GREATER:
        return number > test->low;
    case GREATER_OR_EQUAL:
        return number >= test->low;
    default:
        return number >= test->low && number < test->high;
    }
}

static bool is_asked_for(const struct test *test, const struct row *row)
{
    union value value;
    if (!column_get(test->column, row, &value))
        return test->fits_none;
    if (column_has_ids(test->column))
        return value.u < test->n_ids && test->fits_id[value.u];
    if (test->has_bounds && is_within(test, number_of(test->column->type, &value)))
        return true;
    for (size_t i = 0; i < test->n_values; i++)
        if (is_equal(test->column->type, &value, &test->value[i]))
            return true;
    return false;
}

static bool test_fits(const struct test *test, const struct row *row)
{
    return is_asked_for(test, row) == (test->comparison != NOT_EQUAL);
}

static int select_rows(const struct view *view, const struct tests *tests, struct places *places)
{
    struct row row = {NULL, NULL, 0, 0};
    for (Py_ssize_t i = 0; i < view->n; i++) {
        size_t n_passed = 0;
        view_get(view, i, &row);
        while (n_passed < tests->n && test_fits(&tests->test[n_passed], &row))
            n_passed++;
        if (n_passed == tests->n && places_add(places, row.run, row.index) != 0)
            return -1;
    }
    return 0;
}

/* ---- What was asked for ---- */

static int wrong_value(const struct column *column, PyObject *given)
{
    const char *wanted = column_has_ids(column) || column->type == PLAIN
                             ? "a str, a regular expression"
                         : column->type == REAL ? "a float"
                         : column->type == FLAG ? "a bool"
                                                : "an int";
    PyErr_Format(PyExc_TypeError, "%s must be %s, None, or a list of these, not %.100s",
                 column->name, wanted, Py_TYPE(given)->tp_name);
    return -1;
}

/* Marks the ids that rows have, so that an expression is tried once for each of them only. */
static void mark_ids(const struct test *test, const struct view *view, uint8_t *is_used)
{
    struct row row = {NULL, NULL, 0, 0};
    union value value;
    for (Py_ssize_t i = 0; i < view->n; i++) {
        view_get(view, i, &row);
        if (column_get(test->column, &row, &value) && value.u < test->n_ids)
            is_used[value.u] = 1;
    }
}

static int expression_fits(PyObject *search, const char *text, size_t size)
{
    PyObject *string = text_object(text, size);
    PyObject *match = string != NULL ? PyObject_CallFunctionObjArgs(search, string, NULL) : NULL;
    int fits = match != NULL ? match != Py_None : -1;
    Py_XDECREF(string);
    Py_XDECREF(match);
    return fits;
}

/* Text that holds what is no UTF-8 was replaced when it was shown; so it is here. */
static int text_fits(PyObject *wanted, const char *text, size_t size)
{
    Py_ssize_t wanted_size;
    const char *bytes = PyUnicode_AsUTF8AndSize(wanted, &wanted_size);
    if (bytes == NULL)
        return -1;
    if (strstr(bytes, "\xef\xbf\xbd") == NULL)
        return size == (size_t)wanted_size && memcmp(text, bytes, size) == 0;
    PyObject *string = text_object(text, size);
    int fits = string != NULL ? PyObject_RichCompareBool(string, wanted, Py_EQ) : -1;
    Py_XDECREF(string);
    return fits;
}

/* Adds the ids whose text fits; is_used: only these are asked. Returns 0, or -1 with an exception.
 */
static int add_ids(struct test *test, const struct view *view, const uint8_t *is_used,
                   int (*fit)(PyObject *wanted, const char *text, size_t size), PyObject *wanted)
{
    for (size_t id = 0; id < test->n_ids; id++) {
        size_t size;
        const char *text = is_used == NULL || is_used[id]
                               ? column_text(test->column, view->recording, id, &size)
                               : NULL;
        int fits = text != NULL ? fit(wanted, text, size) : 0;
        if (fits < 0)
            return -1;
        if (fits > 0)
            test->fits_id[id] = 1;
    }
    return 0;
}

static int add_expression(struct test *test, const struct view *view, PyObject *search)
{
    uint8_t *is_used = calloc(test->n_ids + 1, 1);
    if (is_used == NULL)
        return raise_no_memory_status();
    mark_ids(test, view, is_used);
    int status = add_ids(test, view, is_used, expression_fits, search);
    free(is_used);
    return status;
}

static int add_to_ids(struct test *test, const struct view *view, PyObject *given)
{
    if (PyUnicode_Check(given))
        return add_ids(test, view, NULL, text_fits, given);
    PyObject *search = PyObject_GetAttrString(given, "search");
    if (search == NULL) {
        PyErr_Clear();
        return wrong_value(test->column, given);
    }
    int status = add_expression(test, view, search);
    Py_DECREF(search);
    return status;
}

/* Whether it is a row that the column may refer to. */
static bool is_referred(const struct column *column, PyObject *given)
{
    return column->type == INDEX && is_row(given) &&
           ((struct row_object *)given)->kind->id == column->refers;
}

/* An int that the column cannot hold fits no row. Returns 1 where it is to be added. */
static int read_int(const struct column *column, PyObject *given, union value *value)
{
    PyObject *number = NULL;
    if (is_referred(column, given))
        number = PyLong_FromUnsignedLong(((struct row_object *)given)->row.index);
    else if (PyIndex_Check(given)) /* numpy's too */
        number = PyNumber_Index(given);
    if (number == NULL)
        return PyErr_Occurred() ? -1 : wrong_value(column, given);
    if (column->type == TIME || column->type == INDEX)
        value->i = PyLong_AsLongLong(number);
    else
        value->u = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    if (!PyErr_Occurred())
        return 1;
    PyErr_Clear();
    return 0;
}

/* Keeps the text: the list that it is from may change meanwhile. Returns 1, or -1 with an
 * exception.
 */
static int read_text(struct test *test, PyObject *given, union value *value)
{
    Py_ssize_t size;
    if (!PyUnicode_Check(given))
        return wrong_value(test->column, given);
    if (test->texts == NULL)
        test->texts = PyList_New(0);
    if (test->texts == NULL || PyList_Append(test->texts, given) != 0)
        return -1;
    value->text = PyUnicode_AsUTF8AndSize(given, &size);
    value->size = (size_t)size;
    return value->text != NULL ? 1 : -1;
}

/* Returns 1 where *value is to be added, 0 where not, -1 with an exception. */
static int read_value(struct test *test, PyObject *given, union value *value)
{
    const struct column *column = test->column;
    if (column->type == REAL) {
        value->d = PyFloat_AsDouble(given);
        if (!PyErr_Occurred())
            return 1;
        PyErr_Clear();
        return wrong_value(column, given);
    }
    return column->type == PLAIN ? read_text(test, given, value) : read_int(column, given, value);
}

static int add_one(struct test *test, const struct view *view, PyObject *given)
{
    if (given == Py_None) {
        test->fits_none = true;
        if (test->column->none_text != NULL)
            test->fits_id[test->n_ids - 1] = 1;
        return 0;
    }
    if (column_has_ids(test->column))
        return add_to_ids(test, view, given);
    union value *grown = realloc(test->value, (test->n_values + 1) * sizeof(*grown));
    if (grown == NULL)
        return raise_no_memory_status();
    test->value = grown;
    int is_added = read_value(test, given, &test->value[test->n_values]);
    test->n_values += is_added > 0;
    return is_added < 0 ? -1 : 0;
}

/* ---- Comparisons ---- */

/* What numbers are compared with, exactly where it is of 64 bits. Returns 0, or -1 with an
 * exception. */
static int read_bound(const struct column *column, PyObject *given, long double *bound)
{
    int overflow;
    if (PyFloat_Check(given) || !PyIndex_Check(given)) {
        *bound = (long double)PyFloat_AsDouble(given);
        if (PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "%s is compared with a number, not %.100s", column->name,
                         Py_TYPE(given)->tp_name);
        return PyErr_Occurred() ? -1 : 0;
    }
    PyObject *number = PyNumber_Index(given);
    if (number == NULL)
        return -1;
    *bound = (long double)PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow > 0)
        *bound = (long double)PyLong_AsUnsignedLongLong(number);
    if (overflow < 0 || PyErr_Occurred()) {
        PyErr_Clear();
        *bound = overflow < 0 ? -HUGE_VALL : HUGE_VALL;
    }
    Py_DECREF(number);
    return 0;
}

static int init_comparison(struct test *test, PyObject *given)
{
    if (column_has_ids(test->column) || test->column->type == PLAIN || test->column->type == FLAG) {
        PyErr_Format(PyExc_TypeError, "%s is not a number: it has the comparison __ne only",
                     test->column->name);
        return -1;
    }
    test->has_bounds = true;
    return read_bound(test->column, given, &test->low);
}

/* (from, to) of times; None: no bound. */
static int init_range(struct test *test, PyObject *given)
{
    if (PyTuple_GET_SIZE(given) != 2) {
        PyErr_Format(PyExc_TypeError,
                     "%s as a tuple must be (from, to), not of %zd; several values are a list",
                     test->column->name, PyTuple_GET_SIZE(given));
        return -1;
    }
    PyObject *low = PyTuple_GET_ITEM(given, 0), *high = PyTuple_GET_ITEM(given, 1);
    test->has_bounds = true;
    test->low = -HUGE_VALL;
    test->high = HUGE_VALL;
    if (low != Py_None && read_bound(test->column, low, &test->low) != 0)
        return -1;
    return high != Py_None ? read_bound(test->column, high, &test->high) : 0;
}

/* The last "__"; NULL: there is none. Names of payloads can have others. */
static const char *find_ending(const char *text)
{
    const char *ending = NULL;
    while ((text = strstr(text, "__")) != NULL)
        ending = text++;
    return ending;
}

/* Splits "duration_ns__gt". Returns 0, or -1 with an exception. */
static int read_name(struct test *test, const struct view *view, PyObject *name)
{
    static const char *const endings[] = {"ne", "lt", "le", "gt", "ge"};
    char start[5000]; /* the names of columns are shorter */
    const char *text = PyUnicode_AsUTF8(name);
    const char *ending = text != NULL ? find_ending(text) : NULL;
    size_t size = ending != NULL ? (size_t)(ending - text) : 0, i = 0;
    if (text == NULL)
        return -1;
    test->column = find_column(view->recording, view->kind, text);
    if (test->column == NULL && size > 0 && size < sizeof(start) && !PyErr_Occurred()) {
        memcpy(start, text, size);
        start[size] = 0;
        test->column = find_column(view->recording, view->kind, start);
    }
    if (test->column == NULL) {
        (void)find_column_raise(view->recording, view->kind, PyExc_TypeError, name);
        return -1;
    }
    if (strcmp(test->column->name, text) == 0)
        return 0;
    while (i < sizeof(endings) / sizeof(endings[0]) && strcmp(endings[i], ending + 2) != 0)
        i++;
    if (i == sizeof(endings) / sizeof(endings[0])) {
        PyErr_Format(PyExc_TypeError,
                     "there is no comparison '%s', but __ne, __lt, __le, __gt, __ge", ending);
        return -1;
    }
    test->comparison = NOT_EQUAL + (enum comparison)i;
    return 0;
}

static int test_init(struct test *test, const struct view *view, PyObject *name, PyObject *given)
{
    if (read_name(test, view, name) != 0)
        return -1;
    const struct column *column = test->column;
    if (test->comparison > NOT_EQUAL)
        return init_comparison(test, given);
    if (column->type == TIME && PyTuple_Check(given))
        return init_range(test, given);
    if (column_has_ids(column)) {
        test->n_ids = column_n_ids(column, view->recording);
        test->fits_id = calloc(test->n_ids + 1, 1);
        if (test->fits_id == NULL)
            return raise_no_memory_status();
    }
    if (!PyList_Check(given) && !PyTuple_Check(given) && !PyAnySet_Check(given))
        return add_one(test, view, given);
    PyObject *iterator = PyObject_GetIter(given), *item;
    int status = iterator != NULL ? 0 : -1;
    while (status == 0 && (item = PyIter_Next(iterator)) != NULL) {
        status = add_one(test, view, item);
        Py_DECREF(item);
    }
    Py_XDECREF(iterator);
    return status == 0 && PyErr_Occurred() ? -1 : status;
}

static int tests_init(struct tests *tests, const struct view *view, PyObject *asked)
{
    PyObject *name, *given;
    Py_ssize_t at = 0;
    tests->test = calloc((size_t)PyDict_Size(asked) + 1, sizeof(*tests->test));
    if (tests->test == NULL)
        return raise_no_memory_status();
    while (PyDict_Next(asked, &at, &name, &given)) {
        if (test_init(&tests->test[tests->n++], view, name, given) != 0)
            return -1;
    }
    return 0;
}

static PyObject *select_places(const struct view *view, const struct tests *tests)
{
    struct places *places = places_new();
    int status = -1;
    if (places != NULL) {
        Py_BEGIN_ALLOW_THREADS;
        status = select_rows(view, tests, places);
        Py_END_ALLOW_THREADS;
    }
    if (status != 0) {
        places_release(places);
        return raise_no_memory();
    }
    struct view selected = {.recording = recording_retain(view->recording),
                            .kind = view->kind,
                            .places = places,
                            .step = 1,
                            .n = (Py_ssize_t)places->n};
    return rows_new_of_view(&selected);
}

PyObject *rows_select(PyObject *self, PyObject *args, PyObject *names)
{
    const struct view *view = rows_view((struct rows *)self);
    struct tests tests = {NULL, 0};
    if (view == NULL)
        return NULL;
    if (PyTuple_GET_SIZE(args) > 0) {
        PyErr_SetString(PyExc_TypeError, "filter() takes columns by name: filter(name=\"step\")");
        return NULL;
    }
    if (names == NULL)
        return new_reference(self);
    PyObject *result = tests_init(&tests, view, names) == 0 ? select_places(view, &tests) : NULL;
    tests_release(&tests);
    return result;
}
