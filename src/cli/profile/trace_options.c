/* SPDX-License-Identifier: Apache-2.0 */
/* The values are nsys's. */
#include "cli/profile/trace_options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/option_parser.h"
#include "cli/profile/profile_options.h"
#include "cli/profile/profile_option_table.h"
#include "cli/profile/profile_notes.h"
#include "cli/usage_error.h"
#include "log/cuda.h"

/* What nsys can trace. What apply_trace() does not handle is not recorded by this version. */
static const char *const traces[] = {
    "cuda",
    "nvtx",
    "none",
    "cuda-hw",
    "cuda-sw",
    "cublas",
    "cublas-verbose",
    "cudla",
    "cudla-verbose",
    "cudnn",
    "cusolver",
    "cusolver-verbose",
    "cusparse",
    "cusparse-verbose",
    "dx11",
    "dx11-annotations",
    "dx12",
    "dx12-annotations",
    "gds",
    "mpi",
    "nvmedia",
    "nvvideo",
    "openacc",
    "opengl",
    "opengl-annotations",
    "openmp",
    "openxr",
    "openxr-annotations",
    "oshmem",
    "osrt",
    "python-gil",
    "syscall",
    "tegra-accelerators",
    "ucx",
    "vulkan",
    "vulkan-annotations",
    "wddm",
};
#define N_TRACES (sizeof(traces) / sizeof(traces[0]))

void trace_say_values(void)
{
    printf("recorded: cuda (also cuda-hw, cuda-sw), nvtx; or none\naccepted, and not recorded:");
    for (size_t i = 0; i < N_TRACES; i++)
        if (strncmp(traces[i], "cuda", 4) != 0 && strcmp(traces[i], "nvtx") != 0 &&
            strcmp(traces[i], "none") != 0)
            printf(" %s", traces[i]);
    putchar('\n');
}

static bool is_trace(const char *word)
{
    for (size_t i = 0; i < N_TRACES; i++)
        if (strcmp(word, traces[i]) == 0)
            return true;
    return false;
}

static void apply_trace(struct profile_options *options, const char *word)
{
    struct trace_options *trace = &options->trace;
    char what[128];
    if (strcmp(word, "nvtx") == 0) {
        trace->has_nvtx = true;
    } else if (strncmp(word, "cuda", 4) == 0 && (word[4] == '\0' || word[4] == '-')) {
        trace->has_cuda = trace->is_cuda_explicit = true;
        if (strcmp(word, "cuda-hw") == 0)
            profile_note_not_done(options, "times of the GPU's event system (--trace=cuda-hw): "
                                           "CUDA is recorded as with --trace=cuda");
    } else if (strcmp(word, "none") != 0) {
        (void)snprintf(what, sizeof(what), "%s (--trace)", word);
        profile_note_not_done(options, what);
    }
}

/* The last -t holds. */
static int parse_trace(struct profile_options *options, const struct cli_parser *parser)
{
    struct trace_options *trace = &options->trace;
    trace->has_nvtx = trace->has_cuda = trace->is_cuda_explicit = false;
    trace->given = parser->value;
    for (const char *p = parser->value; *p != '\0';) {
        char word[64];
        size_t length = strcspn(p, ",");
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, p);
        p += length + (p[length] == ',');
        if (!is_trace(word)) {
            const char *near = rf_nearest_name(word, traces, N_TRACES);
            return cli_usage_error(parser->command, "'--trace=%s': '%s' is unknown%s%s%s",
                                   parser->value, word, near != NULL ? "; did you mean '" : "",
                                   near != NULL ? near : "", near != NULL ? "'?" : "");
        }
        apply_trace(options, word);
    }
    return CLI_OK;
}

static int fail(const struct cli_parser *parser, const char *known)
{
    return cli_usage_error(parser->command, "'--%s=%s': '%s' is unknown; known: %s",
                           parser->option->name, parser->value, parser->value, known);
}

static void set_bit(struct trace_options *trace, uint32_t bit, bool is_on)
{
    trace->cuda = is_on ? trace->cuda | bit : trace->cuda & ~bit;
}

/* Newer versions of nsys have, after a colon, where graphs are launched from. */
static int parse_graph(struct profile_options *options, const struct cli_parser *parser)
{
    const char *value = parser->value;
    size_t length = strcspn(value, ":");
    const char *origin = value[length] == ':' ? value + length + 1 : "host-only";
    bool is_node = length == 4 && strncmp(value, "node", 4) == 0;
    bool is_device = strcmp(origin, "host-and-device") == 0;
    if ((!is_node && (length != 5 || strncmp(value, "graph", 5) != 0)) ||
        (!is_device && strcmp(origin, "host-only") != 0))
        return fail(parser, "graph, node, and behind them :host-only or :host-and-device");
    set_bit(&options->trace, RF_CUDA_GRAPH_NODES, is_node);
    options->trace.asks_whole_graphs = !is_node;
    if (is_device)
        profile_note_not_done(options, "graphs that the GPU launches (--cuda-graph-trace)");
    return CLI_OK;
}

static int parse_flush(struct profile_options *options, const struct cli_parser *parser)
{
    char *end;
    errno = 0;
    unsigned long ms = strtoul(parser->value, &end, 10);
    if (parser->value[0] < '0' || parser->value[0] > '9' || *end != '\0' || errno != 0 ||
        ms > 3600000)
        return cli_usage_error(parser->command,
                               "'--%s=%s' is not a number of milliseconds from 0 to 3600000",
                               parser->option->name, parser->value);
    options->trace.cuda_flush_ms = (uint32_t)ms;
    return CLI_OK;
}

/* nsys's auto leaves the choice to nsys; here it means the default, no events. */
static int parse_events(struct profile_options *options, const struct cli_parser *parser)
{
    bool is_on = strcmp(parser->value, "true") == 0;
    if (!is_on && strcmp(parser->value, "false") != 0 && strcmp(parser->value, "auto") != 0)
        return fail(parser, "true, false, auto");
    set_bit(&options->trace, RF_CUDA_EVENT_TRACE, is_on);
    return CLI_OK;
}

int trace_option(struct profile_options *options, const struct cli_parser *parser)
{
    switch ((enum profile_option)parser->option->id) {
    case PROFILE_TRACE:
        return parse_trace(options, parser);
    case PROFILE_CUDA_GRAPHS:
        return parse_graph(options, parser);
    case PROFILE_CUDA_FLUSH:
        return parse_flush(options, parser);
    case PROFILE_CUDA_EVENTS:
        return parse_events(options, parser);
    case PROFILE_CUDA_MEMORY:
        set_bit(&options->trace, RF_CUDA_MEMORY_USAGE, parser->is_true);
        return CLI_OK;
    case PROFILE_CUDA_ALL_APIS:
        set_bit(&options->trace, RF_CUDA_ALL_APIS, parser->is_true);
        return CLI_OK;
    default:
        return CLI_OK;
    }
}

/* Notes options of CUDA that were given while -t excludes cuda. */
static void note_without_cuda(struct profile_options *options)
{
    static const struct {
        uint32_t bit;
        const char *what;
    } wishes[] = {
        {RF_CUDA_MEMORY_USAGE, "CUDA memory usage (--cuda-memory-usage): --trace has no cuda"},
        {RF_CUDA_EVENT_TRACE, "CUDA events (--cuda-event-trace): --trace has no cuda"},
    };
    for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
        if (options->trace.cuda & wishes[i].bit)
            profile_note_not_done(options, wishes[i].what);
}

static void note_without_nvtx(struct profile_options *options)
{
    if (options->pytorch != 0 || options->python_functions != NULL)
        profile_note_not_done(options,
                              options->pytorch != 0
                                  ? "annotations of PyTorch (--pytorch): --trace has no nvtx"
                                  : "Python functions (--python-functions-trace): --trace "
                                    "has no nvtx");
}

/* The recorder decides (cuda_start.c). */
void trace_check_captures(struct profile_options *options)
{
    if (options->config.is_focused && options->trace.has_cuda && options->trace.asks_whole_graphs)
        profile_note_not_done(options, "graphs as a whole in captures (their nodes are)");
}

void trace_check(struct profile_options *options)
{
    const struct trace_options *trace = &options->trace;
    struct session_dir_config *config = &options->config;
    options->records = trace->has_nvtx || trace->has_cuda || options->metrics.is_wanted;
    if (!trace->has_cuda && options->records)
        note_without_cuda(options);
    config->cuda = trace->has_cuda ? trace->cuda | RF_CUDA_IS_WANTED : 0;
    config->cuda_flush_ms = trace->cuda_flush_ms;
    if (trace->has_nvtx)
        return;
    note_without_nvtx(options);
    /* an empty list of domains: none is recorded, and their ranges still begin captures */
    config->filter_mode = RF_FILTER_INCLUDE;
    config->filter_size = 0;
}
