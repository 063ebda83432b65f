/* SPDX-License-Identifier: Apache-2.0 */
#include "column.h"

#include <string.h>

#include "arrow.h"
#include "buffer.h"
#include "cells.h"
#include "dictionary.h"
#include "each.h"
#include "kind.h"
#include "raise.h"
#include "rows.h"
#include "views.h"
#include "with_python.h"

/* Whether it is of text, and not the codes of that. */
static bool has_codes(const struct column_object *self)
{
    return column_has_ids(self->column) && !self->is_codes;
}

static const char *type_name(const struct column_object *self)
{
    return self->is_codes ? "int32" : value_format(self->column->type)->name;
}

static const struct view *view_of(const struct column_object *self)
{
    return &self->rows->view; /* a column is made of rows that are ready */
}

PyObject *column_new(struct rows *rows, const struct column *column)
{
    if (rows_view(rows) == NULL)
        return NULL;
    struct column_object *object = object_new(&column_type);
    if (object == NULL)
        return NULL;
    memset((char *)object + sizeof(PyObject), 0, sizeof(*object) - sizeof(PyObject));
    object->rows = (struct rows *)new_reference(rows);
    object->column = column_narrow(column, &rows->view);
    object->shape = rows->view.n;
    return (PyObject *)object;
}

static void column_free(PyObject *self)
{
    struct column_object *object = (struct column_object *)self;
    dictionary_release(object->dictionary);
    cells_release(&object->cells);
    Py_XDECREF((PyObject *)object->rows);
    PyObject_Free(self);
}

/* ---- Copies ---- */

static int make_dictionary(struct column_object *self)
{
    struct dictionary *dictionary, *none = NULL;
    if (self->dictionary != NULL)
        return 0;
    Py_BEGIN_ALLOW_THREADS;
    dictionary = dictionary_new(view_of(self), self->column);
    Py_END_ALLOW_THREADS;
    if (dictionary == NULL)
        return raise_no_memory_status();
    if (!atomic_compare_exchange_strong(&self->dictionary, &none, dictionary))
        dictionary_release(dictionary); /* another thread was first */
    return 0;
}

int column_gather(struct column_object *self)
{
    struct cells cells;
    int status;
    if (self->has_cells)
        return 0;
    if (has_codes(self) && make_dictionary(self) != 0)
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    status = cells_init(&cells, view_of(self), self->column, self->dictionary, 0,
                        (size_t)view_of(self)->n);
    Py_END_ALLOW_THREADS;
    if (status != 0)
        return raise_no_memory_status();
    guard_lock(&self->guard);
    const bool is_first = !self->has_cells;
    if (is_first)
        self->cells = cells;
    self->has_cells = true;
    guard_unlock(&self->guard);
    if (!is_first)
        cells_release(&cells);
    return 0;
}

/* ---- The buffer protocol ---- */

/* Whether who asks for a buffer can step over what lies between the values. */
static bool can_step(int flags)
{
    const int contiguous =
        (PyBUF_C_CONTIGUOUS | PyBUF_F_CONTIGUOUS | PyBUF_ANY_CONTIGUOUS) & ~PyBUF_STRIDES;
    return (flags & PyBUF_STRIDES) == PyBUF_STRIDES && (flags & contiguous) == 0;
}

/* Where the values are, and how far from each other: in the recording, if they can be had there. */
static void *find_values(struct column_object *self, int flags, Py_ssize_t *stride)
{
    Py_ssize_t size = (Py_ssize_t)value_format(self->column->type)->size;
    const char *field = view_field(view_of(self), self->column, stride);
    if (field != NULL && !self->has_cells && (can_step(flags) || *stride == size))
        return (char *)field;
    if (column_gather(self) != 0)
        return NULL;
    *stride = size;
    return self->cells.values->data;
}

static int column_get_buffer(PyObject *object, Py_buffer *buffer, int flags)
{
    struct column_object *self = (struct column_object *)object;
    Py_ssize_t stride;
    buffer->obj = NULL;
    if ((flags & PyBUF_WRITABLE) != 0 || self->column->type == PLAIN || has_codes(self)) {
        PyErr_Format(PyExc_BufferError, "%s",
                     (flags & PyBUF_WRITABLE) != 0
                         ? "a recording cannot be written"
                         : "a column of text is no buffer: use its codes and categories");
        return -1;
    }
    buffer->buf = find_values(self, flags, &stride);
    if (buffer->buf == NULL)
        return -1;
    buffer->obj = new_reference(object);
    buffer->itemsize = (Py_ssize_t)value_format(self->column->type)->size;
    buffer->len = self->shape * buffer->itemsize;
    buffer->readonly = 1;
    buffer->ndim = 1;
    buffer->format =
        (flags & PyBUF_FORMAT) != 0 ? (char *)value_format(self->column->type)->buffer : NULL;
    buffer->shape = (flags & PyBUF_ND) != 0 ? &self->shape : NULL;
    buffer->internal = NULL;
    buffer->suboffsets = NULL;
    buffer->strides = NULL;
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) {
        Py_ssize_t *strides = PyMem_Malloc(sizeof(*strides)); /* a later one may differ */
        if (strides == NULL) {
            Py_CLEAR(buffer->obj);
            PyErr_NoMemory();
            return -1;
        }
        *strides = stride;
        buffer->strides = strides;
        buffer->internal = strides;
    }
    return 0;
}

static void column_release_buffer(PyObject *object, Py_buffer *buffer)
{
    (void)object;
    PyMem_Free(buffer->internal);
}

static PyBufferProcs column_as_buffer = {.bf_getbuffer = column_get_buffer,
                                         .bf_releasebuffer = column_release_buffer};

/* ---- The sequence ---- */

static Py_ssize_t column_length(PyObject *self)
{
    return view_of((struct column_object *)self)->n;
}

static PyObject *code_at(struct column_object *self, Py_ssize_t i)
{
    if (column_gather(self) != 0)
        return NULL;
    return PyLong_FromLong(((const int32_t *)(const void *)self->cells.values->data)[i]);
}

/* Of a column of text whose values were gathered. */
static PyObject *text_at(const struct column_object *self, Py_ssize_t i)
{
    const struct cells *cells = &self->cells;
    const int64_t *offset = (const int64_t *)(const void *)cells->texts.offsets->data + i;
    if (cells->nulls != NULL && cells->nulls->data[i] != 0)
        Py_RETURN_NONE;
    return text_object(cells->texts.bytes->data + offset[0], (size_t)(offset[1] - offset[0]));
}

static PyObject *column_item(PyObject *object, Py_ssize_t i)
{
    struct column_object *self = (struct column_object *)object;
    struct row row = {NULL, NULL, 0, 0};
    if (i < 0 || i >= view_of(self)->n) {
        PyErr_Format(PyExc_IndexError, "row %zd: there are %zd", i, view_of(self)->n);
        return NULL;
    }
    if (self->is_codes)
        return code_at(self, i);
    if (self->has_cells && self->column->type == PLAIN)
        return text_at(self, i);
    view_get(view_of(self), i, &row);
    return column_get_object(self->column, &row);
}

static PyObject *column_repr(PyObject *object)
{
    const struct column_object *self = (struct column_object *)object;
    return PyUnicode_FromFormat("<Column '%s' of %zd %s>", self->column->name, view_of(self)->n,
                                type_name(self));
}

static PySequenceMethods column_as_sequence = {.sq_length = column_length, .sq_item = column_item};

/* ---- Attributes ---- */

static PyObject *get_name(PyObject *object, void *ignored)
{
    (void)ignored;
    return PyUnicode_FromString(((struct column_object *)object)->column->name);
}

static PyObject *get_type(PyObject *object, void *ignored)
{
    const struct column_object *self = (struct column_object *)object;
    (void)ignored;
    return PyUnicode_FromString(type_name(self));
}

static PyObject *get_categories(PyObject *object, void *ignored)
{
    struct column_object *self = (struct column_object *)object;
    (void)ignored;
    if (!column_has_ids(self->column))
        Py_RETURN_NONE;
    if (make_dictionary(self) != 0)
        return NULL;
    const struct dictionary *dictionary = self->dictionary;
    const int64_t *offset = (const int64_t *)(const void *)dictionary->texts.offsets->data;
    const char *bytes = dictionary->texts.bytes->data;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < dictionary->n; i++)
        list_add(&list, text_object(bytes + offset[i], (size_t)(offset[i + 1] - offset[i])));
    return list_to_tuple(list);
}

static PyObject *get_codes(PyObject *object, void *ignored)
{
    struct column_object *self = (struct column_object *)object;
    (void)ignored;
    if (!has_codes(self))
        Py_RETURN_NONE;
    if (column_gather(self) != 0)
        return NULL;
    struct column_object *codes = (struct column_object *)column_new(self->rows, self->column);
    if (codes == NULL)
        return NULL;
    codes->is_codes = true;
    codes->dictionary = dictionary_retain(self->dictionary);
    codes->cells = self->cells;
    codes->cells.values = buffer_retain(self->cells.values);
    codes->cells.nulls = buffer_retain(self->cells.nulls);
    codes->has_cells = true;
    return (PyObject *)codes;
}

static PyObject *get_nulls(PyObject *object, void *ignored)
{
    struct column_object *self = (struct column_object *)object;
    (void)ignored;
    if (self->column->type == PLAIN)
        Py_RETURN_NONE;
    if (column_gather(self) != 0)
        return NULL;
    if (self->cells.nulls == NULL)
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize(self->cells.nulls->data, (Py_ssize_t)self->cells.n);
}

static PyObject *column_tolist(PyObject *object, PyObject *ignored)
{
    struct column_object *self = (struct column_object *)object;
    (void)ignored;
    if (self->column->gather != NULL && self->column->type == PLAIN && column_gather(self) != 0)
        return NULL;
    return PySequence_List(object);
}

static PyGetSetDef column_values[] = {
    {"name", get_name, NULL, PyDoc_STR("str: the name of the column."), NULL},
    {"type", get_type, NULL,
     PyDoc_STR("str: 'int64', 'uint64', 'uint32', 'int32', 'float64', 'bool' or 'text'."), NULL},
    {"categories", get_categories, NULL,
     PyDoc_STR("tuple of str: the texts that occur, each once; None where it is no text."), NULL},
    {"codes", get_codes, NULL,
     PyDoc_STR("Column of int32: which of the categories each row has, -1 for none; None where\n"
               "there are no categories."),
     NULL},
    {"nulls", get_nulls, NULL,
     PyDoc_STR("bytes: per row 1 where there is no value; None where there is one in each."), NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef column_methods[] = {
    {"tolist", column_tolist, METH_NOARGS,
     PyDoc_STR("tolist($self, /)\n--\n\nReturns the values as a list; None for none.")},
    {"__arrow_c_schema__", arrow_column_schema, METH_NOARGS,
     PyDoc_STR("__arrow_c_schema__($self, /)\n--\n\n"
               "Returns the type as a capsule of Arrow's C data interface.")},
    {"__arrow_c_array__", WITH_NAMES(arrow_column_array), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("__arrow_c_array__($self, /, requested_schema=None)\n--\n\n"
               "Returns type and values as capsules of Arrow's C data interface. The type is the\n"
               "column's own, whatever was requested.")},
    {NULL, NULL, 0, NULL}};

PyTypeObject column_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder.recording.Column",
    .tp_doc = PyDoc_STR(
        "The values of a column: a sequence, a buffer (memoryview, numpy.asarray) and an array\n"
        "of Arrow. A buffer shows the recording's own memory, where the values stand there at\n"
        "equal distances; otherwise they are copied once. No value is the smallest int64 among\n"
        "times, -1 among indices, NaN among floats, and 0 among other numbers; nulls tells it\n"
        "from a real one. Columns of text are no buffers; their codes are."),
    .tp_basicsize = sizeof(struct column_object),
    .tp_dealloc = column_free,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_repr = column_repr,
    .tp_iter = each_new,
    .tp_as_sequence = &column_as_sequence,
    .tp_as_buffer = &column_as_buffer,
    .tp_methods = column_methods,
    .tp_getset = column_values};
