/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `profile` for a flight recorder. */
#ifndef RF_CLI_RING_RING_OPTIONS_H
#define RF_CLI_RING_RING_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/ring/rules.h"

struct cli_command;
struct cli_parser;

#define RING_COOL_DOWN_NS 10000000000LL /* where --cool-down does not say so */

struct ring_options {
    uint64_t size; /* bytes; 0: no ring */
    int64_t keep_ns;
    uint32_t max_snapshots; /* 0: any number */
    uint64_t quota;         /* bytes of snapshots; 0: any number */
    struct rules rules;
    int64_t after_ns, cool_down_ns;
    bool has_key;        /* a key takes snapshots */
    const char *without; /* an option that needs --ring; NULL: none was given */
};

void ring_options_init(struct ring_options *options);
void ring_options_release(struct ring_options *options);

/* Takes one option. Returns CLI_OK, or CLI_USAGE after a message. */
int ring_option(struct ring_options *options, const struct cli_parser *parser);

/* Likewise, of them all. refused: an option that a ring cannot be used with, or NULL. */
int ring_check(const struct ring_options *options, const struct cli_command *command,
               const char *refused);

#endif
