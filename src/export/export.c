/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the format and taking care of the file: what is written appears under its name when it
 * is complete, or not at all.
 *
 * To add a format:
 *   1. src/export/export_NAME.c with a const struct rf_export_format;
 *   2. its declaration in export.h and a row in the table below;
 *   3. a section in docs/exports.md;
 *   4. the expected output in tests/export/expected (tests/export/golden.sh -u makes it). */
#include "export/export.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/output.h"
#include "base/pending.h"
#include "export/gzip.h"

static const struct rf_export_format *const formats[] = {
    &rf_export_sqlite, &rf_export_json, &rf_export_perfetto,
    &rf_export_jsonl,  &rf_export_csv,  &rf_export_text,
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

const char *rf_export_format_at(size_t i, const char **description)
{
    if (i >= N_FORMATS)
        return NULL;
    if (description != NULL)
        *description = formats[i]->description;
    return formats[i]->name;
}

static const struct rf_export_format *find_format(const char *name, struct rf_err *err)
{
    const char *names[N_FORMATS];
    char list[128] = "";
    for (size_t i = 0; i < N_FORMATS; i++) {
        names[i] = formats[i]->name;
        if (name != NULL && strcmp(name, names[i]) == 0)
            return formats[i];
        (void)strncat(list, i > 0 ? ", " : "", sizeof(list) - strlen(list) - 1);
        (void)strncat(list, names[i], sizeof(list) - strlen(list) - 1);
    }
    const char *nearest = name != NULL ? rf_nearest_name(name, names, N_FORMATS) : NULL;
    (void)rf_fail(err, RF_ERR_USAGE, "unknown export format '%.100s': %s%s%sthe formats are %s",
                  name != NULL ? name : "", nearest != NULL ? "did you mean '" : "",
                  nearest != NULL ? nearest : "", nearest != NULL ? "'? " : "", list);
    return NULL;
}

int rf_export_progress(struct rf_export_job *job)
{
    const struct rf_export_options *options = job->options;
    if (options->progress == NULL)
        return RF_OK;
    double done = job->n_events > 0 ? (double)job->n_done / (double)job->n_events : 1;
    if (options->progress(options->progress_context, done < 1 ? done : 1) == 0)
        return RF_OK;
    return rf_fail(job->err, RF_ERR_IO, "the export to '%s' was stopped", options->output);
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
    int has_event = status == RF_OK && rf_cursor_next(events, &event);
    int has_work = status == RF_OK && rf_work_cursor_next(works, &work);
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

static int write_plain(void *context, const void *data, size_t size, struct rf_err *err)
{
    return rf_output_write(context, data, size, err);
}

static int is_gzip_name(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

static int export_text(struct rf_export_job *job, const struct rf_export_format *format)
{
    struct rf_output output = {0};
    struct rf_gzip gzip = {0};
    struct rf_sink sink = {0};
    int is_gzip = is_gzip_name(job->options->output);
    int status =
        rf_output_open(&output, job->options->output, job->options->can_overwrite, job->err);
    if (status != RF_OK)
        return status;
    if (is_gzip)
        status = rf_gzip_init(&gzip, &output, job->err);
    if (status == RF_OK)
        status = rf_sink_init(&sink, is_gzip ? rf_gzip_write : write_plain,
                              is_gzip ? (void *)&gzip : (void *)&output, job->err);
    sink.is_raw = job->options->is_raw;
    if (status == RF_OK)
        status = format->write_text(job, &sink);
    if (status == RF_OK)
        status = rf_sink_finish(&sink);
    if (status == RF_OK && is_gzip)
        status = rf_gzip_finish(&gzip, job->err);
    rf_sink_release(&sink);
    rf_gzip_release(&gzip);
    if (status == RF_OK)
        return rf_output_commit(&output, job->err);
    rf_output_abandon(&output);
    return status;
}

static int export_file(struct rf_export_job *job, const struct rf_export_format *format)
{
    const char *path = job->options->output;
    struct rf_output output = {0};
    if (strcmp(path, "-") == 0)
        return rf_fail(job->err, RF_ERR_USAGE,
                       "cannot write %s to standard output: name a file with -o", format->name);
    if (is_gzip_name(path))
        return rf_fail(job->err, RF_ERR_USAGE,
                       "cannot write '%s': %s is not compressed; leave out .gz", path,
                       format->name);
    int status = rf_output_open(&output, path, job->options->can_overwrite, job->err);
    if (status != RF_OK)
        return status;
    if (output.temporary == NULL)
        status = rf_fail(job->err, RF_ERR_USAGE, "cannot write '%s': %s needs a regular file", path,
                         format->name);
    else
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
    const struct rf_export_format *format = find_format(options->format, err);
    if (format == NULL)
        return RF_ERR_USAGE;
    if (options->nsys2json != NULL && format != &rf_export_json)
        return rf_fail(err, RF_ERR_USAGE, "the layout of nsys2json is one of json, not of %s",
                       format->name);
    if (options->kineto != NULL && format != &rf_export_json)
        return rf_fail(err, RF_ERR_USAGE, "the flavor kineto is one of json, not of %s",
                       format->name);
    if (options->kineto != NULL && options->nsys2json != NULL)
        return rf_fail(err, RF_ERR_USAGE,
                       "the layout of nsys2json and the flavor kineto exclude each other");
    if (options->nsys2json != NULL)
        format = &rf_export_nsys2json;
    if (options->output == NULL || options->output[0] == '\0')
        return rf_fail(err, RF_ERR_USAGE, "no output file was named");
    uint64_t n_events = rf_get_info(rec)->n_events + rf_count_work(rec);
    struct rf_export_job job = {rec, options, n_events, 0, err};
    int status = format->write_file != NULL ? export_file(&job, format) : export_text(&job, format);
    if (status == RF_OK && options->progress != NULL)
        (void)options->progress(options->progress_context, 1);
    return status;
}
