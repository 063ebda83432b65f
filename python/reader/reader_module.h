/* SPDX-License-Identifier: Apache-2.0 */
/* The extension module rangefinder._reader: recordings in Python.
 *
 *     reader.c        the module, and errors as exceptions
 *     opened.c        _reader.Recording: a recording that was opened, and what is made of it
 *     held.c          recordings and what belongs to them, kept while anything uses them
 *     kinds.c         the kinds of rows, and their columns as Python sees them
 *     kinds_event.c   events, ranges, marks
 *     nesting.c       which range is part of which
 *     kinds_process.c processes, threads, domains, captures
 *     kinds_gpu.c     calls, GPU work
 *     kinds_counter.c, kinds_extra.c, kinds_projection.c, kinds_report.c
 *     places.c        which rows there are, in which order
 *     views.c         some rows of a kind: a part of them, each of them
 *     select.c        the rows that have given values
 *     rows.c          Rows: a sequence of rows
 *     row.c           one row: Range, Mark, Thread, ...
 *     cells.c         the values of a column, one behind the other
 *     column.c        Column: a column with the buffer protocol
 *     table.c         Table: several columns
 *     arrow.c         columns and tables as Arrow's C data interface has them
 *
 * What a Python object shows stays where the model has it. Rows are addresses in the model, and no
 * object here refers to another one but a column to its rows, so there are no cycles; everything
 * else is counted in C, since consumers of Arrow data release it on any thread, with or without the
 * interpreter. */
#ifndef RF_READER_MODULE_H
#define RF_READER_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct kind;
struct rf_table;

/* ---- Kinds of rows (kinds.c) ---- */

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
    MAX_COLUMNS = 40,
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
struct start_ends;
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
    const struct column *columns; /* the last one has no name */
    size_t size;                  /* of a row */
    int is_timed; /* rows begin with their start: those of all runs are sorted by it */
    /* The i-th run; returns 0 past the last. */
    int (*run)(const struct held *held, uint32_t i, struct run *run);
    int (*keeps)(const void *at); /* which rows of a run are of the kind; NULL: all */
    const PyGetSetDef *objects;   /* attributes that are no columns, or replace one */
    const struct column *column[MAX_COLUMNS];
    size_t n_columns;
    PyTypeObject *row_type;
};

extern struct kind kinds[N_KINDS];

/* Fills in what kinds[] cannot say by itself, and adds the types of rows to the module. Returns 0,
 * or -1 with an exception. */
int kinds_init(PyObject *module);

/* The column of a name, or NULL. */
const struct column *kind_find_column(const struct kind *kind, const char *name);

/* Sets an exception: there is no such column, and which there are. Returns NULL. */
PyObject *kind_raise_no_column(const struct kind *kind, PyObject *exception, PyObject *name);

/* The same for a kind: "no rows 'x'; there are: ...". */
PyObject *kinds_raise_no_rows(PyObject *name);

/* What column->narrow says of rows, or the column. Releases the GIL meanwhile. */
const struct column *column_narrow(const struct column *column, const struct view *view);

/* The value of a column in a row; returns 0 where there is none. */
int column_get(const struct column *column, const struct row *row, union value *value);

/* The same as a Python object. */
PyObject *column_get_object(const struct column *column, const struct row *row);

/* Text of an id, not always UTF-8; NULL: there is none. */
const char *column_text(const struct column *column, const struct held *held, uint64_t id,
                        size_t *size);

/* How many ids there are. */
size_t column_n_ids(const struct column *column, const struct held *held);

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

const struct row *row_of_object(PyObject *self);

/* Their tables; what has no name ends them. */
extern const struct column extra_columns[], event_columns[], process_columns[], thread_columns[],
    domain_columns[], capture_columns[], call_columns[], op_columns[], gpu_columns[],
    stream_columns[], counter_columns[], sample_columns[], projection_columns[];
extern const PyGetSetDef extra_objects[], range_objects[], mark_objects[], process_objects[],
    thread_objects[], call_objects[], op_objects[], counter_objects[], sample_objects[],
    projection_objects[], gpu_objects[];
int run_of_events(const struct held *held, uint32_t i, struct run *run);
int run_of_processes(const struct held *held, uint32_t i, struct run *run);
int run_of_threads(const struct held *held, uint32_t i, struct run *run);
int run_of_domains(const struct held *held, uint32_t i, struct run *run);
int run_of_captures(const struct held *held, uint32_t i, struct run *run);
int run_of_calls(const struct held *held, uint32_t i, struct run *run);
int run_of_ops(const struct held *held, uint32_t i, struct run *run);
int run_of_gpus(const struct held *held, uint32_t i, struct run *run);
int run_of_streams(const struct held *held, uint32_t i, struct run *run);
int run_of_counters(const struct held *held, uint32_t i, struct run *run);
int run_of_samples(const struct held *held, uint32_t i, struct run *run);
int run_of_extras(const struct held *held, uint32_t i, struct run *run);
int run_of_projections(const struct held *held, uint32_t i, struct run *run);
PyObject *range_parent_object(PyObject *self, void *ignored);
PyObject *range_depth_object(PyObject *self, void *ignored);
PyObject *range_children_object(PyObject *self, void *ignored);
void start_ends_free(struct start_ends *all); /* NULL is accepted */
int is_range_row(const void *at);
int is_mark_row(const void *at);
int is_kernel_row(const void *at);

/* ---- What is kept alive (held.c) ---- */

/* Which rows there are of a kind, or of a run of it; found when first needed. */
struct prepared {
    int is_ready;
    struct places *places; /* NULL: they stand one behind the other */
    struct run run;
    uint32_t run_index, first; /* of the rows of run */
};

struct report;

/* A recording, or what was computed of one. The last reference frees it, on any thread. */
struct held {
    atomic_size_t n_references;
    struct held *base; /* that it uses; NULL: none */
    int is_part;       /* rec is base's */
    rf_recording *rec;
    rf_projections *projections;   /* of a recording: what parents are asked of; may be NULL */
    struct start_ends *start_ends; /* the same; nesting.c */
    struct report *report;
    struct prepared *prepared[N_KINDS]; /* of all rows, then of each run; guarded by the GIL */
};

/* Takes over rec, unless it is base's; NULL: out of memory, and nothing was taken. */
struct held *held_new(rf_recording *rec, struct held *base, int is_part);
struct held *held_take(const struct held *held); /* one more reference */
void held_release(struct held *held);            /* NULL is accepted */

/* The recording that something belongs to. */
const struct held *held_recording(const struct held *held);

/* Makes the projections of a recording that parents are asked of. Releases the GIL meanwhile.
 * Returns 0, or -1 with an exception. */
int held_project(const struct held *held);

/* The rows of a kind, run: of one run only, or -1. Releases the GIL meanwhile. NULL with an
 * exception. */
const struct prepared *held_prepare(const struct held *held, const struct kind *kind, int64_t run);

/* Memory that several own. */
struct buffer {
    atomic_size_t n_references;
    void *memory;             /* that it lies in */
    _Alignas(64) char data[]; /* as Arrow advises */
};

struct buffer *buffer_new(size_t size); /* zeroed; NULL: out of memory */
struct buffer *buffer_take(struct buffer *buffer);
void buffer_release(struct buffer *buffer); /* NULL is accepted */

/* ---- Places (places.c) ---- */

struct place {
    uint32_t run, index;
};

struct places {
    atomic_size_t n_references;
    size_t n, room;
    struct place *at;
};

struct places *places_new(void);
struct places *places_take(struct places *places);
void places_release(struct places *places); /* NULL is accepted */

/* Returns 0, or -1 where memory is short. */
int places_add(struct places *places, uint32_t run, uint32_t index);

/* Finds the rows of a kind. Without the GIL. Returns 0, or -1 where memory is short. */
int prepare(const struct held *held, const struct kind *kind, int64_t run, struct prepared *out);

/* ---- Views (views.c) ---- */

/* Some rows: every step-th from first on of those that there are. */
struct view {
    struct held *held; /* owned */
    const struct kind *kind;
    struct places *places; /* owned; NULL: they stand behind base */
    const char *base;
    uint32_t run, index; /* of base */
    Py_ssize_t first, step, n;
};

/* All rows that were prepared. */
void view_init(struct view *view, const struct held *held, const struct kind *kind,
               const struct prepared *prepared);
void view_init_part(struct view *view, const struct view *from, Py_ssize_t first, Py_ssize_t step,
                    Py_ssize_t n);
void view_release(struct view *view);

/* The i-th row, 0 <= i < n. *row is zero, or the one before: most rows stand in the same run. */
void view_get(const struct view *view, Py_ssize_t i, struct row *row);

/* Where the values of a column stand in the rows, and how far from each other; NULL: they have to
 * be copied. */
const char *view_field(const struct view *view, const struct column *column, Py_ssize_t *stride);

/* ---- Rows (rows.c, select.c, row.c) ---- */

struct rows {
    PyObject ob_base;
    struct view view;
    int64_t run; /* that it is restricted to; -1 */
    int is_ready;
};

extern PyTypeObject rows_type;

/* The rows of a kind, run: of one run only, or -1. They are looked for when they are needed. */
PyObject *rows_new(const struct held *held, const struct kind *kind, int64_t run);
PyObject *rows_new_of_view(struct view *view); /* takes over what the view owns */

/* The rows; NULL with an exception. */
const struct view *rows_view(struct rows *rows);

/* Rows.filter(). */
PyObject *rows_select(PyObject *self, PyObject *args, PyObject *names);

struct row_object {
    PyObject ob_base;
    const struct kind *kind;
    struct row row; /* owns row.held */
};

PyObject *row_new(const struct kind *kind, const struct row *row);

/* Row i of a kind that has one run; None past the last. */
PyObject *row_new_at(const struct held *held, enum kind_id kind, uint32_t run, uint64_t i);
PyTypeObject *row_base_type(void); /* of all rows */
PyTypeObject *row_type_new(const struct kind *kind);
int is_row(PyObject *object);

/* ---- Columns (cells.c, column.c, table.c, arrow.c) ---- */

/* The texts that a column has, by code. */
struct dictionary {
    atomic_size_t n_references;
    size_t n;                      /* texts */
    int32_t *code;                 /* by id; -1: it does not occur */
    uint32_t *id;                  /* by code */
    size_t n_bytes;                /* of all texts, as UTF-8 */
    struct buffer *offsets, *text; /* as Arrow has them, by dictionary_fill() */
};

/* Without the GIL. NULL: out of memory. */
struct dictionary *dictionary_new(const struct view *view, const struct column *column);
int dictionary_fill(struct dictionary *dictionary, const struct view *view,
                    const struct column *column);
struct dictionary *dictionary_take(struct dictionary *dictionary);
void dictionary_release(struct dictionary *dictionary); /* NULL is accepted */

/* Values one behind the other. */
struct cells {
    struct buffer *values;
    struct buffer *nulls; /* a byte per row: 1 where there is none; NULL: no such row */
    size_t n, n_nulls;
};

/* The size of a value; 0: PLAIN. */
size_t value_size(enum value_type type);

/* Copies the values of rows first .. first + n - 1. Without the GIL. Returns 0, or -1 where memory
 * is short. */
int cells_init(struct cells *cells, const struct view *view, const struct column *column,
               const struct dictionary *dictionary, size_t first, size_t n);
void cells_release(struct cells *cells);

/* PLAIN, as Arrow has it: values is text. Returns 0, or -1. */
int cells_init_plain(struct cells *cells, struct buffer **offsets, const struct view *view,
                     const struct column *column, size_t first, size_t n);

struct column_object {
    PyObject ob_base;
    struct rows *rows; /* owned */
    const struct column *column;
    int is_codes;                  /* it is the codes of a column of text */
    struct dictionary *dictionary; /* owned; NULL: not made yet */
    struct cells cells;            /* once has_cells */
    int has_cells;
    Py_ssize_t shape, stride; /* of the buffers that it handed out */
};

extern PyTypeObject column_type, table_type;

PyObject *column_new(struct rows *rows, const struct column *column);

/* Fills cells (and dictionary). Returns 0, or -1 with an exception. */
int column_gather(struct column_object *column);
int column_make_dictionary(struct column_object *column);

/* "int64", ... as numpy calls it; "text". */
const char *value_type_name(enum value_type type);

/* names: a tuple; empty: all columns. */
PyObject *table_new(struct rows *rows, PyObject *names);

/* The methods __arrow_c_schema__ and __arrow_c_array__ of Column. */
PyObject *arrow_column_schema(PyObject *self, PyObject *ignored);
PyObject *arrow_column_array(PyObject *self, PyObject *args, PyObject *names);

/* The schema and the stream of columns of rows. */
PyObject *arrow_table_schema(const struct column *const *columns, size_t n_columns);
PyObject *arrow_table_stream(struct rows *rows, const struct column *const *columns,
                             size_t n_columns);

/* ---- Reports (kinds_report.c) ---- */

/* Computes a report of a recording. NULL with an exception. */
PyObject *report_rows_new(const struct held *held, const char *name, int by_process);
void report_free(struct report *report); /* NULL is accepted */

/* ---- The module (reader.c, opened.c) ---- */

extern PyTypeObject opened_type;

/* Sets the exception that an error of the library is. Returns NULL. */
PyObject *raise_error(const struct rf_err *err);
PyObject *raise_no_memory(void);

/* Text as str: what is no UTF-8 becomes U+FFFD. NULL text: None. */
PyObject *text_object(const char *text, size_t size);
PyObject *string_object(const struct held *held, uint32_t id);

/* A new reference to a function of rangefinder._frames. */
PyObject *frames_function(const char *name);

/* Calls one. */
PyObject *frames_call(const char *name, PyObject *argument);

/* numpy would take the names of columns, or rows, as the values. */
PyObject *frames_raise_no_array(PyObject *self);

/* Memory for a new object of a type, without the garbage collector. */
void *object_new(PyTypeObject *type);

static inline PyObject *new_reference(void *object)
{
    Py_INCREF((PyObject *)object);
    return object;
}

#endif
