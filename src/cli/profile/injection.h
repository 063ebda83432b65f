/* SPDX-License-Identifier: Apache-2.0 */
/* The variables by which a program loads the recorder: NVTX_INJECTION64_PATH at its first
 * annotation, CUDA_INJECTION64_PATH when it initialises CUDA's driver. */
#ifndef RF_CLI_PROFILE_INJECTION_H
#define RF_CLI_PROFILE_INJECTION_H

#include <stdbool.h>

#include "cli/profile/program.h"
#include "cli/profile/profile_options.h"

/* Who else may have been named in such a variable. */
enum injection_owner {
    INJECTION_NOBODY = 0, /* not set, or empty */
    INJECTION_OURS = 1,
    INJECTION_OFF = 2, /* "none" */
    INJECTION_OTHER = 3,
};

/* Whom a variable's value (NULL: not set) names. inject: the path of our recorder. */
enum injection_owner injection_owner(const char *value, const char *inject);

/* Sets what is needed. Another tool is not silently replaced: where it wants NVTX, or CUDA and that
 * was asked for by name, CLI_PROFILE_FAILED after a message; where it wants CUDA, and that is only
 * the default, *records_cuda is 0 after a message. */
int injection_set(struct program_env *env, const struct profile_options *options,
                  bool *records_cuda);

#endif
