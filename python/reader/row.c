/* SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

#include <stdlib.h>
#include <string.h>

#include "find_column.h"
#include "frames.h"
#include "shared_recording.h"
#include "kind.h"
#include "with_python.h"

static PyTypeObject *any_row_type; /* of all rows */

PyObject *row_new(const struct kind *kind, const struct row *row)
{
    struct row_object *object = object_new(kind->row_type);
    if (object == NULL)
        return NULL;
    object->kind = kind;
    object->row = *row;
    (void)recording_retain(row->recording);
    return (PyObject *)object;
}

PyObject *row_new_at(const struct recording *recording, enum kind_id id, uint32_t run_index,
                     uint64_t i)
{
    const struct kind *kind = &kinds[id];
    struct run run;
    if (!kind->run(recording, run_index, &run) || i >= run.n)
        Py_RETURN_NONE;
    struct row row = {recording, (const char *)run.base + i * kind->size, run_index, (uint32_t)i};
    return row_new(kind, &row);
}

bool is_row(PyObject *object)
{
    return PyObject_TypeCheck(object, any_row_type);
}

static void row_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    recording_release((struct recording *)((struct row_object *)self)->row.recording);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- Values ---- */

/* What an attribute of a column is: the row that it refers to, or the value. */
static PyObject *get_attribute(PyObject *self, void *closure)
{
    const struct row_object *object = (struct row_object *)self;
    const struct column *column = closure;
    union value value;
    if (column->type != INDEX || column->refers == N_KINDS)
        return column_get_object(column, &object->row);
    if (!column_get(column, &object->row, &value))
        Py_RETURN_NONE;
    return row_new_at(object->row.recording, column->refers, 0, (uint64_t)value.i);
}

static PyObject *row_subscript(PyObject *self, PyObject *key)
{
    const struct row_object *object = (struct row_object *)self;
    const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;
    const struct column *column =
        name != NULL ? find_column(object->row.recording, object->kind, name) : NULL;
    if (column != NULL)
        return column_get_object(column, &object->row);
    return PyErr_Occurred()
               ? NULL
               : find_column_raise(object->row.recording, object->kind, PyExc_KeyError, key);
}

static PyObject *row_as_dict(PyObject *self, PyObject *ignored)
{
    const struct row_object *object = (struct row_object *)self;
    PyObject *dict = PyDict_New();
    (void)ignored;
    for (size_t i = 0; dict != NULL && i < object->kind->n_columns; i++) {
        const struct column *column = object->kind->column[i];
        dict_add(&dict, column->name, column_get_object(column, &object->row));
    }
    return dict;
}

static PyObject *get_index(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyLong_FromUnsignedLong(((struct row_object *)self)->row.index);
}

/* ---- As objects ---- */

static Py_hash_t row_hash(PyObject *self)
{
    const struct row_object *object = (struct row_object *)self;
    Py_hash_t hash = (Py_hash_t)((uintptr_t)object->row.at >> 3);
    return hash != -1 ? hash : -2;
}

/* A range is the same one whether it is had from ranges or from events; counters may share the
 * times that their samples are. */
static PyObject *row_compare(PyObject *self, PyObject *other, int operation)
{
    if (!is_row(other) || (operation != Py_EQ && operation != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    const struct row *a = &((struct row_object *)self)->row;
    const struct row *b = &((struct row_object *)other)->row;
    bool is_same = a->at == b->at && a->run == b->run;
    return PyBool_FromLong(is_same == (operation == Py_EQ));
}

/* What tells rows apart at a glance. */
static int add_to_repr(PyObject **text, const struct row_object *object, const char *name)
{
    const struct column *column = kind_find_column(object->kind, name);
    if (column == NULL)
        return 0;
    PyObject *value = column_get_object(column, &object->row);
    if (value == NULL)
        return -1;
    PyObject *longer = value == Py_None ? new_reference(*text)
                                        : PyUnicode_FromFormat("%U %s=%R", *text, name, value);
    Py_DECREF(value);
    Py_SETREF(*text, longer);
    return longer != NULL ? 0 : -1;
}

static PyObject *row_repr(PyObject *self)
{
    static const char *const names[] = {"kind",     "name",        "domain", "number",
                                        "start_ns", "duration_ns", "value",  "pid",
                                        "tid",      "id",          "device"};
    const struct row_object *object = (struct row_object *)self;
    PyObject *text = PyUnicode_FromFormat("<%s", strrchr(object->kind->type_name, '.') + 1);
    for (size_t i = 0; text != NULL && i < object->kind->n_columns && object->kind->id == REPORT;
         i++)
        if (add_to_repr(&text, object, object->kind->column[i]->name) != 0)
            return NULL;
    for (size_t i = 0; text != NULL && i < sizeof(names) / sizeof(names[0]); i++)
        if (add_to_repr(&text, object, names[i]) != 0)
            return NULL;
    if (text != NULL)
        Py_SETREF(text, PyUnicode_FromFormat("%U>", text));
    return text;
}

static PyMethodDef row_methods[] = {
    {"_repr_html_", frames_repr_html, METH_NOARGS,
     PyDoc_STR("_repr_html_($self, /)\n--\n\nReturns the values as a table of HTML.")},
    {"as_dict", row_as_dict, METH_NOARGS,
     PyDoc_STR("as_dict($self, /)\n--\n\nReturns the values of all columns as a dict.")},
    {NULL, NULL, 0, NULL}};

/* ---- The types ---- */

static size_t count_objects(const struct kind *kind)
{
    size_t n = 0;
    while (kind->objects != NULL && kind->objects[n].name != NULL)
        n++;
    return n;
}

static bool is_replaced(const struct kind *kind, const char *name)
{
    for (size_t i = 0; i < count_objects(kind); i++)
        if (strcmp(kind->objects[i].name, name) == 0)
            return true;
    return false;
}

/* The attributes of a kind: its columns and its objects. They live as long as the type: for ever.
 */
static PyGetSetDef *make_attributes(const struct kind *kind)
{
    size_t n_objects = count_objects(kind), n = 0;
    PyGetSetDef *all = calloc(kind->n_columns + n_objects + 2, sizeof(*all));
    if (all == NULL)
        return NULL;
    for (size_t i = 0; i < kind->n_columns; i++) {
        const struct column *column = kind->column[i];
        if (!is_replaced(kind, column->name))
            all[n++] =
                (PyGetSetDef){column->name, get_attribute, NULL, column->doc, (void *)column};
    }
    for (size_t i = 0; i < n_objects; i++)
        all[n++] = kind->objects[i];
    all[n] = (PyGetSetDef){
        "index", get_index, NULL,
        "int: where it stands: in its thread, stream or counter, or in the list of its kind.",
        NULL};
    return all;
}

static PyTypeObject *make_type(const char *name, const char *doc, PyGetSetDef *attributes,
                               PyTypeObject *base)
{
    PyType_Slot slots[] = {{Py_tp_doc, (void *)doc},
                           {Py_tp_dealloc, row_free},
                           {Py_tp_getset, attributes},
                           {base == NULL ? Py_tp_hash : 0, row_hash}, /* the rest is inherited */
                           {Py_tp_richcompare, row_compare},
                           {Py_tp_repr, row_repr},
                           {Py_mp_subscript, row_subscript},
                           {Py_tp_methods, row_methods},
                           {0, NULL}};
    PyType_Spec spec = {
        .name = name,
        .basicsize = sizeof(struct row_object),
        .flags = Py_TPFLAGS_DEFAULT | (base == NULL ? Py_TPFLAGS_BASETYPE : 0),
        .slots = slots,
    };
    PyObject *bases = base != NULL ? PyTuple_Pack(1, base) : NULL;
    if (base != NULL && bases == NULL)
        return NULL;
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpecWithBases(&spec, bases);
    Py_XDECREF(bases);
    if (type != NULL)
        type->tp_new = NULL; /* only the reader makes rows */
    return type;
}

PyTypeObject *row_base_type(void)
{
    static PyGetSetDef none[] = {{NULL, NULL, NULL, NULL, NULL}};
    if (any_row_type == NULL)
        any_row_type = make_type("rangefinder.recording.Row",
                                 "A row of a recording: row.name, or row[\"name\"] as the column\n"
                                 "has it. Rows are equal where they are the same one.",
                                 none, NULL);
    return any_row_type;
}

PyTypeObject *row_type_new(const struct kind *kind)
{
    PyGetSetDef *attributes = make_attributes(kind);
    if (attributes == NULL)
        return NULL;
    return make_type(kind->type_name, kind->doc, attributes, row_base_type());
}

const struct row *row_of_object(PyObject *self)
{
    return &((struct row_object *)self)->row;
}
