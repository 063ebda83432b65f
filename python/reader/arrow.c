/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow's C data interface, C stream interface and PyCapsule interface, as the specification of
 * Apache Arrow has them ("The Arrow C data interface", "The Arrow PyCapsule Interface"). */
#include "arrow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "cells.h"
#include "column.h"
#include "dictionary.h"
#include "kind.h"
#include "raise.h"
#include "texts.h"
#include "views.h"

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

enum { FLAG_NULLABLE = 2, BATCH_ROWS = 1 << 20 };

/* ---- Schemas ---- */

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] != NULL && schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    if (schema->dictionary != NULL && schema->dictionary->release != NULL)
        schema->dictionary->release(schema->dictionary);
    free(schema->dictionary);
    free(schema->private_data); /* the name */
    schema->release = NULL;
}

/* Returns 0 or ENOMEM; schema is to be released either way. */
static int init_schema(struct ArrowSchema *schema, const char *format, const char *name)
{
    char *copy = strdup(name); /* it may belong to a recording */
    *schema = (struct ArrowSchema){.format = format,
                                   .name = copy != NULL ? copy : "",
                                   .flags = FLAG_NULLABLE,
                                   .release = release_schema,
                                   .private_data = copy};
    return copy != NULL ? 0 : ENOMEM;
}

/* Returns 0 or ENOMEM; schema is to be released either way. */
static int init_column_schema(struct ArrowSchema *schema, const struct column *column)
{
    int status = init_schema(schema, value_format(column->type)->arrow, column->name);
    if (status != 0 || !column_has_ids(column))
        return status;
    schema->dictionary = calloc(1, sizeof(*schema->dictionary));
    return schema->dictionary != NULL ? init_schema(schema->dictionary, "U", "") : ENOMEM;
}

static int init_table_schema(struct ArrowSchema *schema, const struct column *const *columns,
                             size_t n)
{
    int status = init_schema(schema, "+s", "");
    schema->flags = 0;
    schema->children = calloc(n + 1, sizeof(*schema->children));
    if (status != 0 || schema->children == NULL)
        return ENOMEM;
    for (size_t i = 0; i < n; i++) {
        struct ArrowSchema *child = calloc(1, sizeof(*child));
        schema->children[i] = child;
        schema->n_children++;
        if (child == NULL || init_column_schema(child, columns[i]) != 0)
            return ENOMEM;
    }
    return 0;
}

/* ---- Arrays ---- */

/* What an array points into. */
struct owned {
    const void *address[3];
    struct buffer *buffer[3];
    struct dictionary *dictionary;
};

static void release_array(struct ArrowArray *array)
{
    struct owned *owned = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i] != NULL && array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    free(array->children);
    if (array->dictionary != NULL && array->dictionary->release != NULL)
        array->dictionary->release(array->dictionary);
    free(array->dictionary);
    for (int i = 0; owned != NULL && i < 3; i++)
        buffer_release(owned->buffer[i]);
    if (owned != NULL)
        dictionary_release(owned->dictionary);
    free(owned);
    array->release = NULL;
}

static int init_array(struct ArrowArray *array, size_t n, size_t n_nulls, int64_t n_buffers)
{
    struct owned *owned = calloc(1, sizeof(*owned));
    *array = (struct ArrowArray){.length = (int64_t)n,
                                 .null_count = (int64_t)n_nulls,
                                 .n_buffers = n_buffers,
                                 .release = release_array,
                                 .private_data = owned};
    if (owned == NULL)
        return ENOMEM;
    array->buffers = owned->address;
    return 0;
}

/* The array keeps a reference of the buffer, its own or taken over. */
static void set_buffer(struct ArrowArray *array, int i, struct buffer *buffer)
{
    struct owned *owned = array->private_data;
    owned->buffer[i] = buffer;
    owned->address[i] = buffer->data;
}

/* Bytes as bits: set where a byte is `wanted`. */
static struct buffer *pack_bits(const struct buffer *bytes, size_t n, char wanted)
{
    struct buffer *bits = buffer_new(n / 8 + 1);
    for (size_t i = 0; bits != NULL && i < n; i++)
        if (bytes->data[i] == wanted)
            bits->data[i / 8] = (char)(bits->data[i / 8] | 1 << i % 8);
    return bits;
}

static int set_bits(struct ArrowArray *array, int i, const struct buffer *bytes, size_t n,
                    char wanted)
{
    struct buffer *bits = pack_bits(bytes, n, wanted);
    if (bits == NULL)
        return ENOMEM;
    set_buffer(array, i, bits);
    return 0;
}

/* The array keeps its own references. */
static void set_texts(struct ArrowArray *array, const struct texts *texts)
{
    set_buffer(array, 1, buffer_retain(texts->offsets));
    set_buffer(array, 2, buffer_retain(texts->bytes));
}

/* The texts of a dictionary as an array. */
static int add_dictionary(struct ArrowArray *array, struct dictionary *dictionary)
{
    array->dictionary = calloc(1, sizeof(*array->dictionary));
    if (array->dictionary == NULL || init_array(array->dictionary, dictionary->n, 0, 3) != 0)
        return ENOMEM;
    ((struct owned *)array->private_data)->dictionary = dictionary_retain(dictionary);
    set_texts(array->dictionary, &dictionary->texts);
    return 0;
}

/* An array of cells, which keep their own references. Returns 0 or ENOMEM; array is to be released
 * either way. */
static int init_cells_array(struct ArrowArray *array, const struct cells *cells,
                            enum value_type type, struct dictionary *dictionary)
{
    if (init_array(array, cells->n, cells->n_nulls, type == PLAIN ? 3 : 2) != 0)
        return ENOMEM;
    if (cells->nulls != NULL && set_bits(array, 0, cells->nulls, cells->n, 0) != 0)
        return ENOMEM;
    if (type == FLAG)
        return set_bits(array, 1, cells->values, cells->n, 1);
    if (type == PLAIN)
        set_texts(array, &cells->texts);
    else
        set_buffer(array, 1, buffer_retain(cells->values));
    return dictionary != NULL ? add_dictionary(array, dictionary) : 0;
}

/* ---- Streams ---- */

struct stream {
    struct view view;
    size_t n_columns, n_done;
    const struct column **column;
    struct dictionary **dictionary; /* per column, for all batches; NULL: not yet */
    struct cells *gathered;         /* per column, of the batch that is being made */
};

static int stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const struct stream *self = stream->private_data;
    int status = init_table_schema(out, self->column, self->n_columns);
    if (status != 0)
        release_schema(out);
    return status;
}

static int add_batch_column(struct stream *self, struct ArrowArray *batch, size_t i)
{
    const struct column *column = self->column[i];
    struct dictionary **dictionary = &self->dictionary[i];
    struct cells cells;
    struct ArrowArray *child = calloc(1, sizeof(*child));
    batch->children[i] = child;
    batch->n_children++;
    if (column_has_ids(column) && *dictionary == NULL)
        *dictionary = dictionary_new(&self->view, column);
    if (child == NULL || (column_has_ids(column) && *dictionary == NULL))
        return ENOMEM;
    if (column->gather != NULL) {
        cells = self->gathered[i];
        self->gathered[i] = (struct cells){.values = NULL};
    } else if (cells_init(&cells, &self->view, column, *dictionary, self->n_done,
                          (size_t)batch->length) != 0) {
        return ENOMEM;
    }
    int status = init_cells_array(child, &cells, column->type, *dictionary);
    cells_release(&cells);
    return status;
}

static int stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct stream *self = stream->private_data;
    size_t left = (size_t)self->view.n - self->n_done;
    *out = (struct ArrowArray){.length = 0};
    if (left == 0)
        return 0; /* it has no release function: the end */
    int status = init_array(out, left < BATCH_ROWS ? left : BATCH_ROWS, 0, 1);
    if (status == 0) {
        out->children = calloc(self->n_columns + 1, sizeof(*out->children));
        status = out->children != NULL ? 0 : ENOMEM;
    }
    if (status == 0 && cells_gather(self->gathered, &self->view, self->column, self->n_columns,
                                    self->n_done, (size_t)out->length) != 0)
        status = ENOMEM;
    for (size_t i = 0; i < self->n_columns && status == 0; i++)
        status = add_batch_column(self, out, i);
    for (size_t i = 0; i < self->n_columns; i++)
        cells_release(&self->gathered[i]);
    if (status == 0)
        self->n_done += (size_t)out->length;
    else
        release_array(out);
    return status;
}

static const char *stream_get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "out of memory"; /* nothing else goes wrong */
}

static void stream_release(struct ArrowArrayStream *stream)
{
    struct stream *self = stream->private_data;
    for (size_t i = 0; i < self->n_columns; i++)
        dictionary_release(self->dictionary[i]);
    view_release(&self->view);
    free(self->column);
    free(self->dictionary);
    free(self->gathered);
    free(self);
    stream->release = NULL;
}

/* ---- Capsules ---- */

static void free_schema_capsule(PyObject *capsule)
{
    struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (schema->release != NULL)
        schema->release(schema);
    free(schema);
}

static void free_array_capsule(PyObject *capsule)
{
    struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
    if (array->release != NULL)
        array->release(array);
    free(array);
}

static void free_stream_capsule(PyObject *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream->release != NULL)
        stream->release(stream);
    free(stream);
}

/* A capsule of zeros, which stand for what was released, to be filled in. */
static PyObject *new_capsule(const char *name, size_t size, PyCapsule_Destructor destructor)
{
    void *zeros = calloc(1, size);
    PyObject *capsule = zeros != NULL ? PyCapsule_New(zeros, name, destructor) : raise_no_memory();
    if (capsule == NULL)
        free(zeros);
    return capsule;
}

static PyObject *new_schema_capsule(struct ArrowSchema **schema)
{
    PyObject *capsule = new_capsule("arrow_schema", sizeof(**schema), free_schema_capsule);
    if (capsule != NULL)
        *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    return capsule;
}

/* The capsule, if it could be filled in. */
static PyObject *finish_capsule(PyObject *capsule, int status)
{
    if (status == 0)
        return capsule;
    Py_DECREF(capsule);
    return raise_no_memory();
}

PyObject *arrow_column_schema(PyObject *self, PyObject *ignored)
{
    const struct column_object *column = (struct column_object *)self;
    struct ArrowSchema *schema;
    PyObject *capsule = new_schema_capsule(&schema);
    (void)ignored;
    if (capsule == NULL || !column->is_codes)
        return capsule != NULL ? finish_capsule(capsule, init_column_schema(schema, column->column))
                               : NULL;
    /* codes are plain numbers */
    return finish_capsule(capsule, init_schema(schema, "i", column->column->name));
}

static PyObject *column_array_capsule(struct column_object *column)
{
    if (column_gather(column) != 0)
        return NULL;
    PyObject *capsule = new_capsule("arrow_array", sizeof(struct ArrowArray), free_array_capsule);
    if (capsule == NULL)
        return NULL;
    return finish_capsule(capsule, init_cells_array(PyCapsule_GetPointer(capsule, "arrow_array"),
                                                    &column->cells, column->column->type,
                                                    column->is_codes ? NULL : column->dictionary));
}

PyObject *arrow_column_array(PyObject *self, PyObject *args, PyObject *names)
{
    static char *name_of[] = {"requested_schema", NULL};
    PyObject *requested = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, names, "|O:__arrow_c_array__", name_of, &requested))
        return NULL;
    PyObject *schema = arrow_column_schema(self, NULL);
    PyObject *array = schema != NULL ? column_array_capsule((struct column_object *)self) : NULL;
    PyObject *both = array != NULL ? PyTuple_Pack(2, schema, array) : NULL;
    Py_XDECREF(schema);
    Py_XDECREF(array);
    return both;
}

PyObject *arrow_table_schema(const struct column *const *columns, size_t n_columns)
{
    struct ArrowSchema *schema;
    PyObject *capsule = new_schema_capsule(&schema);
    return capsule != NULL ? finish_capsule(capsule, init_table_schema(schema, columns, n_columns))
                           : NULL;
}

static struct stream *stream_new(const struct view *view, const struct column *const *columns,
                                 size_t n_columns)
{
    struct stream *self = calloc(1, sizeof(*self));
    if (self == NULL)
        return NULL;
    self->column = calloc(n_columns + 1, sizeof(const struct column *));
    self->dictionary = calloc(n_columns + 1, sizeof(struct dictionary *));
    self->gathered = calloc(n_columns + 1, sizeof(struct cells));
    if (self->column == NULL || self->dictionary == NULL || self->gathered == NULL) {
        free(self->column);
        free(self->dictionary);
        free(self->gathered);
        free(self);
        return NULL;
    }
    view_init_part(&self->view, view->recording, view, 0, 1, view->n);
    self->n_columns = n_columns;
    memcpy(self->column, columns, n_columns * sizeof(*columns));
    return self;
}

PyObject *arrow_table_stream(const struct view *view, const struct column *const *columns,
                             size_t n_columns)
{
    PyObject *capsule =
        new_capsule("arrow_array_stream", sizeof(struct ArrowArrayStream), free_stream_capsule);
    struct stream *self = capsule != NULL ? stream_new(view, columns, n_columns) : NULL;
    if (self == NULL) {
        Py_XDECREF(capsule);
        return capsule != NULL ? raise_no_memory() : NULL;
    }
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    *stream = (struct ArrowArrayStream){stream_get_schema, stream_get_next, stream_get_last_error,
                                        stream_release, self};
    return capsule;
}
