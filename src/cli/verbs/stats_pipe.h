/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder stats -o @COMMAND: a command that receives a table on its standard input. */
#ifndef RF_CLI_VERBS_STATS_PIPE_H
#define RF_CLI_VERBS_STATS_PIPE_H

#include <stddef.h>
#include <sys/types.h>

struct stats_pipe {
    const char *command;
    pid_t pid; /* 0: not started */
    int fd;
    int is_closed; /* the command reads no more */
};

/* command: for sh -c; it must outlive the pipe. */
void stats_pipe_init(struct stats_pipe *pipe, const char *command);

/* Writes to the command, which the first call starts: rf_report_options.write. What a command does
 * not want to read is no error: its exit status says whether it has failed. */
int stats_pipe_write(void *pipe, const void *bytes, size_t size);

/* Waits until the command has ended. Returns 0, or -1 after a message where it failed. */
int stats_pipe_finish(struct stats_pipe *pipe);

#endif
