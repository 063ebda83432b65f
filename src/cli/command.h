/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs and their options.
 *
 * To add a verb:
 *  1. src/cli/cmd_VERB.c with one `const struct cli_command cli_cmd_VERB`;
 *  2. a row in CLI_COMMANDS below;
 *  3. docs/man/rangefinder-VERB.1 (a test compares its options with `rangefinder VERB -h`), and a
 *     line in docs/man/rangefinder.1;
 *  4. a case in tests/cli. */
#ifndef RF_CLI_COMMAND_H
#define RF_CLI_COMMAND_H

#include <stddef.h>

/* clang-format off */
#define CLI_COMMANDS(X)                                                                            \
    X(profile)                                                                                     \
    X(launch) X(start) X(stop) X(cancel) X(status) X(shutdown) X(sessions)                         \
    X(open) X(export) X(stats) X(info) X(recover) X(scrub) X(gpu_metrics) X(doctor)              \
    X(help) X(version) X(selftest)
/* clang-format on */

/* Exit statuses, as docs/man/rangefinder.1 lists them. */
enum cli_status {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,      /* wrong usage: nothing was started */
    CLI_NO_CAPTURE = 3, /* profile: the capture that was asked for never started */
    CLI_PROFILE_FAILED = 125,
    CLI_APP_NOT_EXECUTABLE = 126,
    CLI_APP_NOT_FOUND = 127,
};

enum cli_arg {
    CLI_ARG_NONE,  /* --opt */
    CLI_ARG_BOOL,  /* --opt, --opt=true, --opt false */
    CLI_ARG_VALUE, /* --opt=value, --opt value, -ovalue, -o value, -o=value */
};

struct cli_option {
    int id;           /* > 0: what cli_parser_next() returns; 0 ends the table */
    char letter;      /* '\0': none */
    const char *name; /* without the dashes */
    enum cli_arg arg;
    const char *value;  /* how help names the value: "FILE" */
    const char *help;   /* NULL: accepted, but not listed */
    const char *detail; /* for the verb's own use */
};

struct cli_command {
    const char *name;
    const char *summary;  /* one line for `rangefinder help`; NULL: not listed */
    const char *synopsis; /* what follows the verb */
    const char *description;
    const char *epilog; /* after the options; may be NULL */
    const struct cli_option *options;
    int stops_at_operand; /* the first word that is no option ends the options */
    int (*run)(const struct cli_command *command, int argc, char **argv); /* argv: after the verb */
};

#define CLI_DECLARE(name) extern const struct cli_command cli_cmd_##name;
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

/* The verbs in the order of the table; NULL past the last. */
const struct cli_command *cli_command_at(size_t i);
const struct cli_command *cli_command_find(const char *name);

/* Says that a verb does not exist and which one is nearest. */
void cli_command_unknown(const char *name);

/* What `rangefinder VERB -h` prints. */
void cli_command_help(const struct cli_command *command);

/* What it prints of one option. */
void cli_option_help(const struct cli_option *option);

/* ---- Options ---- */

struct cli_parser {
    const struct cli_command *command;
    int argc;
    char **argv;
    int next;                        /* index of the word to look at */
    int n_operands;                  /* argv[0 .. n_operands) after the end */
    const struct cli_option *option; /* the one returned last */
    const char *value;               /* of a CLI_ARG_VALUE option */
    int is_true;                     /* of a CLI_ARG_BOOL option */
    int status;                      /* exit status, when cli_parser_next() returned -1 */
};

void cli_parser_init(struct cli_parser *parser, const struct cli_command *command, int argc,
                     char **argv);

/* The id of the next option; 0 when there are no more (the operands are then the first n_operands
 * words of argv, or argv + next where the command stops at an operand); -1 when the verb is to
 * return parser->status: help was printed, or a message about wrong usage. */
int cli_parser_next(struct cli_parser *parser);

/* Says what is wrong with the usage and where the help is. Returns CLI_USAGE. */
int cli_usage_error(const struct cli_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The one operand that a verb takes, or NULL after a message. */
const char *cli_parser_only_operand(const struct cli_parser *parser, const char *what);

#endif
