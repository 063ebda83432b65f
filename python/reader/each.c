/* SPDX-License-Identifier: Apache-2.0 */
#include "each.h"

#include <stdatomic.h>

#include "python/threads/guard.h"

struct each {
    PyObject ob_base;
    PyObject *sequence;          /* owned; what it is of never changes */
    _Atomic(Py_ssize_t) next, n; /* n is -1 before the first item */
};

PyObject *each_new(PyObject *sequence)
{
    struct each *each = object_new(&each_type);
    if (each == NULL)
        return NULL;
    each->sequence = new_reference(sequence);
    atomic_init(&each->next, 0);
    atomic_init(&each->n, -1);
    return (PyObject *)each;
}

static void each_free(PyObject *self)
{
    Py_DECREF(((struct each *)self)->sequence);
    PyObject_Free(self);
}

/* How many there are; -1 with an exception. */
static Py_ssize_t count(struct each *each)
{
    Py_ssize_t n = atomic_load_explicit(&each->n, memory_order_relaxed);
    if (n < 0) {
        n = PySequence_Size(each->sequence);
        atomic_store_explicit(&each->n, n, memory_order_relaxed);
    }
    return n;
}

/* The index of the next item, which no other thread gets. */
static Py_ssize_t take_index(struct each *each)
{
    if (!PYTHON_HAS_GIL)
        return atomic_fetch_add_explicit(&each->next, 1, memory_order_relaxed);
    Py_ssize_t i = atomic_load_explicit(&each->next, memory_order_relaxed);
    atomic_store_explicit(&each->next, i + 1, memory_order_relaxed);
    return i;
}

static PyObject *each_next(PyObject *self)
{
    struct each *each = (struct each *)self;
    Py_ssize_t n = count(each);
    if (n < 0 || atomic_load_explicit(&each->next, memory_order_relaxed) >= n)
        return NULL;
    Py_ssize_t i = take_index(each);
    return i < n ? Py_TYPE(each->sequence)->tp_as_sequence->sq_item(each->sequence, i) : NULL;
}

static PyObject *each_length_hint(PyObject *self, PyObject *ignored)
{
    struct each *each = (struct each *)self;
    Py_ssize_t n = count(each), next = atomic_load_explicit(&each->next, memory_order_relaxed);
    (void)ignored;
    return n >= 0 ? PyLong_FromSsize_t(next < n ? n - next : 0) : NULL;
}

static PyMethodDef each_methods[] = {{"__length_hint__", each_length_hint, METH_NOARGS, NULL},
                                     {NULL, NULL, 0, NULL}};

PyTypeObject each_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder.recording.Each",
                          .tp_basicsize = sizeof(struct each),
                          .tp_dealloc = each_free,
                          .tp_flags = Py_TPFLAGS_DEFAULT,
                          .tp_iter = PyObject_SelfIter,
                          .tp_iternext = each_next,
                          .tp_methods = each_methods};
