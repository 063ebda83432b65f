/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress_option.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_sink.h"
#include "cli/json_out.h"
#include "cli/option_parser.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "log/ticks.h"

static enum form { AUTO, AS_JSON, NONE } form; /* set before there are threads */

static const char *const values[] = {"auto", "json", "none"};

int cli_progress_set(const struct cli_parser *parser)
{
    for (int i = AUTO; i <= NONE; i++)
        if (strcmp(parser->value, values[i]) == 0) {
            form = i;
            return CLI_OK;
        }
    return cli_usage_error(parser->command, "--progress: '%s' is none of auto, json, none",
                           parser->value);
}

bool cli_progress_is_none(void)
{
    return form == NONE;
}

bool cli_progress_is_json(void)
{
    return form == AS_JSON;
}

const char *cli_progress_value(void)
{
    return values[form];
}

void cli_progress_line(const char *event, const char *what, double done, int64_t begin_ns)
{
    struct rf_text_sink line;
    struct json_out json;
    char *text = NULL;
    if (rf_text_sink_init(&line) == RF_OK) {
        json_begin_within(&json, "progress", &line.sink);
        json_text(&json, "event", event);
        json_text(&json, "what", what);
        if (done < 0)
            json_null(&json, "done");
        else
            json_double(&json, "done", done > 1 ? 1 : done);
        json_i64(&json, "elapsed_ms", (rf_clock_ns(CLOCK_MONOTONIC) - begin_ns) / 1000000);
        json_close(&json, '}');
        rf_sink_char(&line.sink, '\n');
        text = rf_text_sink_take(&line);
    }
    if (text != NULL)
        cli_say_text(text, strlen(text));
    free(text);
    rf_text_sink_release(&line);
}
