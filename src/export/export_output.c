/* SPDX-License-Identifier: Apache-2.0 */
#include "export/export_output.h"

#include <string.h>

#include "base/error.h"
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
static int open_output(struct rf_output *output, const struct rf_export_options *options,
                       struct rf_err *err)
{
    if (options->output != NULL)
        return rf_output_open(output, options->output, options->can_overwrite, err);
    rf_output_open_function(output, options->write, options->write_context);
    return RF_OK;
}

int rf_text_output_open(struct rf_text_output *to, const struct rf_export_options *options,
                        struct rf_err *err)
{
    bool is_gzip = options->output != NULL && is_gzip_name(options->output);
    memset(to, 0, sizeof(*to));
    int status = open_output(&to->output, options, err);
    if (status != RF_OK)
        return status;
    to->is_open = true;
    if (is_gzip)
        status = rf_gzip_new(&to->gzip, &to->output, err);
    if (status == RF_OK)
        status = rf_sink_init(&to->sink, is_gzip ? rf_gzip_write : write_plain,
                              is_gzip ? (void *)to->gzip : (void *)&to->output, err);
    to->sink.is_raw = options->is_raw;
    return status;
}

int rf_text_output_close(struct rf_text_output *to, int status, struct rf_err *err)
{
    if (!to->is_open)
        return status;
    if (status == RF_OK)
        status = rf_sink_finish(&to->sink);
    if (status == RF_OK && to->gzip != NULL)
        status = rf_gzip_finish(to->gzip, err);
    rf_sink_release(&to->sink);
    rf_gzip_free(to->gzip);
    to->is_open = false;
    if (status == RF_OK)
        return rf_output_commit(&to->output, err);
    rf_output_abandon(&to->output);
    return status;
}

int rf_file_output_open(struct rf_output *output, const struct rf_export_options *options,
                        const struct rf_export_format *format, struct rf_err *err)
{
    const char *path = options->output;
    if (path == NULL)
        return rf_fail(err, RF_ERR_USAGE, "%s needs a file: name it as output", format->name);
    if (strcmp(path, "-") == 0)
        return rf_fail(err, RF_ERR_USAGE, "cannot write %s to standard output: name a file with -o",
                       format->name);
    if (is_gzip_name(path))
        return rf_fail(err, RF_ERR_USAGE, "cannot write '%s': %s is not compressed; leave out .gz",
                       path, format->name);
    int status = rf_output_open(output, path, options->can_overwrite, err);
    if (status != RF_OK || output->temporary != NULL)
        return status;
    rf_output_abandon(output);
    return rf_fail(err, RF_ERR_USAGE, "cannot write '%s': %s needs a regular file", path,
                   format->name);
}
