/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/filter_options.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rank_list.h"
#include "cli/command.h"
#include "cli/option_parser.h"
#include "cli/waiting.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/usage_error.h"

void cli_filter_init(struct cli_filter *filter)
{
    *filter = (struct cli_filter){.options = RF_FILTER_OPTIONS_INIT};
}

static void add_payload(struct cli_filter *filter, struct cli_parser *parser)
{
    struct rf_filter_options *options = &filter->options;
    if (options->n_payloads == CLI_MAX_PAYLOAD_FILTERS) {
        parser->status = cli_usage_error(parser->command, "more than %d options --filter-payload",
                                         CLI_MAX_PAYLOAD_FILTERS);
        return;
    }
    options->payloads = filter->payload;
    filter->payload[options->n_payloads++] = parser->value;
}

static void set_ranks(struct cli_filter *filter, struct cli_parser *parser)
{
    struct rf_err err;
    if (rf_rank_list_check(parser->value, &err) != RF_OK)
        parser->status = cli_usage_error(parser->command, "--filter-rank: %s", err.text);
    filter->options.ranks = parser->value;
}

bool cli_import_flags(const char *value, unsigned *flags)
{
    static const struct {
        const char *value;
        unsigned flags;
    } known[] = {{"auto", 0}, {"pages", RF_OPEN_PAGES}, {"library", RF_OPEN_LIBRARY}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(value, known[i].value) != 0)
            continue;
        *flags = known[i].flags;
        return true;
    }
    return false;
}

static void set_import(struct cli_filter *filter, struct cli_parser *parser)
{
    if (!cli_import_flags(parser->value, &filter->open_flags))
        parser->status = cli_usage_error(
            parser->command, "--import takes auto, pages or library, not '%s'", parser->value);
}

bool cli_filter_option(struct cli_filter *of, int id, struct cli_parser *parser)
{
    struct rf_filter_options *filter = &of->options;
    switch (id) {
    case CLI_FILTER_TIME:
        filter->time = parser->value;
        return true;
    case CLI_FILTER_NVTX:
        filter->nvtx = parser->value;
        return true;
    case CLI_FILTER_PROCESS:
        filter->processes = parser->value;
        return true;
    case CLI_FILTER_GPU:
        filter->gpus = parser->value;
        return true;
    case CLI_FILTER_ACTIVITY:
        filter->activities = parser->value;
        return true;
    case CLI_FILTER_NAME:
        filter->names = parser->value;
        return true;
    case CLI_FILTER_KERNEL:
        filter->kernels = parser->value;
        return true;
    case CLI_FILTER_RANK:
        set_ranks(of, parser);
        return true;
    case CLI_FILTER_THREAD:
        filter->threads = parser->value;
        return true;
    case CLI_FILTER_PAYLOAD:
        add_payload(of, parser);
        return true;
    case CLI_IMPORT:
        set_import(of, parser);
        return true;
    default:
        return false;
    }
}

bool cli_set_cut_ranges(struct cli_filter *filter, bool *marks, struct cli_parser *parser)
{
    const bool is_left_out = strcmp(parser->value, "leave-out") == 0,
               is_marked = marks != NULL && strcmp(parser->value, "mark") == 0;
    if (!is_left_out && !is_marked && strcmp(parser->value, "count") != 0) {
        parser->status = cli_usage_error(
            parser->command, "--cut-ranges takes count%s leave-out%s, not '%.60s'",
            marks != NULL ? "," : " or", marks != NULL ? " or mark" : "", parser->value);
        return false;
    }
    filter->options.without_cut = is_left_out;
    if (marks != NULL)
        *marks = is_marked;
    return true;
}

static bool is_any(const struct rf_filter_options *filter)
{
    return filter->time != NULL || filter->nvtx != NULL || filter->processes != NULL ||
           filter->gpus != NULL || filter->activities != NULL || filter->names != NULL ||
           filter->kernels != NULL || filter->n_payloads > 0 || filter->ranks != NULL ||
           filter->threads != NULL || filter->without_cut;
}

bool cli_filter_is_any(const struct cli_filter *filter)
{
    return is_any(&filter->options);
}

bool cli_filter_is_within(const struct cli_filter *filter)
{
    struct rf_filter_options others = filter->options;
    others.ranks = NULL;
    return is_any(&others);
}

/* Adds an option; frees the text where there is no memory. */
static void add_option(char **text, const char *name, const char *value)
{
    char *longer = NULL;
    if (value == NULL || *text == NULL)
        return;
    if (asprintf(&longer, "%s%s--%s=%s", *text, **text != '\0' ? " " : "", name, value) < 0)
        longer = NULL;
    free(*text);
    *text = longer;
}

char *cli_filter_text(const struct cli_filter *filter, bool with_rank)
{
    const struct rf_filter_options *of = &filter->options;
    char *text = strdup("");
    add_option(&text, "filter-time", of->time);
    add_option(&text, "filter-nvtx", of->nvtx);
    add_option(&text, "filter-process", of->processes);
    add_option(&text, "filter-rank", with_rank ? of->ranks : NULL);
    add_option(&text, "filter-thread", of->threads);
    add_option(&text, "filter-gpu", of->gpus);
    add_option(&text, "activity", of->activities);
    add_option(&text, "filter-name", of->names);
    add_option(&text, "filter-kernel", of->kernels);
    for (size_t i = 0; i < of->n_payloads; i++)
        add_option(&text, "filter-payload", of->payloads[i]);
    add_option(&text, "cut-ranges", of->without_cut ? "leave-out" : NULL);
    return text;
}

/* Samples are not read where the filter excludes them. */
static unsigned flags_for(const struct rf_filter_options *filter)
{
    bool has_samples = filter->activities == NULL ||
                       strstr(filter->activities, "gpu-metrics") != NULL ||
                       strstr(filter->activities, "nvtx") != NULL; /* NVTX has counters too */
    return has_samples ? 0 : RF_OPEN_NO_SAMPLES;
}

struct cli_opening cli_filter_opening(const struct cli_filter *filter, const char *path,
                                      unsigned flags, const struct rf_alignment *alignment)
{
    const struct rf_filter_options *options = &filter->options;
    return (struct cli_opening){
        .path = path,
        .flags = flags | flags_for(options) | filter->open_flags,
        .alignment = alignment,
        .options = is_any(options) || options->group_by != NULL ? options : NULL,
    };
}

int cli_part_open_whole(struct cli_part *part, const struct cli_opening *of,
                        struct cli_open_ahead *ahead)
{
    part->whole = part->shown = cli_open_recording_by(of, ahead);
    return part->whole != NULL ? CLI_OK : CLI_FAILED;
}

int cli_part_select(struct cli_part *part, const char *path, const struct cli_filter *of)
{
    const struct rf_filter_options *filter = &of->options;
    struct rf_err err;
    if (!is_any(filter))
        return CLI_OK;
    struct cli_waiting waiting;
    cli_waiting_begin(&waiting, "filtering '%.80s'", path);
    int status = rf_filter(part->whole, filter, &part->shown, &err);
    cli_waiting_end(&waiting);
    if (status == RF_OK)
        return CLI_OK;
    cli_say("%s", err.text);
    cli_part_close(part);
    return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
}

int cli_part_open(struct cli_part *part, const char *path, unsigned flags,
                  const struct cli_filter *filter)
{
    const struct cli_opening of = cli_filter_opening(filter, path, flags, NULL);
    int status = cli_part_open_whole(part, &of, NULL);
    return status == CLI_OK ? cli_part_select(part, path, filter) : status;
}

void cli_part_close(struct cli_part *part)
{
    if (part->shown != part->whole)
        rf_close(part->shown);
    rf_close(part->whole);
    part->whole = part->shown = NULL;
}
