/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/profile_options.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cli/command.h"
#include "cli/gpu_metrics/gpu_metrics_options.h"
#include "cli/option_parser.h"
#include "cli/output_name.h"
#include "cli/own_rank.h"
#include "cli/profile/focus_options.h"
#include "cli/profile/functions_file.h"
#include "cli/profile/profile_notes.h"
#include "cli/profile/profile_option_table.h"
#include "cli/profile/profile_option_values.h"
#include "cli/profile/run_facts.h"
#include "cli/profile/pytorch.h"
#include "cli/profile/trace_options.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "cli/words_file.h"

/* Export formats of nsys that are not ours. */
static const char *const foreign_exports[] = {"hdf",        "arrow",     "arrowdir",
                                              "parquetdir", "jsonlines", "none"};

static bool is_one_of(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Adds a copy of length bytes to an array of strings that ends with NULL. */
static int add_string(char ***list, size_t *n, size_t *room, const char *text, size_t length)
{
    if (rf_grow_array(list, *n + 1, room, sizeof(**list)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    (*list)[*n] = strndup(text, length);
    if ((*list)[*n] == NULL)
        return RF_ERR_NO_MEMORY;
    (*list)[++*n] = NULL;
    return RF_OK;
}

/* ---- Values ---- */

static int fail(const struct cli_parser *parser, const char *word, const char *known)
{
    return cli_usage_error(parser->command, "'--%s=%s': '%s' is unknown; known: %s",
                           parser->option->name, parser->value, word, known);
}

/* The length of the assignment at p: it ends at a comma that is followed by another one. */
static size_t assignment_length(const char *p)
{
    for (size_t i = 0; p[i] != '\0'; i++) {
        if (p[i] != ',')
            continue;
        size_t name = i + 1;
        while (isalnum((unsigned char)p[name]) || p[name] == '_')
            name++;
        if (name > i + 1 && p[name] == '=')
            return i;
    }
    return strlen(p);
}

static int parse_env(struct profile_options *options, const struct cli_parser *parser)
{
    for (const char *p = parser->value; *p != '\0';) {
        size_t length = assignment_length(p);
        if (memchr(p, '=', length) == NULL || *p == '=')
            return cli_usage_error(parser->command, "'--env-var=%s': '%.*s' is not NAME=VALUE",
                                   parser->value, (int)length, p);
        if (add_string(&options->env, &options->n_env, &options->env_room, p, length) != RF_OK)
            return cli_usage_error(parser->command, "out of memory");
        p += length + (p[length] == ',');
    }
    return CLI_OK;
}

static int parse_export(struct profile_options *options, const struct cli_parser *parser)
{
    for (const char *p = parser->value; *p != '\0';) {
        char word[64], what[96];
        size_t length = strcspn(p, ",");
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, p);
        p += length + (p[length] == ',');
        if (rf_export_extension(word) != NULL) {
            if (add_string(&options->exports, &options->n_exports, &options->export_room, word,
                           strlen(word)) != RF_OK)
                return cli_usage_error(parser->command, "out of memory");
        } else if (!is_one_of(word, foreign_exports, N_OF(foreign_exports))) {
            return cli_usage_error(parser->command,
                                   "'--export=%s': '%s' is unknown; 'rangefinder export -h' lists "
                                   "the formats",
                                   parser->value, word);
        } else if (strcmp(word, "none") != 0) {
            (void)snprintf(what, sizeof(what), "a file in the format %s (--export)", word);
            profile_note_not_done(options, what);
        }
    }
    return CLI_OK;
}

/* Adds one name of a domain list to the filter. Returns the position after it, or NULL where it
 * does not fit. */
static const char *add_domain(struct session_dir_config *config, const char *p)
{
    size_t begin = config->filter_size, at = begin;
    bool is_escaped = false;
    while (*p != '\0' && *p != ',') {
        if (*p == '\\' && p[1] != '\0') {
            is_escaped = true;
            p++;
        }
        if (at + 2 > sizeof(config->filter))
            return NULL;
        config->filter[at++] = *p++;
    }
    config->filter[at] = '\0';
    if (!is_escaped && strcmp(config->filter + begin, "default") == 0) {
        at = begin;
        config->filter[at++] = '\1'; /* docs/format.md, section 7: the default domain */
    }
    if (at > begin) { /* an empty name between two commas is ignored */
        config->filter[at++] = '\0';
        config->filter_size = (uint32_t)at;
    }
    return p;
}

static int parse_domains(struct profile_options *options, const struct cli_parser *parser,
                         uint32_t mode)
{
    struct session_dir_config *config = &options->config;
    if (config->filter_mode != RF_FILTER_NONE && config->filter_mode != mode)
        return cli_usage_error(parser->command, "--nvtx-domain-include and --nvtx-domain-exclude "
                                                "exclude each other");
    config->filter_mode = mode;
    for (const char *p = parser->value; *p != '\0'; p += *p == ',') {
        p = add_domain(config, p);
        if (p == NULL)
            return cli_usage_error(parser->command,
                                   "'--%s': the names are longer than %u bytes in all",
                                   parser->option->name, RF_FILTER_SIZE);
    }
    if (config->filter_size == 0)
        return cli_usage_error(parser->command, "'--%s=%s' names no domain", parser->option->name,
                               parser->value);
    return CLI_OK;
}

static int parse_wait(struct profile_options *options, const struct cli_parser *parser)
{
    options->waits_for_all = strcmp(parser->value, "all") == 0;
    if (!options->waits_for_all && strcmp(parser->value, "primary") != 0)
        return fail(parser, parser->value, "primary, all");
    return CLI_OK;
}

/* -w is nsys's --show-output; with a value of --wait it means --wait. */
static int parse_show_output(struct profile_options *options, const struct cli_parser *parser)
{
    if (strcmp(parser->value, "primary") == 0 || strcmp(parser->value, "all") == 0)
        return parse_wait(options, parser);
    if (strcmp(parser->value, "true") != 0 && strcmp(parser->value, "false") != 0)
        return fail(parser, parser->value, "true, false");
    return CLI_OK;
}

static int parse_overflow(struct profile_options *options, const struct cli_parser *parser)
{
    options->config.overflow =
        strcmp(parser->value, "drop") == 0 ? RF_OVERFLOW_DROP : RF_OVERFLOW_BLOCK;
    if (options->config.overflow == RF_OVERFLOW_BLOCK && strcmp(parser->value, "block") != 0)
        return fail(parser, parser->value, "block, drop");
    return CLI_OK;
}

static bool is_off(const char *value)
{
    static const char *const words[] = {"none", "false", "off", "0", ""};
    return is_one_of(value, words, N_OF(words));
}

static int parse_accepted(struct profile_options *options, const struct cli_parser *parser)
{
    char what[160];
    (void)snprintf(what, sizeof(what), "%s (--%s)", parser->option->detail, parser->option->name);
    if (!is_off(parser->value))
        profile_note_not_done(options, what);
    return CLI_OK;
}

/* The help text of a row, if any, already says that it has no effect. */
static int parse_ignored(struct profile_options *options, const struct cli_parser *parser)
{
    char what[64];
    (void)snprintf(what, sizeof(what), "--%s", parser->option->name);
    if (parser->option->help == NULL)
        profile_note_without_effect(options, what);
    return CLI_OK;
}

static int refuse(const struct cli_parser *parser)
{
    if (parser->option->arg == CLI_ARG_VALUE && is_off(parser->value))
        return CLI_OK; /* `-c none`, `-y 0` ask for the default */
    return cli_usage_error(parser->command, "'--%s' is not available in this version: %s",
                           parser->option->name, parser->option->detail);
}

static int parse_python(struct profile_options *options, const struct cli_parser *parser)
{
    struct rf_err err;
    int status;
    if (parser->option->id == PROFILE_PYTORCH) {
        status = cli_pytorch_parse(parser->value, &options->pytorch, &err);
    } else {
        options->python_functions = parser->value;
        status = cli_python_functions_check(parser->value, &err);
    }
    return status == RF_OK ? CLI_OK : cli_usage_error(parser->command, "%s", err.text);
}

#define HELP_PRINTED (-1) /* help or the values of an option were printed, as was asked for */

static int apply(struct profile_options *options, const struct cli_parser *parser)
{
    if (parser->option->arg == CLI_ARG_VALUE && strcmp(parser->value, "help") == 0 &&
        profile_say_values(parser->option))
        return HELP_PRINTED;
    switch ((enum profile_option)parser->option->id) {
    case PROFILE_OUTPUT:
        options->output = parser->value;
        return CLI_OK;
    case PROFILE_FORCE:
        options->can_overwrite = parser->is_true;
        return CLI_OK;
    case PROFILE_TRACE:
    case PROFILE_CUDA_GRAPHS:
    case PROFILE_CUDA_MEMORY:
    case PROFILE_CUDA_EVENTS:
    case PROFILE_CUDA_FLUSH:
    case PROFILE_CUDA_ALL_APIS:
        return trace_option(options, parser);
    case PROFILE_CHAIN:
        return chain_option(&options->chain, parser);
    case PROFILE_ENV:
        return parse_env(options, parser);
    case PROFILE_INHERIT:
        options->inherits_env = parser->is_true;
        return CLI_OK;
    case PROFILE_INCLUDE:
        return parse_domains(options, parser, RF_FILTER_INCLUDE);
    case PROFILE_EXCLUDE:
        return parse_domains(options, parser, RF_FILTER_EXCLUDE);
    case PROFILE_WAIT:
        return parse_wait(options, parser);
    case PROFILE_OVERFLOW:
        return parse_overflow(options, parser);
    case PROFILE_RING:
    case PROFILE_SNAPSHOTS:
    case PROFILE_SNAPSHOT_ON:
    case PROFILE_AFTER:
    case PROFILE_COOL_DOWN:
    case PROFILE_SNAPSHOT_QUOTA:
        return ring_option(&options->ring, parser);
    case PROFILE_SPLIT:
    case PROFILE_KEEP:
    case PROFILE_QUOTA:
        return split_option(&options->split, parser);
    case PROFILE_COMPRESS:
        options->config.compresses = parser->is_true;
        return CLI_OK;
    case PROFILE_STATS:
        options->shows_stats = parser->is_true;
        return CLI_OK;
    case PROFILE_EXPORT:
        return parse_export(options, parser);
    case PROFILE_QUIET:
        options->is_quiet = parser->is_true;
        return CLI_OK;
    case PROFILE_STOP_ON_EXIT:
        return parser->is_true ? CLI_OK : refuse(parser);
    case PROFILE_SHOW_OUTPUT:
        return parse_show_output(options, parser);
    case PROFILE_CAPTURE_RANGE:
    case PROFILE_CAPTURE_END:
    case PROFILE_NVTX_CAPTURE:
    case PROFILE_UNREGISTERED:
    case PROFILE_KEEP_OPEN:
    case PROFILE_DELAY:
    case PROFILE_DURATION:
    case PROFILE_HOTKEY:
    case PROFILE_KILL:
    case PROFILE_CAPTURE_STEPS:
    case PROFILE_START_LATER:
        return focus_option(&options->focus, parser);
    case PROFILE_SESSION_NEW:
        options->session_name = parser->value;
        return CLI_OK;
    case PROFILE_RANKS:
        options->ranks = parser->value;
        return CLI_OK;
    case PROFILE_SUMMARY_JSON:
        options->summary_json = parser->value;
        return CLI_OK;
    case PROFILE_PYTORCH:
    case PROFILE_PYTHON_FUNCTIONS:
        return parse_python(options, parser);
    case PROFILE_ACCEPTED:
        return parse_accepted(options, parser);
    case PROFILE_REFUSED:
        return refuse(parser);
    case PROFILE_IGNORED:
        return parse_ignored(options, parser);
    case PROFILE_COMMAND_FILE: /* applied before the others */
        return CLI_OK;
    default:
        return gpu_metrics_option(&options->metrics, parser);
    }
}

static int add_file(struct profile_options *options, const struct cli_command *command,
                    const char *path)
{
    struct rf_err err;
    if (rf_grow_array(&options->files, options->n_files, &options->file_room,
                      sizeof(*options->files)) != RF_OK)
        return cli_usage_error(command, "out of memory");
    if (cli_words_read(&options->files[options->n_files], path, &err) != RF_OK)
        return cli_usage_error(command, "--command-file: %s", err.text);
    options->n_files++;
    return CLI_OK;
}

/* Applies the options of a file. Returns CLI_OK, another status after a message, or HELP_PRINTED.
 */
static int apply_file(struct profile_options *options, const struct cli_command *command,
                      const char *path)
{
    struct cli_parser parser;
    int id, status = add_file(options, command, path);
    if (status != CLI_OK)
        return status;
    const struct cli_words *words = options->files[options->n_files - 1];
    cli_parser_init(&parser, command, words->n, words->word);
    while (status == CLI_OK && (id = cli_parser_next(&parser)) != 0) {
        if (id < 0)
            return parser.status == CLI_OK ? HELP_PRINTED : parser.status;
        if (id == PROFILE_COMMAND_FILE)
            return cli_usage_error(command, "'%s': a file of options names no other", path);
        status = apply(options, &parser);
    }
    if (status == CLI_OK && parser.next < parser.argc)
        return cli_usage_error(
            command, "'%s': '%s' is not an option; the program is named on the command line", path,
            parser.argv[parser.next]);
    return status;
}

/* Applies the files that the command line names, before its own options, which override theirs.
 * Returns as apply_file() does. */
static int apply_files(struct profile_options *options, const struct cli_command *command, int argc,
                       char **argv)
{
    struct cli_parser parser;
    int id, status = CLI_OK;
    cli_parser_init(&parser, command, argc, argv);
    while (status == CLI_OK && (id = cli_parser_next(&parser)) != 0) {
        if (id < 0)
            return parser.status == CLI_OK ? HELP_PRINTED : parser.status;
        if (id == PROFILE_COMMAND_FILE)
            status = apply_file(options, command, parser.value);
    }
    return status;
}

static int apply_all(struct profile_options *options, struct cli_parser *parser)
{
    int id, status = CLI_OK;
    while (status == CLI_OK && (id = cli_parser_next(parser)) > 0)
        status = apply(options, parser);
    return status;
}

static int check_ranks(struct profile_options *options, const struct cli_command *command)
{
    struct rf_err err;
    options->is_rank_wanted = true;
    if (options->ranks == NULL ||
        cli_ranks_want(options->ranks, &options->is_rank_wanted, &err) == RF_OK)
        return CLI_OK;
    return cli_usage_error(command, "%s", err.text);
}

static int check_output(const struct profile_options *options, const struct cli_command *command)
{
    char base[PATH_MAX];
    struct rf_err err;
    if (cli_output_base(base, sizeof(base), options->output, 0, &err) != RF_OK)
        return cli_usage_error(command, "%s", err.text);
    cli_output_warn(options->output);
    if (options->can_overwrite && options->ranks == NULL && strchr(options->output, '%') == NULL &&
        cli_own_rank() >= 0 && cli_own_world_size() > 1)
        cli_say("-f lets the %d ranks of this job overwrite each other's '%s'; '-o %s.%%r' names "
                "them apart",
                cli_own_world_size(), base, base);
    return CLI_OK;
}

/* Its name is right; standard output is the program's. */
static int check_summary(const struct profile_options *options, const struct cli_command *command)
{
    char path[PATH_MAX];
    struct rf_err err;
    if (options->summary_json == NULL)
        return CLI_OK;
    if (strcmp(options->summary_json, "-") == 0)
        return cli_usage_error(command, "--summary-json: name a file: what the program prints is "
                                        "on standard output");
    if (cli_expand(path, sizeof(path), options->summary_json, 0, "--summary-json", &err) == RF_OK)
        return CLI_OK;
    return cli_usage_error(command, "%s", err.text);
}

/* What neither a ring nor pieces can be used with; NULL: nothing that was given. */
static const char *refused_always_on(const struct profile_options *options)
{
    return options->focus.is_launch ? "launch"
           : focus_is_on(&options->focus)
               ? "captures (-c nvtx, -c cudaProfilerApi, -y, -d, --start-later)"
           : !options->records ? "--trace=none"
                               : NULL;
}

static int check_ring(struct profile_options *options, const struct cli_command *command)
{
    const char *refused = refused_always_on(options);
    options->config.ring_size = options->ring.size;
    options->config.ring_keep_ns = options->ring.keep_ns;
    return ring_check(&options->ring, command, refused);
}

static int check_split(struct profile_options *options, const struct cli_command *command)
{
    const char *refused = options->ring.size != 0      ? "--ring"
                          : options->metrics.is_wanted ? "--gpu-metrics-devices"
                                                       : refused_always_on(options);
    int status = split_check(&options->split, command, refused, options->n_exports > 0);
    options->config.is_split = options->split.is_on;
    return status;
}

int profile_options_parse(struct profile_options *options, const struct cli_command *command,
                          bool is_launch, int argc, char **argv, int *status)
{
    struct cli_parser parser;
    memset(options, 0, sizeof(*options));
    options->output = "report%n";
    options->inherits_env = options->waits_for_all = true;
    options->trace.has_nvtx = options->trace.has_cuda = true;
    gpu_metrics_options_init(&options->metrics);
    ring_options_init(&options->ring);
    options->focus.keeps_open = true;
    options->focus.kill_signal = FOCUS_KILL_DEFAULT;
    cli_parser_init(&parser, command, argc, argv);
    int taken = apply_files(options, command, argc, argv);
    if (taken == CLI_OK)
        taken = apply_all(options, &parser);
    *status = taken == HELP_PRINTED ? CLI_OK : taken;
    if (taken != CLI_OK)
        return -1;
    options->focus.is_launch = is_launch;
    options->focus.starts_by_hand |= is_launch;
    options->app = argv + parser.next;
    trace_check(options);
    *status = check_ranks(options, command);
    if (*status == CLI_OK)
        *status = check_output(options, command);
    if (*status == CLI_OK)
        *status = check_summary(options, command);
    if (*status == CLI_OK)
        *status = focus_check(options, command);
    trace_check_captures(options);
    if (*status == CLI_OK)
        *status = check_ring(options, command);
    if (*status == CLI_OK)
        *status = check_split(options, command);
    if (*status == CLI_OK && parser.next >= argc)
        *status = cli_usage_error(command, "the program to profile is missing");
    return *status == CLI_OK ? 0 : -1;
}

void profile_options_release(struct profile_options *options)
{
    run_facts_free(options->facts);
    for (size_t i = 0; i < options->n_env; i++)
        free(options->env[i]);
    for (size_t i = 0; i < options->n_exports; i++)
        free(options->exports[i]);
    free(options->env);
    ring_options_release(&options->ring);
    for (size_t i = 0; i < options->n_files; i++)
        cli_words_free(options->files[i]);
    free(options->exports);
    free(options->files);
    free(options->without_effect);
    free(options->not_done);
}
