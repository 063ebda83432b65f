/* SPDX-License-Identifier: Apache-2.0 */
/* The command nsys2json, and what it shares with `rangefinder export --compat=nsys2json`. */
#ifndef RF_CLI_VERBS_NSYS2JSON_H
#define RF_CLI_VERBS_NSYS2JSON_H

#include <stdbool.h>

#include <stddef.h>

#include "cli/command.h"
#include "rangefinder/rangefinder.h"

/* Its options, for the manual and completions: it reads its command line itself. */
extern const struct cli_command nsys2json_command;

/* The parsed options. Zero everything but options.size first. */
struct nsys2json_request {
    struct rf_nsys2json_options options;
    const char **prefixes; /* owned; the texts are the arguments of the program */
    size_t prefix_room;
};

/* The bit of an activity, or 0. */
unsigned nsys2json_activity(const char *name);

/* Adds a prefix. */
int nsys2json_add_prefix(struct nsys2json_request *request, const char *prefix);
void nsys2json_release(struct nsys2json_request *request);

/* Whether the program was started under the name nsys2json, and its main() in that case. */
bool nsys2json_is_meant(const char *argv0);
int nsys2json_main(int argc, char **argv);

#endif
