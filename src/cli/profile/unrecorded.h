/* SPDX-License-Identifier: Apache-2.0 */
/* A rank that --ranks leaves out. */
#ifndef RF_CLI_PROFILE_UNRECORDED_H
#define RF_CLI_PROFILE_UNRECORDED_H

struct profile_options;

/* Becomes the program, with the environment that it has in a recorded rank but for what would make
 * it record. Returns an exit status after a message where it cannot be executed. */
int unrecorded_exec(const struct profile_options *options);

#endif
