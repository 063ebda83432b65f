/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `profile` for recordings that are written to files one after another. */
#ifndef RF_CLI_SPLIT_SPLIT_OPTIONS_H
#define RF_CLI_SPLIT_SPLIT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct cli_command;
struct cli_parser;

struct split_options {
    uint64_t size;   /* bytes of a piece, about; 0: any number */
    int64_t time_ns; /* and how long it lasts; 0: any time */
    uint32_t keep;   /* that many of the newest pieces stay; 0: all */
    uint64_t quota;  /* bytes of all pieces and of what is being recorded; 0: any number */
    bool is_on;
};

/* Takes one option. Returns CLI_OK, or CLI_USAGE after a message. */
int split_option(struct split_options *options, const struct cli_parser *parser);

/* Likewise, of them all. refused: an option that they cannot be used with, or NULL. */
int split_check(struct split_options *options, const struct cli_command *command,
                const char *refused, bool has_exports);

#endif
