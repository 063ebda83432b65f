/* SPDX-License-Identifier: Apache-2.0 */
#include "export/export.h"

#include "base/error.h"

int rf_export_progress(struct rf_export_job *job)
{
    const struct rf_export_options *options = job->options;
    if (options->progress == NULL)
        return RF_OK;
    double done = job->n_events > 0 ? (double)job->n_done / (double)job->n_events : 1;
    if (options->progress(options->progress_context, done < 1 ? done : 1) == 0)
        return RF_OK;
    return rf_fail(job->err, RF_ERR_IO, "the export to '%s' was stopped",
                   options->output != NULL ? options->output : "a function");
}

int rf_export_each(struct rf_export_job *job, struct rf_sink *sink, rf_export_event_fn *write,
                   rf_export_work_fn *write_work, void *context)
{
    struct rf_cursor *events = NULL;
    struct rf_work_cursor *works = NULL;
    struct rf_event_at event;
    struct rf_work_at work;
    int status = rf_cursor_new(job->rec, &events, job->err);
    if (status == RF_OK)
        status = rf_work_cursor_new(job->rec, &works, job->err);
    bool has_event = status == RF_OK && rf_cursor_next(events, &event);
    bool has_work = status == RF_OK && rf_work_cursor_next(works, &work);
    while (status == RF_OK && (has_event || has_work)) {
        if (!has_work || (has_event && event.event->start_ns <= rf_work_start_ns(&work))) {
            write(context, sink, &event);
            has_event = rf_cursor_next(events, &event);
        } else {
            write_work(context, sink, &work);
            has_work = rf_work_cursor_next(works, &work);
        }
        status = rf_export_step(job);
        if (status == RF_OK)
            status = rf_sink_status(sink);
    }
    rf_cursor_free(events);
    rf_work_cursor_free(works);
    return status;
}
