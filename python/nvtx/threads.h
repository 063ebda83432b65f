/* SPDX-License-Identifier: Apache-2.0 */
/* What guards shared state where the interpreter has no lock (free-threaded CPython, cp313t):
 * mutexes, and words that are stored with release order. */
#ifndef RF_NVTX_THREADS_H
#define RF_NVTX_THREADS_H

#include "nvtx_python.h"
#include "python/threads/guard.h"

/* Reads a word that another thread may store with nvtx_publish(): what was stored before it is
 * seen. */
static inline unsigned nvtx_read(const unsigned *word)
{
    return __atomic_load_n(word, PYTHON_HAS_GIL ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE);
}

static inline void nvtx_publish(unsigned *word, unsigned value)
{
    __atomic_store_n(word, value, PYTHON_HAS_GIL ? __ATOMIC_RELAXED : __ATOMIC_RELEASE);
}

/* The same of a pointer to what is never freed. */
static inline PyObject *nvtx_read_object(PyObject *const *place)
{
    return __atomic_load_n(place, PYTHON_HAS_GIL ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE);
}

/* Stores an object in a place that is to be filled once, and takes the reference over. Returns what
 * is there then. */
PyObject *nvtx_fill_once(PyObject **place, PyObject *object);

/* A sequence that nothing changes while it is read, a new reference: the list or tuple, or, where
 * another thread may change the list meanwhile, a tuple of it. NULL with an exception. */
PyObject *nvtx_steady(PyObject *sequence);

#endif
