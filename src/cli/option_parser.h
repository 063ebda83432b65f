/* SPDX-License-Identifier: Apache-2.0 */
/* The options and operands of a verb, one after another. The syntax is that of nsys: every way to
 * give a value that works there works here, and an option that is true or false may also stand
 * alone. */
#ifndef RF_CLI_OPTION_PARSER_H
#define RF_CLI_OPTION_PARSER_H

#include <stdbool.h>

#include "cli/command.h"

struct cli_parser {
    const struct cli_command *command;
    int argc;
    char **argv;
    int next;                        /* index of the word to look at */
    int n_operands;                  /* argv[0 .. n_operands) after the end */
    const struct cli_option *option; /* the one returned last */
    const char *value;               /* of a CLI_ARG_VALUE option; MAYBE, OPTIONAL: or NULL */
    bool is_true;                    /* of a CLI_ARG_BOOL option */
    int status;                      /* exit status, when cli_parser_next() returned -1 */
};

void cli_parser_init(struct cli_parser *parser, const struct cli_command *command, int argc,
                     char **argv);

/* The id of the next option; 0 when there are no more (the operands are then the first n_operands
 * words of argv, or argv + next where the command stops at an operand); -1 when the verb is to
 * return parser->status: help was printed, or a message about wrong usage. */
int cli_parser_next(struct cli_parser *parser);

/* The one operand that a verb takes, or NULL after a message. */
const char *cli_parser_only_operand(const struct cli_parser *parser, const char *what);

#endif
