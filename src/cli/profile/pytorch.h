/* SPDX-License-Identifier: Apache-2.0 */
/* --pytorch and --python-functions-trace: annotations of Python programs without changes to them.
 * What is asked for is checked here, before the program is started; the rest happens in the Python
 * processes themselves, which find python/hook by PYTHONPATH. */
#ifndef RF_CLI_PROFILE_PYTORCH_H
#define RF_CLI_PROFILE_PYTORCH_H

#include "cli/profile/program.h"
#include "rangefinder/rangefinder.h"

/* What --pytorch asks for, or'ed; 0: none. */
enum cli_pytorch {
    CLI_PYTORCH_AUTOGRAD = 1,
    CLI_PYTORCH_AUTOGRAD_SHAPES = 2,
    CLI_PYTORCH_FUNCTIONS = 4,
    CLI_PYTORCH_FUNCTIONS_SHAPES = 8,
};

/* The value of --pytorch, words separated by commas, to *set. Returns 0 or RF_ERR_USAGE: an unknown
 * word, or two that exclude each other. */
int cli_pytorch_parse(const char *list, unsigned *set, struct rf_err *err);

/* Sets up the environment of the program: the hook's folder comes first in PYTHONPATH, before what
 * env has there. functions_path: a checked file, or NULL. Where nothing is asked for, the settings
 * of an outer session are removed. */
int cli_pytorch_set_env(struct program_env *env, unsigned set, const char *functions_path,
                        struct rf_err *err);

#endif
