/* SPDX-License-Identifier: Apache-2.0 */
/* rf_merged_export_new() and its companions: several recordings in one file, one after another. */
#include <stdlib.h>

#include "base/error.h"
#include "export/export_output.h"
#include "export/merging.h"
#include "export/own_options.h"
#include "export/perfetto/export_perfetto_view.h"

struct rf_merged_export {
    struct rf_own_options own;
    struct rf_merging merging;
    struct rf_text_output text;
    struct rf_output file;
    int status; /* the first error */
};

/* ---- Beginning ---- */

static int check_merged(const struct rf_own_options *own, struct rf_err *err)
{
    if (!own->format->can_merge)
        return rf_fail(
            err, RF_ERR_USAGE,
            "%s is of one recording; several go together into sqlite, json, perfetto and html",
            own->format->name);
    if (own->all.nsys2json != NULL || own->all.kineto != NULL)
        return rf_fail(err, RF_ERR_USAGE, "the layout of %s is of one recording",
                       own->all.kineto != NULL ? "kineto" : "nsys2json");
    return RF_OK;
}

static int begin(struct rf_merged_export *merged, const struct rf_export_options *options,
                 struct rf_err *err)
{
    int status = rf_own_options_take(&merged->own, options, err);
    if (status == RF_OK)
        status = check_merged(&merged->own, err);
    if (status != RF_OK)
        return status;
    merged->merging.has_no_times = merged->own.format->has_no_times;
    if (merged->own.format->write_file != NULL)
        return rf_file_output_open(&merged->file, &merged->own.all, merged->own.format, err);
    return rf_text_output_open(&merged->text, &merged->own.all, err);
}

int rf_merged_export_new(const struct rf_export_options *options, rf_merged_export **out,
                         struct rf_err *err)
{
    if (out != NULL)
        *out = NULL;
    if (options == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_merged_export_new: options or out is NULL");
    struct rf_merged_export *merged = calloc(1, sizeof(*merged));
    if (merged == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    int status = begin(merged, options, err);
    merged->status = status;
    if (status == RF_OK)
        *out = merged;
    else
        rf_merged_export_free(merged);
    return status;
}

/* ---- Inputs ---- */

int rf_merged_export_align(rf_merged_export *merged, const rf_align *align, struct rf_err *err)
{
    if (merged == NULL || align == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_merged_export_align: merged or align is NULL");
    if (merged->merging.n > 0)
        return rf_fail(err, RF_ERR_USAGE, "rf_merged_export_align: there are inputs already");
    merged->merging.align = align;
    return RF_OK;
}

static int write_input(struct rf_merged_export *merged, const rf_recording *rec, struct rf_err *err)
{
    struct rf_export_job job = {.rec = rec,
                                .options = &merged->own.all,
                                .merging = &merged->merging,
                                .n_events = rf_get_info(rec)->n_events + rf_count_work(rec),
                                .err = err};
    merged->text.sink.err = err;
    int status = merged->own.format->write_file != NULL
                     ? merged->own.format->write_file(&job, merged->file.temporary)
                     : merged->own.format->write_text(&job, &merged->text.sink);
    rf_merging_end(&merged->merging, rec);
    return status;
}

static int fail_before(struct rf_err *err)
{
    return rf_fail(err, RF_ERR_USAGE, "the export failed before, or is finished");
}

int rf_merged_export_add(rf_merged_export *merged, const rf_recording *rec, const char *input,
                         int64_t rank, struct rf_err *err)
{
    if (merged == NULL || rec == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_merged_export_add: merged or rec is NULL");
    if (merged->status != RF_OK)
        return fail_before(err);
    merged->status = rf_merging_add(&merged->merging, rec, input, rank, err);
    if (merged->status == RF_OK)
        merged->status = write_input(merged, rec, err);
    return merged->status;
}

uint32_t rf_merged_export_n_inputs(const rf_merged_export *merged)
{
    return merged != NULL ? (uint32_t)merged->merging.n : 0;
}

int rf_merged_export_input_at(const rf_merged_export *merged, uint32_t i,
                              struct rf_merged_input_info *out)
{
    if (merged == NULL || out == NULL || i >= merged->merging.n)
        return RF_ERR_USAGE;
    const struct rf_merged_input *input = &merged->merging.input[i];
    *out = (struct rf_merged_input_info){
        .path = input->path,
        .host = input->host,
        .clock_method = rf_align_method_name(input->method),
        .clock_shift_ns = input->shift_ns,
        .clock_uncertainty_ns = input->uncertainty_ns,
    };
    return RF_OK;
}

int rf_merged_export_find_view(rf_merged_export *merged, const rf_recording *rec, const char *range,
                               struct rf_trace_view *out, struct rf_err *err)
{
    if (merged == NULL || rec == NULL || range == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_merged_export_find_view: an argument is NULL");
    if (merged->status != RF_OK || merged->merging.n == 0)
        return rf_fail(err, RF_ERR_USAGE, "the export has no recording yet, or is finished");
    return pf_find_view(rec, &merged->merging, range, merged->own.all.tracks_by_category != 0, out,
                        err);
}

/* ---- The end ---- */

static int finish_text(struct rf_merged_export *merged, int status, struct rf_err *err)
{
    merged->text.sink.err = err;
    if (status == RF_OK && merged->own.format->end_text != NULL)
        status = merged->own.format->end_text(&merged->merging, &merged->text.sink, err);
    return rf_text_output_close(&merged->text, status, err);
}

static int finish_file(struct rf_merged_export *merged, int status, struct rf_err *err)
{
    if (status == RF_OK && merged->own.format->end_file != NULL)
        status = merged->own.format->end_file(&merged->merging, merged->file.temporary, err);
    if (status == RF_OK)
        return rf_output_commit(&merged->file, err);
    rf_output_abandon(&merged->file);
    return status;
}

int rf_merged_export_finish(rf_merged_export *merged, struct rf_err *err)
{
    if (merged == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_merged_export_finish: merged is NULL");
    if (merged->status != RF_OK)
        return fail_before(err);
    int status = merged->merging.n > 0 ? RF_OK
                                       : rf_fail(err, RF_ERR_USAGE,
                                                 "the export has no recording: nothing is written");
    status = merged->own.format->write_file != NULL ? finish_file(merged, status, err)
                                                    : finish_text(merged, status, err);
    merged->status = RF_ERR_USAGE; /* it is over */
    return status;
}

void rf_merged_export_free(rf_merged_export *merged)
{
    if (merged == NULL)
        return;
    (void)rf_text_output_close(&merged->text, RF_ERR_IO, NULL);
    rf_output_abandon(&merged->file);
    rf_merging_release(&merged->merging);
    free(merged);
}
