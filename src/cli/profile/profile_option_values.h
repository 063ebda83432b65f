/* SPDX-License-Identifier: Apache-2.0 */
/* `--option=help`: what an option of `profile` can be given. */
#ifndef RF_CLI_PROFILE_PROFILE_OPTION_VALUES_H
#define RF_CLI_PROFILE_PROFILE_OPTION_VALUES_H

#include <stdbool.h>

struct cli_option;

/* Prints what an option can be given. Returns false where it can be anything: `help` is then a
 * value like others. */
bool profile_say_values(const struct cli_option *option);

#endif
