/* SPDX-License-Identifier: Apache-2.0 */
/* Hands the session's files to processes of the program that cannot open them: those that became
 * another user, or have another root directory (log/ask.h). The directory stays closed to everybody
 * else: who asks must be the program, or descend from it. */
#ifndef RF_CLI_DRAIN_HANDOUT_H
#define RF_CLI_DRAIN_HANDOUT_H

#include <sys/types.h>

#include "session/session_dir.h"
#include "log/ask.h"

struct cli_handout;

/* A name for the socket that nobody can guess. */
void cli_handout_name(char name[RF_ASK_NAME_SIZE]);

/* Begins to answer, in a thread of its own, under the name on the session's control page. session
 * must outlive it. NULL: it cannot; the name is taken off the page, and err (may be NULL) says why.
 * root: the program. */
struct cli_handout *cli_handout_start(const struct session_dir *session, pid_t root,
                                      struct rf_err *err);

/* Ends the thread; who asks from now on is refused at once. NULL is accepted. */
void cli_handout_stop(struct cli_handout *handout);

#endif
