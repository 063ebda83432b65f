/* SPDX-License-Identifier: Apache-2.0 */
/* Domains, with their registered strings and categories. */
#ifndef RF_NVTX_DOMAIN_H
#define RF_NVTX_DOMAIN_H

#include "nvtx_python.h"
#include "threads.h"

/* Messages of a domain that are registered; later ones are sent as text, but for the one that
 * begins captures. docs/python.md has the number. */
#define MAX_STRINGS 65536

#define N_CACHED 64 /* a power of two */

/* Finds an entry by the address of its string. It holds a reference to the string, so that the
 * address is not reused. Without the GIL the dicts are asked instead. */
struct cached {
    PyObject *string;
    union {
        nvtxStringHandle_t registered;
        uint32_t category;
    };
};

/* The schema of a NumPy dtype, found by its address: see schema.h. */
#define N_DTYPES 16 /* a power of two */

struct cached_dtype {
    PyObject *dtype;
    PyObject *native; /* what arrays are converted to; NULL: nothing */
    uint64_t schema;
};

/* The schemas of lists of numbers. */
enum number_array { INT64_ARRAY, UINT64_ARRAY, FLOAT64_ARRAY, BOOL_ARRAY, N_NUMBERS };

struct domain {
    PyObject_HEAD nvtxDomainHandle_t handle; /* NULL: the default domain, or no tool is attached */
    struct guard mutex;                      /* of adding strings and schemas, and of dtypes[] */
    PyObject *name;                          /* str; NULL: the default domain */
    PyObject *strings;                       /* dict: str to the handle as int */
    PyObject *categories;                    /* dict: str to int */
    struct cached string_cache[N_CACHED];
    PyObject *schemas;  /* dict: see schema.h */
    PyObject *counters; /* dict: see rangefinder/nvtx/_counters.py */
    struct cached category_cache[N_CACHED];
    struct cached_dtype dtypes[N_DTYPES];
    uint64_t number_arrays[N_NUMBERS]; /* 0: not registered */
    unsigned attached; /* value of nvtx_attached when handle and strings were made */
    uint32_t n_named;  /* categories with ids up to this are named in the tool */
};

/* type_of_dummy: the type of domains while no tool is attached. Returns 0, or -1 with an exception.
 */
int nvtx_init_domains(PyTypeObject *type, PyTypeObject *type_of_dummy);

/* The domain of a name, a str or None: borrowed; NULL with an exception. What is no name is said,
 * and taken as the default domain. */
struct domain *nvtx_get_domain(PyObject *name);

/* The domain of a handle that start_range() gave; NULL, without an exception: there is none. */
struct domain *nvtx_domain_of_handle(uint64_t handle);

/* Called after a tool was attached, for the number-th time: creates the existing domains in it, and
 * stores the number in nvtx_attached. Returns 0, or -1 with an exception. */
int nvtx_attach_domains(unsigned number);

/* Registers a message, an exact str. *registered stays NULL where there are too many already.
 * Returns 0, or -1 with an exception. */
int nvtx_register(struct domain *domain, PyObject *message, nvtxStringHandle_t *registered);

/* The id of a category: a str, or an int that is one; 0 for what is neither, which is said. Returns
 * 0, or -1 with an exception. */
int nvtx_category(struct domain *domain, PyObject *category, uint32_t *id);

#endif
