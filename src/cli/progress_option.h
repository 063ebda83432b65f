/* SPDX-License-Identifier: Apache-2.0 */
/* --progress: how verbs show what they are at. The parser of options handles it; a verb only lists
 * it. */
#ifndef RF_CLI_PROGRESS_OPTION_H
#define RF_CLI_PROGRESS_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/command.h"

struct cli_parser;

#define CLI_PROGRESS 9000 /* its id, of no other option */

/* The row for a verb's table of options. */
#define CLI_PROGRESS_OPTION                                                                        \
    {                                                                                              \
        CLI_PROGRESS, '\0', "progress", CLI_ARG_VALUE, "auto|json|none",                           \
            "How to show what takes long: on a terminal (auto, the default), as lines of JSON on " \
            "standard error, or not at all.",                                                      \
            NULL                                                                                   \
    }

/* Takes the option's value. Returns CLI_OK, or CLI_USAGE after a message. */
int cli_progress_set(const struct cli_parser *parser);

/* The value: what a person on a terminal is to see, and what programs are to read. */
bool cli_progress_is_none(void);
bool cli_progress_is_json(void);
const char *cli_progress_value(void);

/* Prints a line of JSON, docs/json/progress.schema.json. event: "begin", "progress" or "end";
 * done: 0 to 1, or less where it is unknown. Any thread. */
void cli_progress_line(const char *event, const char *what, double done, int64_t begin_ns);

#endif
