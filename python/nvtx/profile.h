/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic annotation: every function that runs gets a range. One profile is on at a time; it is
 * called by the interpreter, which before 3.12 (profile_hook.c) and since (profile_monitor.c) has
 * different ways to ask for it. */
#ifndef RF_NVTX_PROFILE_H
#define RF_NVTX_PROFILE_H

#include "domain.h"
#include "nvtx_python.h"

struct profile {
    PyObject_HEAD struct domain *domain;
    PyObject *include, *exclude; /* tuples of patterns */
    bool has_lines, has_c_calls, is_on;
};

extern PyTypeObject nvtx_profile_type;

/* The profile that is on; NULL: none. Another thread can end it at any time. */
struct profile *nvtx_profile(void);

/* Pushes the range of a function that begins. Returns 1; 0 if it is left out; -1 with an exception.
 */
int nvtx_profile_enter(struct profile *profile, PyCodeObject *code);

/* The same of a callable that is not written in Python; code: of the function that calls it, with
 * which it is left out. */
int nvtx_profile_enter_c(struct profile *profile, PyCodeObject *code, PyObject *callable);

/* Pops the range when a function, or a callable that it called, ends. Returns 1; 0 if it is left
 * out. */
int nvtx_profile_leave(struct profile *profile, PyCodeObject *code);

#endif
