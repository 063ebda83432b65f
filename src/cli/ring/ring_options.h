/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `profile` for a flight recorder. */
#ifndef RF_CLI_RING_RING_OPTIONS_H
#define RF_CLI_RING_RING_OPTIONS_H

#include <stdint.h>

struct cli_command;
struct cli_parser;

struct ring_options {
    uint64_t size; /* bytes; 0: no ring */
    int64_t keep_ns;
    uint32_t max_snapshots; /* 0: any number */
};

/* Takes one option. Returns CLI_OK, or CLI_USAGE after a message. */
int ring_option(struct ring_options *options, const struct cli_parser *parser);

/* Likewise, of them all. refused: an option that a ring cannot be used with, or NULL. */
int ring_check(const struct ring_options *options, const struct cli_command *command,
               const char *refused);

#endif
