/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder export: recordings in another format. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/amounts.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/input_part.h"
#include "cli/input_rank.h"
#include "cli/inputs.h"
#include "cli/json_out.h"
#include "cli/merged_output.h"
#include "cli/next.h"
#include "cli/option_parser.h"
#include "cli/output_name.h"
#include "cli/payload_note.h"
#include "cli/progress.h"
#include "cli/progress_option.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/tracks_option.h"
#include "cli/usage_error.h"
#include "cli/verbs/nsys2json.h"
#include "cli/waiting.h"
#include "cli/written.h"

enum {
    OPT_TYPE = 1,
    OPT_OUTPUT,
    OPT_FORCE,
    OPT_QUIET,
    OPT_RAW,
    OPT_IGNORED,
    OPT_GPU_EVENTS,
    OPT_FLAVOR,
    OPT_ANCHOR,
    OPT_RANK,
    OPT_RANK_FROM,
    OPT_TRACKS,
    OPT_BY_PROCESS,
    OPT_NO_DETAILS,
    OPT_NO_FLOWS,
    OPT_JSON,
    OPT_COMPAT,
    OPT_COMPAT_TYPE,
    OPT_COMPAT_PREFIX,
    OPT_COMPAT_COLORS
};

static const struct cli_option options[] = {
    {OPT_TYPE, 't', "type", CLI_ARG_VALUE, "FORMAT,...",
     "Formats of the list below. Default: by the ending of -o, else sqlite.", NULL},
    {OPT_OUTPUT, 'o', "output", CLI_ARG_VALUE, "OUT",
     "Write OUT; - is standard output; an ending .gz compresses. With several formats their "
     "endings are added to it. Default: FILE with another ending.",
     NULL},
    {OPT_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite existing files.", NULL},
    {OPT_QUIET, 'q', "quiet", CLI_ARG_BOOL, NULL, "No progress bar, no messages but errors.", NULL},
    {OPT_JSON, '\0', "json", CLI_ARG_BOOL, NULL,
     "Print one JSON object that says which files were written.", NULL},
    CLI_PROGRESS_OPTION,
    CLI_FILTER_OPTIONS,
    {OPT_COMPAT, '\0', "compat", CLI_ARG_VALUE, "nsys2json",
     "json in the layout of the script nsys2json; the three options below are for it.", NULL},
    {OPT_COMPAT_TYPE, '\0', "activity-type", CLI_ARG_VALUE, "TYPE,...",
     "What to show: kernel, nvtx, nvtx-kernel, cuda-api. Default: kernel,nvtx-kernel.", NULL},
    {OPT_COMPAT_PREFIX, '\0', "nvtx-event-prefix", CLI_ARG_VALUE, "PREFIX",
     "Only ranges whose name begins with PREFIX; may be given several times.", NULL},
    {OPT_COMPAT_COLORS, '\0', "nvtx-color-scheme", CLI_ARG_VALUE, "JSON",
     "An object {\"expression\": \"color\"}: gives a range the color of the first regular "
     "expression "
     "found in its name.",
     NULL},
    {OPT_GPU_EVENTS, '\0', "gpu-events", CLI_ARG_BOOL, NULL,
     "perfetto: write GPU work and counters as events of their own kinds, for which Perfetto has "
     "views since v55; earlier versions show them without names, or not at all.",
     NULL},
    {OPT_FLAVOR, '\0', "flavor", CLI_ARG_VALUE, "perfetto|kineto",
     "json: perfetto (for viewers), or kineto (as PyTorch's profiler writes it, for HTA and "
     "TraceLens). Default: perfetto.",
     NULL},
    {OPT_RANK, '\0', "rank", CLI_ARG_VALUE, "N",
     "kineto: the rank in the job. Default: that of the recording's first process with one, else "
     "0.",
     NULL},
    {OPT_RANK_FROM, '\0', "rank-from", CLI_ARG_VALUE, "VARIABLE|REGEX|order",
     "With several FILEs: the ranks in the names of processes; of one: the rank of "
     "--flavor=kineto, where --rank does not say it. A variable that recordings keep; "
     "the number in the first group of an expression in the path, as in 'rank([0-9]+)'; or the "
     "place in the order of FILEs. Default: the rank that the launcher gave.",
     NULL},
    {OPT_ANCHOR, '\0', "anchor", CLI_ARG_VALUE, "MESSAGE[@DOMAIN]",
     "With several FILEs of several machines: ranges in which all of them wait for the last one. "
     "Their ends put the clocks side by side, as those of collectives do anyway.",
     NULL},
    {OPT_TRACKS, '\0', "tracks", CLI_ARG_VALUE, "domain|category",
     "json, perfetto: the tracks of ranges and marks. category: one for each category; those "
     "without a category as with domain. Default: domain.",
     NULL},
    {OPT_BY_PROCESS, '\0', "by-process", CLI_ARG_BOOL, NULL,
     "json, perfetto, fxt: ranges that ended on another thread cover the calls of all threads of "
     "their process.",
     NULL},
    {OPT_NO_DETAILS, '\0', "no-details", CLI_ARG_BOOL, NULL,
     "json, perfetto, fxt: GPU work without what only kernels, copies, sets and waits have (grid, "
     "registers, bytes, ...), and ranges as the GPU saw them without figures. A trace of many "
     "kernels then loads faster.",
     NULL},
    {OPT_NO_FLOWS, '\0', "no-flows", CLI_ARG_BOOL, NULL,
     "json, perfetto, fxt: no arrows from calls to the GPU work that they caused. A trace of much "
     "work then loads faster, in less memory.",
     NULL},
    {OPT_RAW, '\0', "raw", CLI_ARG_BOOL, NULL,
     "csv, text, folded: write names unchanged, with control characters and text that a "
     "spreadsheet "
     "takes for a formula.",
     NULL},
    {OPT_IGNORED, 'l', "lazy", CLI_ARG_BOOL, NULL, NULL, NULL},
    {OPT_IGNORED, '\0', "separate-strings", CLI_ARG_BOOL, NULL, NULL, NULL},
    {OPT_IGNORED, '\0', "include-blobs", CLI_ARG_BOOL, NULL, NULL, NULL},
    {OPT_IGNORED, '\0', "include-json", CLI_ARG_BOOL, NULL, NULL, NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

#define MAX_FORMATS 16

struct export_request {
    const char *formats[MAX_FORMATS]; /* names that the library owns */
    size_t n_formats;
    const char *output; /* NULL: in the folder of the input */
    bool can_overwrite;
    bool is_quiet;
    bool is_json;
    bool gpu_events;
    bool is_kineto;
    struct rf_kineto_options kineto;
    const char *rank;   /* as given, or NULL */
    const char *anchor; /* likewise */
    struct cli_rank_source rank_source;
    bool tracks_by_category;
    bool by_process;
    bool has_no_details;
    bool has_no_flows;
    bool is_raw;
    struct cli_filter filter;
    bool is_nsys2json;
    struct nsys2json_request nsys2json;
    const char *compat_option; /* one that only --compat=nsys2json has; NULL: none was given */
};

static const char *find_format(const char *name)
{
    const char *known;
    for (size_t i = 0; (known = rf_export_format_at(i, NULL)) != NULL; i++)
        if (strcmp(known, name) == 0)
            return known;
    return NULL;
}

static int fail_format(const struct cli_command *command, const char *name)
{
    const char *known[MAX_FORMATS];
    size_t n = 0;
    for (; n < MAX_FORMATS && (known[n] = rf_export_format_at(n, NULL)) != NULL; n++)
        ;
    const char *near = rf_nearest_name(name, known, n);
    return cli_usage_error(command, "unknown format '%s'%s%s%s", name,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                           near != NULL ? "'?" : "");
}

static int add_formats(struct export_request *request, const struct cli_parser *parser)
{
    for (const char *p = parser->value; *p != '\0';) {
        char word[64];
        size_t length = strcspn(p, ",");
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, p);
        p += length + (p[length] == ',');
        const char *format = find_format(word);
        if (format == NULL)
            return fail_format(parser->command, word);
        if (request->n_formats < MAX_FORMATS)
            request->formats[request->n_formats++] = format;
    }
    return CLI_OK;
}

/* false, after a message: the path is too long. */
static bool name_output(const struct export_request *request, const char *input, const char *format,
                        char *path, size_t size)
{
    const bool is_given = request->output != NULL && request->n_formats == 1;
    char base[PATH_MAX];
    cli_recording_base(base, sizeof(base), input);
    int n = snprintf(path, size, "%s%s%s", request->output != NULL ? request->output : base,
                     is_given ? "" : ".", is_given ? "" : rf_export_extension(format));
    if (n >= 0 && (size_t)n < size)
        return true;
    cli_say("the name of the output is too long: choose a shorter one with -o");
    return false;
}

static struct rf_export_options options_of(const struct export_request *request, const char *format,
                                           const char *path)
{
    return (struct rf_export_options){
        .size = sizeof(struct rf_export_options),
        .format = format,
        .output = path,
        .can_overwrite = request->can_overwrite,
        .nsys2json = request->is_nsys2json ? &request->nsys2json.options : NULL,
        .gpu_events = request->gpu_events,
        .kineto = request->is_kineto ? &request->kineto : NULL,
        .tracks_by_category = request->tracks_by_category,
        .by_process = request->by_process,
        .is_raw = request->is_raw,
        .no_flows = request->has_no_flows,
        .no_figures = request->has_no_details,
    };
}

static void say_written(const struct export_request *request, const char *path)
{
    struct stat st;
    char size[32];
    if (request->is_quiet || strcmp(path, "-") == 0)
        return;
    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
        cli_say("wrote '%s': %s", path, rf_format_size(size, sizeof(size), (uint64_t)st.st_size));
    else
        cli_say("wrote '%s'", path); /* a pipe, a device */
}

/* Whether `rangefinder open` takes the output: it knows a trace by the ending of its name. */
static bool is_openable(const char *format, const char *path)
{
    const char *named = rf_export_format_of(path);
    return named != NULL && strcmp(named, format) == 0 && rf_export_is_trace(format);
}

static int export_one(const struct export_request *request, const rf_recording *rec,
                      const char *format, const char *path)
{
    struct cli_progress progress;
    struct rf_err err;
    cli_progress_begin(&progress, "exporting");
    progress.is_terminal &= !request->is_quiet;
    struct rf_export_options export_options = options_of(request, format, path);
    export_options.progress = cli_progress_update;
    export_options.progress_context = &progress;
    int status = rf_export(rec, &export_options, &err);
    cli_progress_end(&progress);
    if (status != RF_OK) {
        cli_say("%s", err.text);
        return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
    }
    if (!request->is_quiet && strcmp(format, "csv") == 0)
        cli_say_payloads_left_out(rec);
    say_written(request, path);
    return CLI_OK;
}

/* The files, for programs, or the next command, for people. input: as name_output() has it. */
static int say_outputs(const struct export_request *request, const char *input)
{
    char path[MAX_FORMATS][PATH_MAX + 64];
    struct cli_written_file file[MAX_FORMATS];
    const char *next = NULL;
    for (size_t i = 0; i < request->n_formats; i++) {
        if (!name_output(request, input, request->formats[i], path[i], sizeof(path[i])))
            return CLI_FAILED;
        file[i] = (struct cli_written_file){path[i], request->formats[i], false};
        if (next == NULL && is_openable(request->formats[i], path[i]))
            next = path[i];
    }
    if (request->is_json)
        return cli_written_print("export", file, request->n_formats, "open", next);
    if (next != NULL && !request->is_quiet)
        cli_say_next("open", next);
    return CLI_OK;
}

/* ---- --compat=nsys2json ---- */

static int add_activities(struct export_request *request, const struct cli_parser *parser)
{
    for (const char *p = parser->value; *p != '\0';) {
        char word[64];
        size_t length = strcspn(p, ",");
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, p);
        p += length + (p[length] == ',');
        unsigned activity = nsys2json_activity(word);
        if (activity == 0)
            return cli_usage_error(parser->command,
                                   "unknown activity '%s'; there are kernel, nvtx, nvtx-kernel and "
                                   "cuda-api",
                                   word);
        request->nsys2json.options.activities |= activity;
    }
    return CLI_OK;
}

static int parse_compat_option(struct export_request *request, int id,
                               const struct cli_parser *parser)
{
    if (id == OPT_COMPAT) {
        request->is_nsys2json = strcmp(parser->value, "nsys2json") == 0;
        return request->is_nsys2json
                   ? CLI_OK
                   : cli_usage_error(parser->command, "--compat takes nsys2json, not '%s'",
                                     parser->value);
    }
    request->compat_option = parser->option->name;
    if (id == OPT_COMPAT_TYPE)
        return add_activities(request, parser);
    if (id == OPT_COMPAT_PREFIX)
        return nsys2json_add_prefix(&request->nsys2json, parser->value);
    request->nsys2json.options.color_scheme = parser->value;
    return CLI_OK;
}

/* ---- --flavor=kineto ---- */

static int parse_flavor(struct export_request *request, const struct cli_parser *parser)
{
    request->is_kineto = strcmp(parser->value, "kineto") == 0;
    if (request->is_kineto || strcmp(parser->value, "perfetto") == 0)
        return CLI_OK;
    return cli_usage_error(parser->command, "unknown flavor '%s': there are perfetto and kineto",
                           parser->value);
}

static int parse_rank(struct export_request *request, const struct cli_parser *parser)
{
    size_t n = strspn(parser->value, "0123456789");
    if (n == 0 || n > 9 || parser->value[n] != '\0')
        return cli_usage_error(parser->command, "--rank takes a number, not '%s'", parser->value);
    request->rank = parser->value;
    request->kineto.rank = strtol(parser->value, NULL, 10);
    return CLI_OK;
}

/* The format of --flavor is json. */
static int check_flavor(const struct cli_command *command, struct export_request *request)
{
    if (request->rank != NULL && !request->is_kineto)
        return cli_usage_error(command, "'--rank' is for --flavor=kineto");
    if (!request->is_kineto)
        return CLI_OK;
    if (request->is_nsys2json)
        return cli_usage_error(command, "--compat=nsys2json has no flavor");
    if (request->n_formats == 0)
        request->formats[request->n_formats++] = find_format("json");
    if (request->n_formats > 1 || strcmp(request->formats[0], "json") != 0)
        return cli_usage_error(command, "--flavor=kineto is for '-t json' alone");
    return CLI_OK;
}

/* Both mean JSON in the layout of another tool. */
static int check_layout(const struct cli_command *command, const struct export_request *request)
{
    const char *refused = request->has_no_details       ? "--no-details"
                          : request->has_no_flows       ? "--no-flows"
                          : request->by_process         ? "--by-process"
                          : request->tracks_by_category ? "--tracks=category"
                          : request->gpu_events         ? "--gpu-events"
                                                        : NULL;
    if (refused == NULL || (!request->is_nsys2json && !request->is_kineto))
        return CLI_OK;
    return cli_usage_error(command, "'%s' is not for %s", refused,
                           request->is_kineto ? "--flavor=kineto" : "--compat=nsys2json");
}

/* Checks that the options fit together; the format of --compat is json. */
static int check_compat(const struct cli_command *command, struct export_request *request)
{
    if (!request->is_nsys2json && request->compat_option != NULL)
        return cli_usage_error(command, "'--%s' is for --compat=nsys2json", request->compat_option);
    if (request->is_nsys2json && request->n_formats == 0)
        request->formats[request->n_formats++] = find_format("json");
    if (request->is_nsys2json &&
        (request->n_formats > 1 || strcmp(request->formats[0], "json") != 0))
        return cli_usage_error(command, "--compat=nsys2json is for '-t json' alone");
    return CLI_OK;
}

/* "json, perfetto and fxt" */
static void list_traces(char *text, size_t size)
{
    const char *name, *trace[MAX_FORMATS];
    size_t n = 0, used = 0;
    for (size_t i = 0; n < MAX_FORMATS && (name = rf_export_format_at(i, NULL)) != NULL; i++)
        if (rf_export_is_trace(name))
            trace[n++] = name;
    text[0] = '\0';
    for (size_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i == 0      ? ""
                                 : i + 1 < n ? ", "
                                             : " and ",
                                 trace[i]);
}

/* A database without details would say that they are 0; flows are of traces alone. */
static int check_traces(const struct cli_command *command, const struct export_request *request)
{
    const char *option = request->has_no_details ? "--no-details"
                         : request->has_no_flows ? "--no-flows"
                                                 : NULL;
    char traces[128];
    for (size_t i = 0; i < request->n_formats && option != NULL; i++)
        if (!rf_export_is_trace(request->formats[i])) {
            list_traces(traces, sizeof(traces));
            return cli_usage_error(command, "'%s' is for %s, not for %s", option, traces,
                                   request->formats[i]);
        }
    return CLI_OK;
}

/* Whether one of the formats is in a list of names, with ", " between them. */
static bool is_one_of(const struct export_request *request, const char *names)
{
    for (size_t i = 0; i < request->n_formats; i++) {
        const size_t size = strlen(request->formats[i]);
        for (const char *name = names; *name != '\0'; name += strspn(name, ", ")) {
            const size_t n = strcspn(name, ",");
            if (n == size && memcmp(name, request->formats[i], size) == 0)
                return true;
            name += n;
        }
    }
    return false;
}

/* Options that none of the formats follows. */
static int check_used(const struct cli_command *command, const struct export_request *request)
{
    const struct {
        bool is_set;
        const char *option, *formats;
    } of[] = {
        {request->tracks_by_category, "--tracks=category", "json, perfetto"},
        {request->gpu_events, "--gpu-events", "perfetto"},
        {request->by_process, "--by-process", "json, perfetto, fxt"},
        {request->is_raw, "--raw", "csv, text, folded"},
    };
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
        if (of[i].is_set && !is_one_of(request, of[i].formats))
            return cli_usage_error(command, "'%s' is for %s, not for %s", of[i].option,
                                   of[i].formats, request->formats[0]);
    return CLI_OK;
}

static unsigned open_flags(const struct export_request *request)
{
    return request->has_no_details ? RF_OPEN_NO_DETAILS : 0;
}

/* Options that are words of a list. */
static int parse_words(struct export_request *request, int id, const struct cli_parser *parser)
{
    switch (id) {
    case OPT_TYPE:
        return add_formats(request, parser);
    case OPT_FLAVOR:
        return parse_flavor(request, parser);
    case OPT_RANK:
        return parse_rank(request, parser);
    case OPT_ANCHOR:
        request->anchor = parser->value;
        return CLI_OK;
    case OPT_RANK_FROM:
        return cli_rank_source_set(&request->rank_source, parser);
    case OPT_TRACKS:
        return cli_parse_tracks(parser, &request->tracks_by_category);
    default:
        return id >= OPT_COMPAT ? parse_compat_option(request, id, parser) : CLI_OK;
    }
}

static int parse(struct export_request *request, struct cli_parser *parser)
{
    int id;
    while ((id = cli_parser_next(parser)) > 0) {
        if (cli_filter_option(&request->filter, id, parser)) {
            if (parser->status != CLI_OK)
                return -1;
            continue;
        }
        if (id == OPT_OUTPUT)
            request->output = parser->value;
        else if (id == OPT_FORCE)
            request->can_overwrite = parser->is_true;
        else if (id == OPT_QUIET)
            request->is_quiet = parser->is_true;
        else if (id == OPT_JSON)
            request->is_json = parser->is_true;
        else if (id == OPT_GPU_EVENTS)
            request->gpu_events = parser->is_true;
        else if (id == OPT_BY_PROCESS)
            request->by_process = parser->is_true;
        else if (id == OPT_NO_DETAILS)
            request->has_no_details = parser->is_true;
        else if (id == OPT_NO_FLOWS)
            request->has_no_flows = parser->is_true;
        else if (id == OPT_RAW)
            request->is_raw = parser->is_true;
        parser->status = parse_words(request, id, parser);
        if (parser->status != CLI_OK)
            return -1;
    }
    return id;
}

/* Takes the rank that --rank-from gives the only FILE. */
static int take_rank(struct export_request *request, const rf_recording *rec, const char *input)
{
    if (request->rank_source.from == CLI_RANK_KNOWN)
        return CLI_OK;
    const int64_t rank = cli_input_rank(&request->rank_source, rec, input, 0);
    if (request->kineto.rank < 0)
        request->kineto.rank = rank;
    return cli_rank_source_check(&request->rank_source, rank >= 0, 1, request->is_quiet);
}

static int export_all(struct export_request *request, const char *input)
{
    struct cli_part part;
    const struct cli_part_request of = {
        input, 0, open_flags(request), &request->filter, &request->rank_source, NULL};
    if (request->is_quiet)
        cli_waiting_quiet();
    int status = cli_input_part_open(&part, &of, NULL);
    if (status == CLI_OK && part.shown == NULL)
        status = cli_say_no_rank(&request->filter);
    if (status != CLI_OK)
        return status;
    status = take_rank(request, part.shown, input);
    for (size_t i = 0; i < request->n_formats && status == CLI_OK; i++) {
        char path[PATH_MAX + 64];
        if (!name_output(request, input, request->formats[i], path, sizeof(path)) ||
            cli_is_input(path, input)) {
            status = CLI_FAILED;
            break;
        }
        status = export_one(request, part.shown, request->formats[i], path);
    }
    cli_part_close(&part);
    return status == CLI_OK ? say_outputs(request, input) : status;
}

/* ---- Several inputs ---- */

static bool is_any_input(const char *path, const struct cli_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        if (cli_is_input(path, inputs->input[i].path))
            return true;
    return false;
}

static int export_merged(const struct export_request *request, const struct cli_inputs *inputs)
{
    struct cli_merged_output merged = {.inputs = inputs,
                                       .filter = &request->filter,
                                       .rank_source = &request->rank_source,
                                       .what = "exporting",
                                       .is_quiet = request->is_quiet,
                                       .anchor = request->anchor,
                                       .open_flags = open_flags(request),
                                       .n = request->n_formats};
    char path[MAX_FORMATS][PATH_MAX];
    if (request->is_quiet)
        cli_waiting_quiet();
    for (size_t i = 0; i < request->n_formats; i++) {
        if (!name_output(request, "", request->formats[i], path[i], sizeof(path[i])) ||
            is_any_input(path[i], inputs))
            return CLI_FAILED;
        merged.options[i] = options_of(request, request->formats[i], path[i]);
    }
    int status = cli_merge(&merged);
    for (size_t i = 0; i < request->n_formats && status == CLI_OK; i++)
        say_written(request, path[i]);
    return status == CLI_OK ? say_outputs(request, "") : status;
}

static int export_inputs(struct export_request *request, const struct cli_parser *parser)
{
    struct cli_inputs inputs = {.are_merged = true};
    int status = cli_inputs_list(&inputs, parser);
    if (status == CLI_OK && inputs.are_many && request->output == NULL)
        status = cli_usage_error(parser->command, "name the file of several inputs with -o OUT");
    else if (status == CLI_OK && inputs.n > 1)
        status = export_merged(request, &inputs);
    else if (status == CLI_OK && inputs.n == 1)
        status = export_all(request, inputs.input[0].path);
    cli_inputs_release(&inputs);
    return status;
}

static int run_request(const struct cli_command *command, struct export_request *request,
                       struct cli_parser *parser)
{
    if (parse(request, parser) != 0)
        return parser->status;
    if (check_compat(command, request) != CLI_OK || check_flavor(command, request) != CLI_OK ||
        check_layout(command, request) != CLI_OK)
        return CLI_USAGE;
    if (request->n_formats == 0) {
        const char *named = rf_export_format_of(request->output != NULL ? request->output : "");
        request->formats[request->n_formats++] =
            named != NULL ? named : rf_export_format_at(0, NULL);
    }
    if (check_traces(command, request) != CLI_OK || check_used(command, request) != CLI_OK)
        return CLI_USAGE;
    if (request->is_json && request->output != NULL && strcmp(request->output, "-") == 0)
        return cli_usage_error(command, "--json and '-o -' both write to standard output");
    if (request->n_formats > 1 && request->output != NULL && strcmp(request->output, "-") == 0)
        return cli_usage_error(command, "'-o -' takes one format only");
    if (request->n_formats > 1 && request->output != NULL &&
        !cli_output_names_file(request->output))
        return cli_usage_error(command, "-o: '%s' names no file", request->output);
    return export_inputs(request, parser);
}

static int export_run(const struct cli_command *command, int argc, char **argv)
{
    struct export_request request;
    struct cli_parser parser;
    memset(&request, 0, sizeof(request));
    request.kineto.size = sizeof(request.kineto);
    request.kineto.rank = -1;
    request.nsys2json.options.size = sizeof(request.nsys2json.options);
    cli_filter_init(&request.filter);
    cli_parser_init(&parser, command, argc, argv);
    int status = run_request(command, &request, &parser);
    nsys2json_release(&request.nsys2json);
    cli_rank_source_release(&request.rank_source);
    return status;
}

static void print_formats(void)
{
    const char *name, *description;
    printf("\nformats:\n");
    for (size_t i = 0; (name = rf_export_format_at(i, &description)) != NULL; i++)
        printf("  %-11s %s (.%s)\n", name, description, rf_export_extension(name));
}

const struct cli_command cli_cmd_export = {
    .name = "export",
    .summary = "write recordings in another format",
    .synopsis = "[options] FILE...",
    .operands = "RECORDING...",
    .description =
        "Writes the recording FILE (NAME.rf, a session directory, what nsys exported or "
        "torch.profiler wrote)\nin other formats. Several, or a folder of them, go into one file "
        "(sqlite, json, perfetto, html), on\none clock.",
    .options = options,
    .print_list = print_formats,
    .run = export_run,
};
