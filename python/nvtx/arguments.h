/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a call, by position and by name. */
#ifndef RF_NVTX_ARGUMENTS_H
#define RF_NVTX_ARGUMENTS_H

#include "nvtx_python.h"

enum argument {
    MESSAGE,
    COLOR,
    DOMAIN,
    CATEGORY,
    PAYLOAD,
    N_KEPT, /* attributes.c keeps those before */
    ATTRIBUTES = N_KEPT,
    NAME,
    RANGE_ID,
    STRING,
    VALUE,
    REASON,
    VALUES,
    TIMESTAMPS,
    N_ARGUMENTS
};

/* The parameters of a function; those from n_positional on are keyword-only. */
struct signature {
    const char *function;
    uint8_t argument[N_ARGUMENTS]; /* enum argument */
    uint8_t n_positional, n;
};

int nvtx_init_arguments(void);

/* Sets given[] by enum argument: borrowed references; those that were not given are left as they
 * are. Returns 0, or -1 with a TypeError. */
int nvtx_parse(const struct signature *signature, PyObject *const *args, Py_ssize_t n_args,
               PyObject *names, PyObject **given);

/* The only argument of a function, by position or name: borrowed; NULL with a TypeError. */
PyObject *nvtx_parse_one(const struct signature *signature, PyObject *const *args,
                         Py_ssize_t n_args, PyObject *names);

/* What a function returns that has nothing to send: None, or NULL where there is an exception. */
PyObject *nvtx_none_or_error(void);

/* The id of a range: 1; 0 where it cannot be one, which is said of what is no int; -1 with an
 * exception. */
int nvtx_range_id(PyObject *id, uint64_t *value);

#endif
