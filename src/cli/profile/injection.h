/* SPDX-License-Identifier: Apache-2.0 */
/* The variables by which a program loads the recorder: NVTX_INJECTION64_PATH at its first
 * annotation, CUDA_INJECTION64_PATH when it initialises CUDA's driver. */
#ifndef RF_CLI_PROFILE_INJECTION_H
#define RF_CLI_PROFILE_INJECTION_H

#include <stdbool.h>

#include "cli/profile/program.h"
#include "cli/profile/profile_options.h"

/* Which library such a variable names. */
enum injection_owner {
    INJECTION_NOBODY = 0, /* not set, or empty */
    INJECTION_OURS = 1,
    INJECTION_OFF = 2, /* "none" */
    INJECTION_OTHER = 3,
};

/* The library that a variable's value (NULL: not set) names. inject: the path of our recorder. */
enum injection_owner injection_owner(const char *value, const char *inject);

/* Sets the variables. Another tool is not silently replaced: where one is set for NVTX, or for CUDA
 * and -t names cuda, returns CLI_PROFILE_FAILED after a message; where one is set for CUDA and cuda
 * is only the default, *records_cuda is false after a message. */
int injection_set(struct program_env *env, const struct profile_options *options,
                  bool *records_cuda);

/* Removes what makes a program record: those variables where they name our recorder, and those of
 * a session. */
void injection_unset(struct program_env *env);

#endif
