/* SPDX-License-Identifier: Apache-2.0 */
/* What guards shared state where the interpreter has no lock (free-threaded CPython, cp313t): a
 * mutex, under which no code of Python's runs. With the lock, that is the guard, and nothing here
 * costs anything. */
#ifndef RF_PYTHON_GUARD_H
#define RF_PYTHON_GUARD_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef Py_GIL_DISABLED

#define PYTHON_HAS_GIL 0

struct guard {
    PyMutex mutex;
};

static inline void guard_lock(struct guard *guard)
{
    PyMutex_Lock(&guard->mutex);
}

static inline void guard_unlock(struct guard *guard)
{
    PyMutex_Unlock(&guard->mutex);
}

#else

#define PYTHON_HAS_GIL 1

struct guard {
    char unused;
};

static inline void guard_lock(struct guard *guard)
{
    (void)guard;
}

static inline void guard_unlock(struct guard *guard)
{
    (void)guard;
}

#endif

#endif
