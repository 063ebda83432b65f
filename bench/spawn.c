/* SPDX-License-Identifier: Apache-2.0 */
/* Times commands from their start to their end, in turn, several rounds.
 *
 *     spawn [--end FILE] ROUNDS COMMAND... [-- COMMAND...]...
 *
 * One line per command: minimum and median in ms. With --end, from the moment that FILE holds (what
 * the program under the command wrote at its own end, CLOCK_MONOTONIC in ns) to the command's end.
 * The commands' output is thrown away; a command that fails is an error. */
#include "measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_COMMANDS 8

extern char **environ;

static int64_t end_of_program(const char *path)
{
    long long ns = -1;
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%lld", &ns) != 1) {
        (void)fprintf(stderr, "spawn: no time in '%s'\n", path);
        exit(1);
    }
    (void)fclose(file);
    (void)unlink(path);
    return ns;
}

static double run_ms(char **command, const char *end_path)
{
    posix_spawn_file_actions_t actions;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    int status = 0;
    int64_t before = measure_now_ns();
    int code = posix_spawnp(&pid, command[0], &actions, NULL, command, environ);
    if (code == 0)
        (void)waitpid(pid, &status, 0);
    int64_t after = measure_now_ns();
    (void)posix_spawn_file_actions_destroy(&actions);
    if (code != 0 || status != 0) {
        (void)fprintf(stderr, "spawn: '%s': %s %d\n", command[0],
                      code != 0 ? strerror(code) : "wait status", status);
        exit(1);
    }
    return (double)(after - (end_path != NULL ? end_of_program(end_path) : before)) / 1e6;
}

int main(int argc, char **argv)
{
    static double results[MAX_COMMANDS][MEASURE_MAX_ROUNDS];
    char **commands[MAX_COMMANDS];
    const char *end_path = NULL;
    int at = 1;
    if (at + 1 < argc && strcmp(argv[at], "--end") == 0) {
        end_path = argv[at + 1];
        at += 2;
    }
    if (at + 1 >= argc) {
        (void)fprintf(stderr, "usage: spawn [--end FILE] ROUNDS COMMAND... [-- COMMAND...]...\n");
        return 2;
    }
    int rounds = measure_rounds(argv[at++]);
    int n_commands = 1;
    commands[0] = &argv[at];
    for (; at < argc; at++) {
        if (strcmp(argv[at], "--") != 0 || n_commands == MAX_COMMANDS || at + 1 == argc)
            continue;
        argv[at] = NULL;
        commands[n_commands++] = &argv[at + 1];
    }
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < n_commands; i++)
            results[i][round] = run_ms(commands[i], end_path);
    for (int i = 0; i < n_commands; i++)
        printf("%.2f %.2f\n", measure_quantile(results[i], rounds, 0),
               measure_quantile(results[i], rounds, 0.5));
    return 0;
}
