/* SPDX-License-Identifier: Apache-2.0 */
/* Ending the program that is profiled, with all that it started. */
#ifndef RF_CLI_PROFILE_END_PROGRAM_H
#define RF_CLI_PROFILE_END_PROGRAM_H

#include <sys/types.h>

/* Sends a signal to root, to its descendants, and to their orphans, which are our children. Returns
 * how many processes were signalled. */
int cli_end_program(pid_t root, int signal_number);

#endif
