/* SPDX-License-Identifier: Apache-2.0 */
/* Folded stacks, the input of flame graph programs: a line for each path of names, "outer;inner",
 * with the nanoseconds that no range inside it covers. Paths are those of the report nvtx_tree. */
#include <stdlib.h>

#include "base/error.h"
#include "export/stacks/frames.h"
#include "summary/order.h"
#include "summary/collect.h"

static void put_path(struct rf_sink *sink, const rf_summary *summary, uint32_t path, uint32_t *way)
{
    size_t n = 0;
    for (; path != RF_NO_INDEX; path = summary->path[path].parent)
        way[n++] = path;
    while (n-- > 0) {
        const struct rf_summary_path *at = &summary->path[way[n]];
        struct rf_frame_name frame;
        frame.domain = rf_summary_text(summary, at->domain, &frame.domain_size);
        frame.name = rf_summary_text(summary, at->name, &frame.name_size);
        rf_sink_folded_frame(sink, &frame);
        if (n > 0)
            rf_sink_char(sink, ';');
    }
}

/* Rows of one path stand together. */
static void put_rows(struct rf_sink *sink, const rf_summary *summary, uint32_t *way)
{
    uint64_t self = 0;
    for (size_t i = 0; i < summary->n_rows; i++) {
        const struct rf_summary_row *row = &summary->row[i];
        self += row->self;
        if (i + 1 < summary->n_rows && summary->row[i + 1].path == row->path)
            continue;
        if (self > 0) {
            put_path(sink, summary, row->path, way);
            rf_sink_char(sink, ' ');
            rf_sink_u64(sink, self);
            rf_sink_char(sink, '\n');
        }
        self = 0;
    }
}

static int put_ordered(struct rf_export_job *job, struct rf_sink *sink, const rf_summary *summary)
{
    rf_summary ordered;
    rf_summary_init(&ordered);
    uint32_t *way = malloc((summary->n_paths + 1) * sizeof(*way));
    int status = way != NULL ? rf_summary_order(&ordered, summary) : RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        put_rows(sink, &ordered, way);
    else
        status = rf_fail(job->err, status, "out of memory");
    free(way);
    rf_summary_release(&ordered);
    return status;
}

static int write_folded(struct rf_export_job *job, struct rf_sink *sink)
{
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    rf_summary *summary = NULL;
    options.max_paths = UINT32_MAX;
    options.without_steps = 1;
    int status = rf_summary_new(&summary, job->err);
    if (status == RF_OK)
        status = rf_summary_collect(summary, job->rec, &options, NULL, job->err);
    if (status == RF_OK)
        status = put_ordered(job, sink, summary);
    rf_summary_free(summary);
    return status == RF_OK ? rf_sink_status(sink) : status;
}

const struct rf_export_format rf_export_folded = {
    .name = "folded",
    .description = "folded stacks: time by the names around it, for flame graph programs",
    .extensions = {"folded"},
    .write_text = write_folded,
};
