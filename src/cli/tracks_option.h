/* SPDX-License-Identifier: Apache-2.0 */
/* --tracks=domain|category of the verbs that write traces. */
#ifndef RF_CLI_TRACKS_OPTION_H
#define RF_CLI_TRACKS_OPTION_H

#include <stdbool.h>

struct cli_parser;

/* Takes the parser's value. Returns CLI_OK, or CLI_USAGE after saying what is wrong. */
int cli_parse_tracks(const struct cli_parser *parser, bool *by_category);

#endif
