/* SPDX-License-Identifier: Apache-2.0 */
/* The extension module rangefinder.nvtx._nvtx: NVTX for Python.
 *
 *     module.c       the functions of the module, and whether a tool listens
 *     arguments.c    what a call was given, by position and by name
 *     forgive.c      values that cannot be recorded
 *     colors.c       colors as numbers
 *     domain.c       Domain and DummyDomain; registered strings and categories
 *     event.c        from Python's values to nvtxEventAttributes_t
 *     attributes.c   EventAttributes and RegisteredString
 *     annotate.c     the context manager and decorator
 *     annotated.c    a decorated function
 *     profile.c      a range around every function, with profile_hook.c or profile_monitor.c
 *
 * All of it runs with the interpreter's lock held; the lock is also what guards the caches. Nothing
 * here is freed before the process ends that a tool could still refer to. */
#ifndef RF_NVTX_MODULE_H
#define RF_NVTX_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <nvtx3/nvToolsExt.h>
#include <stdint.h>

#if PY_VERSION_HEX < 0x030a0000
static inline PyObject *Py_NewRef(PyObject *object)
{
    Py_INCREF(object);
    return object;
}

static inline PyObject *Py_XNewRef(PyObject *object)
{
    Py_XINCREF(object);
    return object;
}
#endif

/* Messages of a domain that are registered; later ones are sent as text, but for the one that
 * begins captures. docs/python.md has the number. */
#define MAX_STRINGS 65536

/* ---- Whether a tool listens (module.c) ---- */

/* 0: nobody listens. Otherwise the number of times that a tool was attached: what was prepared for
 * another number is prepared again. */
extern unsigned nvtx_attached;

/* NVTX_DISABLE was set: nothing is checked, made or recorded. */
extern int nvtx_disabled;

static inline int nvtx_is_heard(void)
{
    return nvtx_attached != 0;
}

/* Whether ranges of this message begin captures. */
int nvtx_is_trigger(const char *message);

/* A start/end range that was begun is part of another one; 0: of none. */
void nvtx_say_parent(nvtxRangeId_t id, nvtxRangeId_t parent);

/* A function of the Python module rangefinder.nvtx._helpers; a borrowed reference, or NULL with an
 * exception. */
PyObject *nvtx_helper(const char *name);

/* ---- Arguments (arguments.c) ---- */

enum argument {
    MESSAGE,
    COLOR,
    DOMAIN,
    CATEGORY,
    PAYLOAD,
    N_KEPT, /* by what is prepared */
    ATTRIBUTES = N_KEPT,
    NAME,
    RANGE_ID,
    STRING,
    N_ARGUMENTS
};

/* What a function takes: names by position; those from n_positional on by name only. */
struct signature {
    const char *function;
    uint8_t argument[N_ARGUMENTS]; /* enum argument */
    uint8_t n_positional, n;
};

int nvtx_init_arguments(void);

/* Fills given[] by enum argument: borrowed references; those that were not given are left as they
 * are. Returns 0, or -1 with a TypeError. */
int nvtx_parse(const struct signature *signature, PyObject *const *args, Py_ssize_t n_args,
               PyObject *names, PyObject **given);

/* The only argument of a function, by position or name: borrowed; NULL with a TypeError. */
PyObject *nvtx_parse_one(const struct signature *signature, PyObject *const *args,
                         Py_ssize_t n_args, PyObject *names);

/* What a function returns that has nothing to send: None, or NULL where there is an exception. */
PyObject *nvtx_none_or_error(void);

/* ---- Values that cannot be recorded (forgive.c) ---- */

extern PyObject *nvtx_warning; /* NvtxWarning */

int nvtx_init_warning(void);

/* Takes away what a value's own methods raised. Returns 0, or -1 with what is no Exception, such as
 * KeyboardInterrupt. */
int nvtx_forgive(void);

/* Says with an NvtxWarning, once at each place in the program, what is not recorded; nothing where
 * nobody listens. Takes what PyUnicode_FromFormat() takes. Returns 0, or -1 with an exception: the
 * program makes warnings errors, or was interrupted. */
int nvtx_warn(const char *format, ...);

/* "payload must be a number or None, not list: left out" */
int nvtx_warn_type(const char *argument, const char *wanted, PyObject *value, const char *instead);

/* ---- Colors (colors.c) ---- */

/* A color other than None. Returns 1; 0: it is none, which was said; -1 with an exception. */
int nvtx_color(PyObject *color, uint32_t *argb);

/* ---- Domains (domain.c) ---- */

#define N_CACHED 64 /* a power of two */

/* Finds what belongs to a string by the string's address; it holds the string, so that no other one
 * can come to stand there. */
struct cached {
    PyObject *string;
    union {
        nvtxStringHandle_t registered;
        uint32_t category;
    };
};

struct domain {
    PyObject_HEAD nvtxDomainHandle_t handle; /* NULL: the default domain, or nobody listens */
    PyObject *name;                          /* str; NULL: the default domain */
    PyObject *strings;                       /* dict: str to the handle as int */
    PyObject *categories;                    /* dict: str to int */
    struct cached string_cache[N_CACHED];
    struct cached category_cache[N_CACHED];
    unsigned attached; /* nvtx_attached when handle and strings were made */
    uint32_t n_named;  /* categories that the tool knows: those with ids up to this */
};

extern PyTypeObject nvtx_domain_type, nvtx_dummy_domain_type;

int nvtx_init_domains(void);

/* The domain of a name, a str or None: borrowed; NULL with an exception. What is no name is said,
 * and taken as the default domain. */
struct domain *nvtx_get_domain(PyObject *name);

/* The domain of a handle that start_range() gave; NULL, without an exception: there is none. */
struct domain *nvtx_domain_of_handle(uint64_t handle);

/* After a tool was attached: domains that exist are made known to it. */
int nvtx_attach_domains(void);

/* Registers a message, an exact str. *registered stays NULL where there are too many already.
 * Returns 0, or -1 with an exception. */
int nvtx_register(struct domain *domain, PyObject *message, nvtxStringHandle_t *registered);

/* The id of a category: a str, or an int that is one; 0 for what is neither, which is said. Returns
 * 0, or -1 with an exception. */
int nvtx_category(struct domain *domain, PyObject *category, uint32_t *id);

/* ---- Events (event.c) ---- */

struct event {
    struct domain *domain;
    nvtxEventAttributes_t attributes;
    PyObject *text; /* what attributes.message.ascii points into; NULL: it points at nothing */
};

/* The text of a message or name as an exact str, a new reference. What is no text is said, and its
 * str() taken; NULL without an exception: that failed. Returns 0, or -1 with an exception. */
int nvtx_text(const char *argument, PyObject *value, PyObject **text);

/* Fills *event from what was given; somebody listens. What cannot be recorded is said and left out.
 * Returns 0, or -1 with an exception; nothing is to be released then. */
int nvtx_event_init(struct event *event, struct domain *domain, PyObject *const *given);

static inline void nvtx_event_release(struct event *event)
{
    Py_XDECREF(event->text);
}

/* ---- Types ---- */

/* EventAttributes, and the base of annotate: what was given, and the event once it is needed. */
struct prepared {
    PyObject_HEAD struct event event;
    unsigned attached; /* nvtx_attached when event was filled; 0: it is not */
    PyObject *given[N_KEPT];
};

extern PyTypeObject nvtx_attributes_type, nvtx_registered_type;
extern PyTypeObject nvtx_annotate_type, nvtx_annotated_type;

/* The id of a range: 1; 0 where it cannot be one, which is said of what is no int; -1 with an
 * exception. */
int nvtx_take_id(PyObject *id, uint64_t *value);

/* The RegisteredString of a message; NULL with an exception. */
PyObject *nvtx_registered_new(struct domain *domain, PyObject *message);

/* The str of a RegisteredString: borrowed. */
PyObject *nvtx_registered_string(PyObject *registered);

/* Keeps given[], and fills the event where somebody listens. */
int nvtx_prepared_init(struct prepared *prepared, struct domain *domain, PyObject *const *given);

/* Replaces the values that are given. */
int nvtx_prepared_set(struct prepared *prepared, PyObject *const *given);
void nvtx_prepared_release(struct prepared *prepared);

/* The event, filled for the tool that listens; somebody does. NULL with an exception. */
const struct event *nvtx_prepared_event(struct prepared *prepared);

struct annotate {
    struct prepared prepared;
};

/* Pushes its range. Returns 0, or -1 with an exception. */
int nvtx_annotate_push(struct annotate *annotate);

/* A function that runs inside the range of an annotate. */
PyObject *nvtx_annotated_new(struct annotate *annotate, PyObject *function);

#endif
