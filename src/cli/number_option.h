/* SPDX-License-Identifier: Apache-2.0 */
/* The value of an option that is a number. */
#ifndef RF_CLI_NUMBER_OPTION_H
#define RF_CLI_NUMBER_OPTION_H

#include <stdint.h>

#include "cli/option_parser.h"

/* Sets *number to an option's value, from 1 on. option: "--max-paths". Returns CLI_OK, or an exit
 * status after a message. */
int cli_set_number(uint32_t *number, const char *option, const struct cli_parser *parser);

#endif
