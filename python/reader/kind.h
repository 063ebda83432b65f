/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of rows, their columns and the values in them. */
#ifndef RF_READER_KIND_H
#define RF_READER_KIND_H

#include "with_python.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/fields/fields.h"
#include "rangefinder/rangefinder.h"

/* The ids of the kinds and their descriptions. To add one: a line here, its `const struct kind` in
 * a kinds_*.c, and its type in _reader.pyi. */
#define KINDS(X)                                                                                   \
    X(EVENTS, event_kind)                                                                          \
    X(RANGES, range_kind)                                                                          \
    X(MARKS, mark_kind)                                                                            \
    X(PROCESSES, process_kind)                                                                     \
    X(THREADS, thread_kind)                                                                        \
    X(DOMAINS, domain_kind)                                                                        \
    X(CAPTURES, capture_kind)                                                                      \
    X(CALLS, call_kind)                                                                            \
    X(GPU_OPS, op_kind)                                                                            \
    X(KERNELS, kernel_kind)                                                                        \
    X(GPUS, gpu_kind)                                                                              \
    X(GPU_STREAMS, stream_kind)                                                                    \
    X(COUNTERS, counter_kind)                                                                      \
    X(SAMPLES, sample_kind)                                                                        \
    X(EXTRAS, extra_kind)                                                                          \
    X(PROJECTIONS, projection_kind)                                                                \
    X(REPORT, report_kind)

#define KIND_ID(id, description) id,
enum kind_id { KINDS(KIND_ID) N_KINDS, MAX_COLUMNS = 128 };

/* What a column holds; value_format() says what stands for no value. */
enum value_type {
    TIME,    /* int64: nanoseconds; RF_NO_TIME is no value */
    COUNT,   /* uint64 */
    NUMBER,  /* uint32 */
    INDEX,   /* int64: a row of another kind (refers), or a number */
    INTEGER, /* int64 */
    REAL,    /* double */
    FLAG,    /* bool */
    TEXT,    /* the id of a string of the recording; in a buffer int32 codes */
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

struct cells;
struct recording;
struct view;

/* A row where it stands in the model. */
struct row {
    const struct recording *recording;
    const void *at;
    uint32_t run;   /* thread, stream or counter that it belongs to */
    uint32_t index; /* in the run */
};

/* A column is a member of a struct, or what get() says. */
struct column {
    const char *name;
    enum value_type type;
    uint16_t offset; /* of the member: FIELD() */
    uint8_t size;    /* of the member: 1, 4 or 8 bytes */
    uint8_t absent;  /* enum rf_field_absent: which of its numbers stands for no value */
    uint16_t mask;   /* FLAG: which of its bits; 0: any */
    /* The struct that has the member; NULL: it has none for this row. Without it: the row. */
    const void *(*of)(const struct row *row);
    /* Gives the value; returns false where there is none. NULL: it is the member. */
    bool (*get)(const struct column *column, const struct row *row, union value *value);
    const char *(*word)(int id); /* WORD */
    bool is_array; /* of() gives the elements of an array, for row after row of a run */
    /* The value as Python has it, where that is more exact than get. NULL: get. */
    PyObject *(*object)(const struct row *row);
    /* Fills in cells[i]->n values of columns[i], which have the same gather, of rows from `first`
     * on: faster than get one after the other. What it puts there is released by who calls. Without
     * the GIL. Returns 0, or -1 where memory is short. NULL: get. */
    int (*gather)(const struct column *const *columns, size_t n_columns, const struct view *view,
                  size_t first, struct cells *const *cells);
    /* The column that holds the values of these rows exactly. Without the GIL. NULL: this one. */
    const struct column *(*narrow)(const struct view *view);
    const char *none_text; /* TEXT: stands for the id that is past the last string */
    enum kind_id refers;   /* INDEX: the kind of the row */
    unsigned only_in;      /* 1 << kind; 0: all that have this list */
    const char *doc;
};

/* Where a column finds a member of a struct of the library. */
#define FIELD(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* Rows that stand one behind the other. */
struct run {
    const void *base;
    size_t n;
};

struct kind {
    const char *name;      /* "ranges" */
    const char *type_name; /* "rangefinder.Range" */
    const char *doc;
    enum kind_id id;
    const struct column *columns; /* the last one has no name */
    /* Of columns that have a name alone, and of further columns; NULL: none */
    const struct rf_fields *fields[2];
    uint32_t field_kinds; /* bit k: the further columns are what rows of kind k have */
    uint16_t kind_at;     /* where rows have the kind that the fields go by */
    /* Where a part of a row is that is not the row itself; room: for what is put together. NULL:
     * no field is in one. */
    const void *(*part_of)(const struct row *row, unsigned part, struct rf_row *room);
    bool is_timed; /* rows begin with their start: those of all runs are sorted by it */
    size_t size;   /* of a row */
    /* The i-th run; returns false past the last. */
    bool (*run)(const struct recording *recording, uint32_t i, struct run *run);
    bool (*keeps)(const void *at); /* which rows of a run are of the kind; NULL: all */
    const PyGetSetDef *objects;    /* attributes that are no columns, or replace one */
    const struct column *column[MAX_COLUMNS];
    size_t n_columns;
    PyTypeObject *row_type;
};

/* By enum kind_id; kinds_init() fills the table in. */
extern struct kind kinds[N_KINDS];

/* How many runs a recording has of a kind. */
size_t kind_count_runs(const struct recording *recording, const struct kind *kind);

/* The column of a name, or NULL. */
const struct column *kind_find_column(const struct kind *kind, const char *name);

/* "start_ns, end_ns": the names of columns. */
PyObject *columns_list_names(const struct column *const *columns, size_t n_columns);

/* Sets an exception for a kind: "there are no rows 'x'; there are: ...". */
PyObject *kinds_raise_no_rows(PyObject *name);

/* What column->narrow says of rows, or the column. Releases the GIL meanwhile. */
const struct column *column_narrow(const struct column *column, const struct view *view);

/* The value of a column in a row; returns false where there is none. */
bool column_get(const struct column *column, const struct row *row, union value *value);

/* Like column_get(), as a Python object. */
PyObject *column_get_object(const struct column *column, const struct row *row);

/* Whether the values are ids of texts, which stand in buffers as codes. */
bool column_has_ids(const struct column *column);

/* Text of an id, not always UTF-8; NULL: there is none. */
const char *column_text(const struct column *column, const struct recording *recording, uint64_t id,
                        size_t *size);

/* How many ids there are. */
size_t column_n_ids(const struct column *column, const struct recording *recording);

/* A type of values in a buffer, for numpy and for Arrow. */
struct value_format {
    const char *name;           /* "int64", ... as numpy calls it; "text" */
    const char *buffer, *arrow; /* how these protocols write it */
    size_t size;                /* of a value in bytes; 0: PLAIN */
    union value none;           /* what stands for no value */
};

const struct value_format *value_format(enum value_type type);

/* ---- For kinds_*.c ---- */

/* What the default domain is called, as in the package nvtx. */
#define DEFAULT_DOMAIN "NVTX"

#define PROCESS(member) FIELD(struct rf_process, member)
#define THREAD(member)  FIELD(struct rf_thread, member)
#define TRACK(member)   FIELD(struct rf_gpu_track, member)

/* For kind.run, where all rows are one run: an array. Returns whether i is that run. */
bool run_of_array(uint32_t i, struct run *run, const void *base, size_t n);

/* For column.of, where runs are threads. */
const void *thread_of_run(const struct row *row);
const void *process_of_run(const struct row *row);

const void *process_of_thread(const struct row *row, uint32_t thread);

/* For column.get. */
bool get_run(const struct column *column, const struct row *row, union value *value);
/* From the member to the time behind it, where both are known. */
bool get_duration(const struct column *column, const struct row *row, union value *value);
/* column.of: struct rf_domain; column.none_text: DEFAULT_DOMAIN */
bool get_domain_name(const struct column *column, const struct row *row, union value *value);

#endif
