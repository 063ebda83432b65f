/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/each_recording.h"

#include "cli/command.h"
#include "cli/input_part.h"
#include "cli/overlaps.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "rangefinder/summary.h"

static int add_part(struct cli_each *each, const struct cli_part *part, const char *path)
{
    struct rf_err err;
    struct cli_waiting waiting;
    cli_waiting_begin(&waiting, "reading '%.80s'", path);
    int status = each->add(each->context, part->shown, path, &err);
    cli_waiting_end(&waiting);
    each->n_added += status == RF_OK;
    if (status == RF_ERR_NOT_FOUND && each->none.text[0] == '\0')
        each->none = err;
    if (status == RF_OK || status == RF_ERR_NOT_FOUND)
        return CLI_OK;
    if (status == RF_ERR_EXISTS) {
        cli_say("%s", err.text);
        return CLI_OK;
    }
    cli_say("%s: %s", path, err.text);
    return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
}

static int add_input(struct cli_each *each, const char *path, size_t place)
{
    static const struct cli_rank_source known;
    struct cli_part part;
    const struct cli_part_request of = {path,         place,  RF_OPEN_NO_SAMPLES,
                                        each->filter, &known, NULL};
    if (rf_is_summary(path)) {
        cli_say("'%s' is a summary, which has no %s: give the recordings that it is of", path,
                each->lacks);
        each->has_failed = true;
        return CLI_OK;
    }
    int status = cli_input_part_open(&part, &of, NULL);
    if (status == CLI_FAILED) {
        each->has_failed = true;
        return CLI_OK;
    }
    if (status != CLI_OK || part.shown == NULL)
        return status;
    cli_overlaps_note(part.whole, path);
    status = add_part(each, &part, path);
    cli_part_close(&part);
    return status;
}

int cli_each_recording(struct cli_each *each, const struct cli_inputs *inputs)
{
    int status = CLI_OK;
    for (size_t i = 0; i < inputs->n && status == CLI_OK; i++)
        status = add_input(each, inputs->input[i].path, i);
    return status;
}

int cli_each_say_none(const struct cli_each *each)
{
    if (each->none.text[0] != '\0') {
        cli_say("%s", each->none.text);
        return CLI_FAILED;
    }
    return each->has_failed || each->filter->options.ranks == NULL ? CLI_FAILED
                                                                   : cli_say_no_rank(each->filter);
}
