/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/gpu_metrics_output.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/width.h"
#include "cli/command.h"
#include "cli/say.h"

static int flush(void *context, const void *data, size_t size, struct rf_err *err)
{
    (void)context;
    (void)err;
    (void)fwrite(data, 1, size, stdout); /* main() reports what is wrong with it */
    return RF_OK;
}

int gpu_metrics_open_output(struct rf_sink *sink)
{
    if (rf_sink_init(sink, flush, NULL, NULL) == RF_OK)
        return CLI_OK;
    cli_say("out of memory");
    return CLI_FAILED;
}

int gpu_metrics_close_output(struct rf_sink *sink, int status)
{
    (void)rf_sink_finish(sink);
    rf_sink_release(sink);
    return status;
}

void gpu_metrics_put_cell(struct rf_sink *sink, const char *text, size_t width)
{
    size_t size = strlen(text), columns = rf_utf8_columns(text, size);
    rf_sink_printable(sink, text, size);
    rf_sink_pad(sink, columns < width ? width - columns + 1 : 1);
}

void gpu_metrics_put_count(struct rf_sink *sink, size_t n, const char *one, const char *many)
{
    rf_sink_u64(sink, n);
    rf_sink_char(sink, ' ');
    rf_sink_text(sink, n == 1 ? one : many);
}
