/* SPDX-License-Identifier: Apache-2.0 */
/* rf_export(): writes one format to one file, which appears under its name when it is complete, or
 * not at all. */
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/pending.h"
#include "export/formats.h"
#include "export/gzip.h"

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
    const struct rf_export_format *format = rf_export_find(options->format, err);
    if (format == NULL)
        return RF_ERR_USAGE;
    if (options->nsys2json != NULL && !format->has_layouts)
        return rf_fail(err, RF_ERR_USAGE, "the layout of nsys2json is one of json, not of %s",
                       format->name);
    if (options->kineto != NULL && !format->has_layouts)
        return rf_fail(err, RF_ERR_USAGE, "the flavor kineto is one of json, not of %s",
                       format->name);
    if (options->kineto != NULL && options->nsys2json != NULL)
        return rf_fail(err, RF_ERR_USAGE,
                       "the layout of nsys2json and the flavor kineto exclude each other");
    if (options->output == NULL || options->output[0] == '\0')
        return rf_fail(err, RF_ERR_USAGE, "no output file was named");
    uint64_t n_events = rf_get_info(rec)->n_events + rf_count_work(rec);
    struct rf_export_job job = {rec, options, n_events, 0, err};
    int status = format->write_file != NULL ? export_file(&job, format) : export_text(&job, format);
    if (status == RF_OK && options->progress != NULL)
        (void)options->progress(options->progress_context, 1);
    return status;
}
