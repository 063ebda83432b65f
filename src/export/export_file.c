/* SPDX-License-Identifier: Apache-2.0 */
/* rf_export(): writes one format to one file, which appears under its name when it is complete, or
 * not at all. */
#include "base/error.h"
#include "base/pending.h"
#include "export/export_output.h"
#include "export/own_options.h"

static int export_text(struct rf_export_job *job, const struct rf_export_format *format)
{
    struct rf_text_output output;
    int status = rf_text_output_open(&output, job->options, job->err);
    if (status == RF_OK)
        status = format->write_text(job, &output.sink);
    return rf_text_output_close(&output, status, job->err);
}

static int export_file(struct rf_export_job *job, const struct rf_export_format *format)
{
    struct rf_output output = {0};
    int status = rf_file_output_open(&output, job->options, format, job->err);
    if (status == RF_OK)
        status = format->write_file(job, output.temporary);
    if (status == RF_OK)
        return rf_output_commit(&output, job->err);
    rf_output_abandon(&output);
    return status;
}

void rf_remove_unfinished(void)
{
    rf_pending_remove();
}

int rf_export(const rf_recording *rec, const struct rf_export_options *options, struct rf_err *err)
{
    struct rf_own_options own;
    if (rec == NULL || options == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_export: rec or options is NULL");
    int status = rf_own_options_take(&own, options, err);
    if (status != RF_OK)
        return status;
    options = &own.all;
    const struct rf_export_format *format = own.format;
    struct rf_export_job job = {.rec = rec,
                                .options = options,
                                .n_events = rf_get_info(rec)->n_events + rf_count_work(rec),
                                .err = err};
    status = format->write_file != NULL ? export_file(&job, format) : export_text(&job, format);
    if (status == RF_OK && options->progress != NULL)
        (void)options->progress(options->progress_context, 1);
    return status;
}
