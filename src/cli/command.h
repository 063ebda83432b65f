/* SPDX-License-Identifier: Apache-2.0 */
/* What a verb is: one `const struct cli_command` per verb, in a file of its own, and a line in
 * command_table.c. */
#ifndef RF_CLI_COMMAND_H
#define RF_CLI_COMMAND_H

#include <stdbool.h>

/* Exit statuses, as docs/man/rangefinder.1 lists them. */
enum cli_status {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,      /* wrong usage: nothing was started */
    CLI_NO_CAPTURE = 3, /* profile: the capture that was asked for never started */
    CLI_GATE = 4,       /* compare: what was asked for with --fail-on is so */
    CLI_PROFILE_FAILED = 125,
    CLI_APP_NOT_EXECUTABLE = 126,
    CLI_APP_NOT_FOUND = 127,
};

enum cli_arg {
    CLI_ARG_NONE,     /* --opt */
    CLI_ARG_BOOL,     /* --opt, --opt=true, --opt false */
    CLI_ARG_VALUE,    /* --opt=value, --opt value, -ovalue, -o value, -o=value */
    CLI_ARG_MAYBE,    /* --opt, --opt=value: the next word may be an operand */
    CLI_ARG_OPTIONAL, /* --opt, --opt=value, --opt value */
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
    const char *alias;    /* nsys's name for it; NULL: the same, or none */
    const char *summary;  /* one line for `rangefinder help`; NULL: not listed */
    const char *synopsis; /* what follows the verb; a line for each way to call it */
    /* the operands, for completions: "RANGE RECORDING...". A word in small letters stands for
     * itself, others for what cmd_complete.c knows under that name. NULL: there are none, or it is
     * a program (stops_at_operand) */
    const char *operands;
    const struct cli_command
        *subcommand; /* behind that word, has options of its own; may be NULL */
    const char *description;
    void (*print_list)(void); /* prints what the options choose from, after them; may be NULL */
    const char *epilog;       /* after that; may be NULL */
    const struct cli_option *options;
    bool stops_at_operand; /* the first word that is no option ends the options */
    int (*run)(const struct cli_command *command, int argc, char **argv); /* argv: after the verb */
};

#endif
