/* SPDX-License-Identifier: Apache-2.0 */
/* An option whose value is a number of seconds. */
#ifndef RF_CLI_SECONDS_OPTION_H
#define RF_CLI_SECONDS_OPTION_H

#include <stdint.h>

struct cli_parser;

/* Reads the parser's value, a decimal number of seconds, as nanoseconds. Returns CLI_OK, or
 * CLI_USAGE after a message. */
int cli_parse_seconds(int64_t *ns, const struct cli_parser *parser);

#endif
