/* SPDX-License-Identifier: Apache-2.0 */
/* Reports with a row for each piece of GPU work: sorted, and made when they are printed where the
 * table allows it, since the cells of all rows would take more memory than the recording. */
#ifndef RF_STATS_TRACE_ROWS_H
#define RF_STATS_TRACE_ROWS_H

#include "stats/kernel_names.h"
#include "stats/table.h"

/* What a report's rows are made from. */
struct rf_trace_rows {
    struct rf_row_maker maker;
    const struct rf_trace_kind *kind;
    const rf_recording *rec;
    struct rf_kernel_names *names;
    char *entry;
    size_t n;
    void *texts; /* of kind->size_of_texts: where a row's texts are put together */
};

/* An entry of a report begins with the work: const struct rf_gpu_op *. */
struct rf_trace_kind {
    size_t entry_size, size_of_texts;
    /* Fills the entry of a piece of work; false: it has no row. */
    bool (*find)(const rf_recording *rec, const struct rf_gpu_op *op, void *entry);
    int (*compare)(const void *a, const void *b); /* of entries */
    /* Sets a row of zeroed cells; its texts are valid until the next one is set. false: out of
     * memory, which cannot be where no ranges are in the names of kernels. */
    bool (*set)(struct rf_cell *row, const struct rf_trace_rows *rows, const void *entry);
};

/* Lists all work. Returns RF_OK or a negative enum rf_error. */
int rf_list_trace(const struct rf_trace_kind *kind, const rf_recording *rec, struct rf_table *table,
                  struct rf_err *err);

/* -1 or 1 where two members differ, else what follows. */
#define RF_FIRST_THAT_DIFFERS(x, y, then) ((x) != (y) ? ((x) < (y) ? -1 : 1) : (then))

#endif
