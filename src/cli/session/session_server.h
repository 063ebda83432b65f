/* SPDX-License-Identifier: Apache-2.0 */
/* The server's side of session control, in a running command line: a socket in the user's runtime
 * folder, to which start, stop, cancel, status and shutdown connect, and a thread that never delays
 * the run. */
#ifndef RF_CLI_SESSION_SESSION_SERVER_H
#define RF_CLI_SESSION_SESSION_SERVER_H

#include <sys/types.h>

#include "rangefinder/rangefinder.h"

struct cli_captures;
struct cli_ring;
struct session_dir;
struct profile_options;
struct session_server;

struct session_server_config {
    const struct profile_options *options; /* session_name: of --session-new */
    const char *verb;                      /* "profile" or "launch" */
    const struct session_dir *session;
    const char *app_path;
    pid_t root_pid;
};

/* Takes a name and makes the socket; requests wait until the server runs. What config points to
 * must outlive the server. Returns CLI_OK, with NULL in *server after a line where this run cannot
 * be reached but goes on; CLI_USAGE or CLI_PROFILE_FAILED after a message where the name is not
 * valid or taken, or the run waits for a `start` that could not reach it. */
int session_server_open(struct session_server **server, const struct session_server_config *config);

/* Starts to answer. captures: NULL in a run that is recorded whole; ring: NULL where it is no
 * flight recorder. NULL server is accepted. */
void session_server_run(struct session_server *server, struct cli_captures *captures,
                        struct cli_ring *ring);

/* Finishes pending requests, removes the socket and frees everything; must be called before
 * captures and ring are freed. Returns the signal by which `shutdown` ended a run that is recorded
 * whole; 0: none. NULL is accepted. */
int session_server_close(struct session_server *server);

#endif
