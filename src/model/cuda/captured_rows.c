/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/captured_rows.h"

#include <stdlib.h>
#include <string.h>

#include "model/cuda/cuda_window.h"
#include "model/load/load.h"

int rf_captured_rows_init(struct rf_captured_rows *rows, const rf_recording *rec, size_t first)
{
    rows->first = first;
    rows->n = rec->n_extras - first;
    rows->is_kept = calloc(rows->n + 1, 1);
    return rows->is_kept != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

void rf_captured_rows_release(struct rf_captured_rows *rows)
{
    free(rows->is_kept);
    *rows = (struct rf_captured_rows){.is_kept = NULL};
}

uint32_t rf_captured_rows_next(struct rf_captured_rows *rows)
{
    return (uint32_t)rows->n_met++;
}

static bool is_listed(const struct rf_load *load, const struct rf_load_thread *thread)
{
    const rf_recording *rec = load->rec;
    const struct rf_thread *at =
        thread->place < rec->n_threads ? &rec->thread[thread->place] : NULL;
    return at != NULL && at->process == thread->process && at->tid == thread->tid &&
           at->serial == thread->serial;
}

bool rf_captured_rows_take(struct rf_captured_rows *rows, struct rf_load *load,
                           const struct rf_held_work *row)
{
    if (row->name == RF_NO_INDEX)
        load->rec->work_counts->n_extras[row->kind]++;
    else if (row->name < rows->n)
        rows->is_kept[row->name] = 1;
    return (row->name == RF_NO_INDEX || row->name < rows->n) &&
           (row->track == RF_NO_INDEX || is_listed(load, load->thread[row->track]));
}

void rf_captured_rows_finish(struct rf_captured_rows *rows, rf_recording *rec)
{
    struct rf_extra *extra = rec->extra;
    size_t n = rows->first;
    for (size_t i = rows->first; i < rec->n_extras; i++)
        if (i - rows->first >= rows->n || rows->is_kept[i - rows->first])
            extra[n++] = extra[i];
    rec->n_extras = n;
}
