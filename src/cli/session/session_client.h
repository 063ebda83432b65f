/* SPDX-License-Identifier: Apache-2.0 */
/* The client's side of session control: finds a running session and sends it requests. */
#ifndef RF_CLI_SESSION_SESSION_CLIENT_H
#define RF_CLI_SESSION_SESSION_CLIENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/command.h"
#include "cli/session/runtime_folder.h"
#include "cli/session/session_message.h"

/* One running session, from its answer to `status`. */
struct session_info {
    char folder[PATH_MAX];
    char file[SESSION_FILE_SIZE];
    char name[SESSION_NAME_SIZE];
    bool is_silent;  /* its command line does not answer; only owner_pid is known */
    pid_t owner_pid; /* of its command line */
    pid_t program_pid;
    long long age_ms;
    int64_t begun_ms; /* CLOCK_MONOTONIC, approximately; INT64_MAX: unknown */
    char state[32];
    char text[1024]; /* what it does now */
    char verb[16];
    char program[PATH_MAX];
    char dir[PATH_MAX]; /* session directory */
};

struct session_list {
    struct session_info *item;
    size_t n, room;
    struct rf_err err; /* of a folder that could not be read; code RF_OK: none */
};

/* All sessions of this user, oldest first. Removes the sockets of dead ones. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int session_list_read(struct session_list *list);
void session_list_release(struct session_list *list);

/* Prints that no session runs, and which folder could not be read. */
void session_list_say_none(const struct session_list *list);

/* The help text of --session. */
#define SESSION_OPTION_HELP                                                                        \
    "Which session: its name, or the pid of the program or of any process of it. Default: the "    \
    "only one that runs."

/* Sends a request to the session that --session names (NULL: the only one), which is copied to
 * *session. Returns CLI_OK with the session's answer; otherwise an exit status after a message. *fd
 * (may be NULL): the connection, kept open. */
int session_ask(const char *wanted, struct session_message *request, struct session_message *answer,
                struct session_info *session, int *fd);

enum { SESSION_OPT_SESSION = 1, SESSION_OPT_JSON };

/* Runs a verb that has these options, or the first alone: its request is one word. *is_json is set
 * where --json is given; NULL: the verb does not have it. */
int session_ask_plainly(const struct cli_command *command, int argc, char **argv, const char *word,
                        struct session_message *answer, struct session_info *session, int *status,
                        bool *is_json);

#endif
