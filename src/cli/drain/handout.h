/* SPDX-License-Identifier: Apache-2.0 */
/* Hands the session's files to processes of the program that cannot open them: those that became
 * another user, or have another root directory (log/ask.h). The directory stays closed to everybody
 * else: a process that asks must be the program, or descend from it. */
#ifndef RF_CLI_DRAIN_HANDOUT_H
#define RF_CLI_DRAIN_HANDOUT_H

#include <sys/types.h>

#include "session/session_dir.h"
#include "log/ask.h"

struct cli_handout;

/* Makes a name for the socket that cannot be guessed. */
void cli_handout_name(char name[RF_ASK_NAME_SIZE]);

/* Starts a thread that answers under the name on the session's control page. session must outlive
 * it. root: the program. Returns NULL where that fails: the name is then removed from the page, and
 * err (may be NULL) has the reason. */
struct cli_handout *cli_handout_start(const struct session_dir *session, pid_t root,
                                      struct rf_err *err);

/* Ends the thread; later requests are refused at once. NULL is accepted. */
void cli_handout_stop(struct cli_handout *handout);

#endif
