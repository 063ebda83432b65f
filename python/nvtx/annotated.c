/* SPDX-License-Identifier: Apache-2.0 */
/* What @annotate makes of a function: calls go through to it, inside the range. It is a method
 * descriptor, so that methods cost what they cost without it. */
#include "annotated.h"

#include <structmember.h>

#include "annotate.h"
#include "helper.h"
#include "nvtx_python.h"
#include "tool.h"

struct annotated {
    PyObject_HEAD vectorcallfunc call;
    struct annotate *annotate;
    PyObject *function;
    PyObject *dict; /* __wrapped__, __name__, ...: see functools.update_wrapper() */
    PyObject *weak;
};

static PyObject *call(PyObject *self, PyObject *const *args, size_t n, PyObject *names)
{
    struct annotated *annotated = (struct annotated *)self;
    if (!nvtx_is_heard())
        return PyObject_Vectorcall(annotated->function, args, n, names);
    struct annotate *annotate = annotated->annotate;
    if (nvtx_annotate_push(annotate) != 0)
        return NULL;
    PyObject *result = PyObject_Vectorcall(annotated->function, args, n, names);
    (void)nvtxDomainRangePop(annotate->prepared.event.domain->handle);
    return result;
}

PyObject *nvtx_annotated_new(struct annotate *annotate, PyObject *function)
{
    PyObject *helper = nvtx_helper("update_wrapper"), *made = NULL;
    struct annotated *self =
        helper != NULL ? PyObject_GC_New(struct annotated, &nvtx_annotated_type) : NULL;
    if (self == NULL)
        return NULL;
    self->call = call;
    self->annotate = (struct annotate *)Py_NewRef((PyObject *)annotate);
    self->function = Py_NewRef(function);
    self->dict = NULL;
    self->weak = NULL;
    PyObject_GC_Track(self);
    made = PyObject_CallFunctionObjArgs(helper, self, function, NULL);
    Py_DECREF(self);
    return made;
}

static PyObject *bind(PyObject *self, PyObject *object, PyObject *type)
{
    (void)type;
    if (object == NULL || object == Py_None)
        return Py_NewRef(self);
    return PyMethod_New(self, object);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct annotated *annotated = (struct annotated *)self;
    Py_VISIT(annotated->function);
    Py_VISIT(annotated->dict);
    return 0;
}

static int clear(PyObject *self)
{
    struct annotated *annotated = (struct annotated *)self;
    Py_CLEAR(annotated->dict);
    return 0;
}

static void annotated_free(PyObject *self)
{
    struct annotated *annotated = (struct annotated *)self;
    PyObject_GC_UnTrack(self);
    if (annotated->weak != NULL)
        PyObject_ClearWeakRefs(self);
    Py_CLEAR(annotated->dict);
    Py_CLEAR(annotated->function);
    Py_CLEAR(annotated->annotate);
    PyObject_GC_Del(self);
}

/* Pickled as functions are, by name. */
static PyObject *reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return PyObject_GetAttrString(self, "__qualname__");
}

static PyObject *repr(PyObject *self)
{
    return PyUnicode_FromFormat("<annotated %R>", ((struct annotated *)self)->function);
}

static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyGetSetDef values[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject nvtx_annotated_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder.nvtx.annotated",
    .tp_doc = PyDoc_STR("A function that runs inside a range; made by annotate."),
    .tp_basicsize = sizeof(struct annotated),
    .tp_dealloc = annotated_free,
    .tp_vectorcall_offset = offsetof(struct annotated, call),
    .tp_call = PyVectorcall_Call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_traverse = traverse,
    .tp_clear = clear,
    .tp_repr = repr,
    .tp_descr_get = bind,
    .tp_dictoffset = offsetof(struct annotated, dict),
    .tp_weaklistoffset = offsetof(struct annotated, weak),
    .tp_methods = methods,
    .tp_getset = values};
