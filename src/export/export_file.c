/* SPDX-License-Identifier: Apache-2.0 */
/* rf_export(): writes one format to one file, which appears under its name when it is complete, or
 * not at all. */
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/pending.h"
#include "base/sized.h"
#include "export/formats.h"
#include "export/gzip.h"

static int write_plain(void *context, const void *data, size_t size, struct rf_err *err)
{
    return rf_output_write(context, data, size, err);
}

static bool is_gzip_name(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

/* Without a name the bytes go to a function. */
static int open_output(struct rf_output *output, const struct rf_export_job *job)
{
    const struct rf_export_options *options = job->options;
    if (options->output != NULL)
        return rf_output_open(output, options->output, options->can_overwrite, job->err);
    rf_output_open_function(output, options->write, options->write_context);
    return RF_OK;
}

static int export_text(struct rf_export_job *job, const struct rf_export_format *format)
{
    struct rf_output output = {0};
    struct rf_gzip *gzip = NULL;
    struct rf_sink sink = {0};
    bool is_gzip = job->options->output != NULL && is_gzip_name(job->options->output);
    int status = open_output(&output, job);
    if (status != RF_OK)
        return status;
    if (is_gzip)
        status = rf_gzip_new(&gzip, &output, job->err);
    if (status == RF_OK)
        status = rf_sink_init(&sink, is_gzip ? rf_gzip_write : write_plain,
                              is_gzip ? (void *)gzip : (void *)&output, job->err);
    sink.is_raw = job->options->is_raw;
    if (status == RF_OK)
        status = format->write_text(job, &sink);
    if (status == RF_OK)
        status = rf_sink_finish(&sink);
    if (status == RF_OK && is_gzip)
        status = rf_gzip_finish(gzip, job->err);
    rf_sink_release(&sink);
    rf_gzip_free(gzip);
    if (status == RF_OK)
        return rf_output_commit(&output, job->err);
    rf_output_abandon(&output);
    return status;
}

static int export_file(struct rf_export_job *job, const struct rf_export_format *format)
{
    const char *path = job->options->output;
    struct rf_output output = {0};
    if (path == NULL)
        return rf_fail(job->err, RF_ERR_USAGE, "%s needs a file: name it as output", format->name);
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

/* Formats without layouts have neither flavor, and those with layouts one of them. */
static int check_flavors(const struct rf_export_options *options,
                         const struct rf_export_format *format, struct rf_err *err)
{
    if (options->nsys2json != NULL && !format->has_layouts)
        return rf_fail(err, RF_ERR_USAGE, "the layout of nsys2json is one of json, not of %s",
                       format->name);
    if (options->kineto != NULL && !format->has_layouts)
        return rf_fail(err, RF_ERR_USAGE, "the flavor kineto is one of json, not of %s",
                       format->name);
    if (options->kineto != NULL && options->nsys2json != NULL)
        return rf_fail(err, RF_ERR_USAGE,
                       "the layout of nsys2json and the flavor kineto exclude each other");
    return RF_OK;
}

/* The caller's options and those that they point to, as this version has them. */
struct export_options {
    struct rf_export_options all;
    struct rf_nsys2json_options nsys2json;
    struct rf_kineto_options kineto;
};

static int take_options(struct export_options *own, const struct rf_export_options *options,
                        struct rf_err *err)
{
    int status = rf_sized_options(&own->all, sizeof(own->all), options, "rf_export_options", err);
    if (status == RF_OK)
        status = rf_sized_options(&own->nsys2json, sizeof(own->nsys2json), own->all.nsys2json,
                                  "rf_nsys2json_options", err);
    if (status == RF_OK)
        status = rf_sized_options(&own->kineto, sizeof(own->kineto), own->all.kineto,
                                  "rf_kineto_options", err);
    if (own->all.nsys2json != NULL)
        own->all.nsys2json = &own->nsys2json;
    if (own->all.kineto != NULL)
        own->all.kineto = &own->kineto;
    return status;
}

int rf_export(const rf_recording *rec, const struct rf_export_options *options, struct rf_err *err)
{
    struct export_options own;
    if (rec == NULL || options == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_export: rec or options is NULL");
    int status = take_options(&own, options, err);
    if (status != RF_OK)
        return status;
    options = &own.all;
    const struct rf_export_format *format = rf_export_find(options->format, err);
    if (format == NULL)
        return RF_ERR_USAGE;
    status = check_flavors(options, format, err);
    if (status != RF_OK)
        return status;
    if (options->output != NULL ? options->output[0] == '\0' : options->write == NULL)
        return rf_fail(err, RF_ERR_USAGE, "no output file was named");
    struct rf_export_job job = {.rec = rec,
                                .options = options,
                                .n_events = rf_get_info(rec)->n_events + rf_count_work(rec),
                                .err = err};
    status = format->write_file != NULL ? export_file(&job, format) : export_text(&job, format);
    if (status == RF_OK && options->progress != NULL)
        (void)options->progress(options->progress_context, 1);
    return status;
}
