/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out the requests that a session receives, and makes the answers. */
#ifndef RF_CLI_SESSION_SESSION_REQUESTS_H
#define RF_CLI_SESSION_SESSION_REQUESTS_H

#include <stdint.h>

#include "cli/session/runtime_folder.h"
#include "cli/session/session_message.h"
#include "cli/session/session_server.h"

struct session_requests {
    struct session_server_config config;
    struct cli_captures *captures; /* NULL: the run is recorded whole */
    struct cli_ring *ring;         /* NULL: all is kept */
    char name[SESSION_NAME_SIZE];
    int64_t begin_ns;  /* CLOCK_MONOTONIC, when it was opened */
    int ended_program; /* atomic: the signal that a whole run was ended with; 0: none */
};

/* Writes the answer. Where it takes time, say_busy(context) is called first. Returns whether the
 * connection is to stay open until the command line ends. */
int session_requests_answer(struct session_requests *requests,
                            const struct session_message *request, struct session_message *answer,
                            void (*say_busy)(void *context), void *context);

#endif
