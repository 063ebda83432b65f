/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of rows, their columns and the values in them. */
#ifndef RF_READER_KIND_H
#define RF_READER_KIND_H

#include "with_python.h"

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

enum kind_id {
    EVENTS,
    RANGES,
    MARKS,
    PROCESSES,
    THREADS,
    DOMAINS,
    CAPTURES,
    CALLS,
    GPU_OPS,
    KERNELS,
    GPUS,
    GPU_STREAMS,
    COUNTERS,
    SAMPLES,
    EXTRAS,
    PROJECTIONS,
    REPORT,
    N_KINDS,
    MAX_COLUMNS = 64,
};

/* What a column holds, and what stands for no value in a buffer. */
enum value_type {
    TIME,    /* int64; RF_NO_TIME */
    COUNT,   /* uint64; 0 */
    NUMBER,  /* uint32; 0 */
    INDEX,   /* int64: a row of another kind (refers), or a number; -1 */
    INTEGER, /* int64; 0 */
    REAL,    /* double; NaN */
    FLAG,    /* bool */
    TEXT,    /* the id of a string of the recording; as a buffer int32 codes; -1 */
    WORD,    /* the same of a few words */
    PLAIN,   /* text that is no string of the recording */
};

union value {
    int64_t i;  /* TIME, INDEX, INTEGER */
    uint64_t u; /* COUNT, NUMBER, FLAG, TEXT, WORD */
    double d;   /* REAL */
    struct {
        const char *text; /* PLAIN */
        size_t size;
    };
};

struct held;
struct rf_fields;
struct view;

/* A row where it stands in the model. */
struct row {
    const struct held *held;
    const void *at;
    uint32_t run;   /* thread, stream or counter that it belongs to */
    uint32_t index; /* in the run */
};

struct column {
    const char *name;
    enum value_type type;
    int field; /* where in the row the value stands; only without get */
    /* Gives the value; returns 0 where there is none. NULL: it is a field, of the size that the
     * type has; TEXT, INDEX: uint32_t. */
    int (*get)(const struct column *column, const struct row *row, union value *value);
    const char *(*word)(int id); /* WORD */
    /* Where the values of a run stand one behind the other, apart from the rows; or NULL. */
    const char *(*beside)(const struct held *held, uint32_t run);
    /* The value as Python has it, where that is more exact than get. NULL: get. */
    PyObject *(*object)(const struct row *row);
    /* The column that holds the values of these rows exactly. Without the GIL. NULL: this one. */
    const struct column *(*narrow)(const struct view *view);
    const char *none_text; /* TEXT: stands for the id that is past the last string */
    enum kind_id refers;   /* INDEX: the kind of the row */
    unsigned only_in;      /* 1 << kind; 0: all that have this list */
    const char *doc;
};

/* Rows that stand one behind the other. */
struct run {
    const char *base;
    size_t n;
};

struct kind {
    enum kind_id id;
    const char *name;      /* "ranges" */
    const char *type_name; /* "rangefinder.Range" */
    const char *doc;
    const struct column *columns;   /* the last one has no name */
    const struct rf_fields *fields; /* of columns that have a name alone, and of further columns */
    uint32_t field_kinds;           /* bit k: the further columns are what rows of kind k have */
    int kind_at;                    /* where rows have the kind that the fields go by */
    size_t size;                    /* of a row */
    int is_timed; /* rows begin with their start: those of all runs are sorted by it */
    /* The i-th run; returns 0 past the last. */
    int (*run)(const struct held *held, uint32_t i, struct run *run);
    int (*keeps)(const void *at); /* which rows of a run are of the kind; NULL: all */
    const PyGetSetDef *objects;   /* attributes that are no columns, or replace one */
    const struct column *column[MAX_COLUMNS];
    size_t n_columns;
    PyTypeObject *row_type;
};

/* By enum kind_id; kinds_init() fills the table in. */
extern struct kind kinds[N_KINDS];

/* How many runs a recording has of a kind. */
size_t kind_count_runs(const struct held *held, const struct kind *kind);

/* The column of a name, or NULL. */
const struct column *kind_find_column(const struct kind *kind, const char *name);

/* Sets an exception: there is no such column, and which there are. Returns NULL. */
PyObject *kind_raise_no_column(const struct kind *kind, PyObject *exception, PyObject *name);

/* Sets an exception for a kind: "there are no rows 'x'; there are: ...". */
PyObject *kinds_raise_no_rows(PyObject *name);

/* What column->narrow says of rows, or the column. Releases the GIL meanwhile. */
const struct column *column_narrow(const struct column *column, const struct view *view);

/* The value of a column in a row; returns 0 where there is none. */
int column_get(const struct column *column, const struct row *row, union value *value);

/* Like column_get(), as a Python object. */
PyObject *column_get_object(const struct column *column, const struct row *row);

/* Text of an id, not always UTF-8; NULL: there is none. */
const char *column_text(const struct column *column, const struct held *held, uint64_t id,
                        size_t *size);

/* How many ids there are. */
size_t column_n_ids(const struct column *column, const struct held *held);

/* The size of a value; 0: PLAIN. */
size_t value_size(enum value_type type);

/* ---- For kinds_*.c ---- */

/* Where a struct of the library has the value of a column. */
#define FIELD(type, member) (int)offsetof(type, member)

/* What the default domain is called, as in the package nvtx. */
#define DEFAULT_DOMAIN "NVTX"

/* These give a value, and return 0 where there is none. process, thread: index. */
int value_set_thread(const struct row *row, uint32_t thread, union value *value);
int value_set_tid(const struct row *row, uint32_t thread, union value *value);
int value_set_pid(const struct row *row, uint32_t process, union value *value);
int value_set_id(union value *value, uint32_t id, uint32_t none);
int value_set_domain(const struct row *row, uint32_t domain, union value *value);
void value_set_duration(union value *value, int64_t start_ns, int64_t end_ns);

/* The process of a thread: index, or RF_NO_INDEX. */
uint32_t row_process_of(const struct row *row, uint32_t thread);

#endif
