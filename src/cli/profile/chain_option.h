/* SPDX-License-Identifier: Apache-2.0 */
/* --chain: other tools of NVTX that see the program's calls beside the recorder. */
#ifndef RF_CLI_PROFILE_CHAIN_OPTION_H
#define RF_CLI_PROFILE_CHAIN_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/profile/program.h"

struct cli_parser;
struct rf_control;

#define CHAIN_MOST 3u

struct chain_options {
    const char *tool[CHAIN_MOST]; /* libraries, as given */
    unsigned n;
    bool is_auto; /* the tool that NVTX_INJECTION64_PATH names already, too */
};

/* Takes a value. Returns CLI_OK, or CLI_USAGE after a message. */
int chain_option(struct chain_options *options, const struct cli_parser *parser);

/* Sets the variable that names the tools; another: what NVTX_INJECTION64_PATH names, or NULL. path
 * (size bytes) gets the library that the program is to load; "": the recorder alone. Returns
 * CLI_OK, or CLI_PROFILE_FAILED after a message. */
int chain_set(const struct chain_options *options, struct program_env *env, const char *another,
              char *path, size_t size);

/* Where the program crashed, `info` names the tools beside its signal. */
void chain_note_crash(const struct program_env *env, struct rf_control *control);

#endif
