/* SPDX-License-Identifier: Apache-2.0 */
/* The table of verbs.
 *
 * To add a verb:
 *  1. a file cmd_VERB.c below src/cli with one `const struct cli_command cli_cmd_VERB`;
 *  2. a line in command_table.c;
 *  3. docs/man/rangefinder-VERB.1 and a case in tests/cli.
 * What lists the verbs takes them from here: `rangefinder help`, the section VERBS of
 * rangefinder(1), and the tests that compare each man page with `rangefinder VERB -h`. */
#ifndef RF_CLI_COMMAND_TABLE_H
#define RF_CLI_COMMAND_TABLE_H

#include <stddef.h>

#include "cli/command.h"

/* The verbs in the order of the table; NULL past the last. */
const struct cli_command *cli_command_at(size_t i);

/* NULL: there is no such verb. */
const struct cli_command *cli_command_find(const char *name);

/* Says that a verb does not exist and which one is nearest. */
void cli_command_unknown(const char *name);

#endif
