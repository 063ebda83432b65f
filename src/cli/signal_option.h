/* SPDX-License-Identifier: Apache-2.0 */
/* An option whose value is a signal. */
#ifndef RF_CLI_SIGNAL_OPTION_H
#define RF_CLI_SIGNAL_OPTION_H

struct cli_parser;

/* Reads the parser's value: none (0), a signal's name or its number. Returns CLI_OK, or CLI_USAGE
 * after a message. */
int cli_parse_signal(int *number, const struct cli_parser *parser);

#endif
