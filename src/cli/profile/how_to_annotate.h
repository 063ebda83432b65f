/* SPDX-License-Identifier: Apache-2.0 */
/* What would annotate a program that is not. */
#ifndef RF_CLI_PROFILE_HOW_TO_ANNOTATE_H
#define RF_CLI_PROFILE_HOW_TO_ANNOTATE_H

#include "cli/profile/profile_options.h"

/* Prints what fits the program: path is its file, options its command line and how it is recorded.
 */
void cli_say_how_to_annotate(const char *path, const struct profile_options *options);

#endif
