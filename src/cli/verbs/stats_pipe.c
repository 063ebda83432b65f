/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/stats_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/say.h"

void stats_pipe_init(struct stats_pipe *pipe, const char *command)
{
    *pipe = (struct stats_pipe){.command = command, .fd = -1};
}

/* Starts the command with fd as its standard input. Returns an errno. */
static int spawn(struct stats_pipe *pipe, int fd)
{
    char *const argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                          (char *)(uintptr_t)pipe->command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t standard;
    (void)sigemptyset(&standard);
    (void)sigaddset(&standard, SIGPIPE);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setsigdefault(&attributes, &standard);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
    int code = posix_spawn(&pipe->pid, "/bin/sh", &actions, &attributes, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    return code;
}

static int start(struct stats_pipe *pipe)
{
    int fds[2];
    (void)signal(SIGPIPE, SIG_IGN);
    (void)fflush(stdout); /* what was written before comes before what the command writes */
    int code = pipe2(fds, O_CLOEXEC) == 0 ? spawn(pipe, fds[0]) : errno;
    if (code != 0) {
        cli_say("cannot start '%s': %s", pipe->command, strerror(code));
        pipe->pid = 0;
        return -1;
    }
    (void)close(fds[0]);
    pipe->fd = fds[1];
    return 0;
}

int stats_pipe_write(void *context, const void *bytes, size_t size)
{
    struct stats_pipe *pipe = context;
    const char *p = bytes;
    if (pipe->pid == 0 && start(pipe) != 0)
        return -1;
    while (size > 0 && !pipe->is_closed) {
        ssize_t n = write(pipe->fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EPIPE)
            return -1;
        pipe->is_closed = n < 0;
        p += n < 0 ? 0 : n;
        size -= n < 0 ? 0 : (size_t)n;
    }
    return 0;
}

int stats_pipe_finish(struct stats_pipe *pipe)
{
    int status = 0;
    if (pipe->pid == 0)
        return 0;
    (void)close(pipe->fd);
    while (waitpid(pipe->pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    pipe->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFEXITED(status))
        cli_say("'%s' failed with exit status %d", pipe->command, WEXITSTATUS(status));
    else
        cli_say("'%s' was ended by signal %d", pipe->command, WTERMSIG(status));
    return -1;
}
