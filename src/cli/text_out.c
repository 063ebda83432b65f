/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/text_out.h"

static int flush(void *context, const void *data, size_t size, struct rf_err *err)
{
    return rf_output_write(context, data, size, err);
}

int text_begin_file(struct text_out *text, const char *path, bool can_overwrite, struct rf_err *err)
{
    int status = rf_output_open(&text->output, path, can_overwrite, err);
    if (status != RF_OK)
        return status;
    status = rf_sink_init(&text->sink, flush, &text->output, err);
    if (status != RF_OK)
        text_abandon(text);
    return status;
}

int text_begin(struct text_out *text, struct rf_err *err)
{
    return text_begin_file(text, "-", false, err);
}

void text_abandon(struct text_out *text)
{
    rf_sink_release(&text->sink);
    rf_output_abandon(&text->output);
}

int text_end(struct text_out *text, struct rf_err *err)
{
    int status = rf_sink_finish(&text->sink);
    rf_sink_release(&text->sink);
    if (status == RF_OK)
        return rf_output_commit(&text->output, err);
    rf_output_abandon(&text->output);
    return status;
}
