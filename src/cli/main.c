/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder: the command line. Finds the verb and hands over; see command.h. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/pending.h"
#include "cli/command.h"
#include "cli/command_table.h"
#include "cli/drain/bus_guard.h"
#include "cli/overlaps.h"
#include "cli/say.h"
#include "cli/verbs/cmd_complete.h"
#include "cli/verbs/nsys2json.h"
#include "rangefinder/rangefinder.h"

/* A caller may have closed the standard descriptors: a file of ours must not take their numbers.
 * Closed on exec, so that the profiled program finds them as we found them. What is printed to a
 * standard output that was closed is lost, and must not look like success: it cannot be written. */
static void reserve_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", (fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) | O_CLOEXEC) < 0)
            return;
}

/* Removes unfinished files, then lets the signal take its default action. */
static void end_by_signal(int number)
{
    rf_remove_unfinished(); /* the library's files first: they may lie in folders that
                               rf_pending_remove() removes */
    rf_pending_remove();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void clean_up_on_signals(void)
{
    /* SIGPIPE: nobody reads messages; SIGXCPU, SIGUSR1, SIGUSR2: limits of the job */
    static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
                                  SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) != 0 || action.sa_handler != SIG_DFL)
            continue; /* nohup */
        action.sa_handler = end_by_signal;
        action.sa_flags = 0;
        (void)sigaction(signals[i], &action, NULL);
    }
}

/* The system's SQLite, which the library brings; where SQLite is a part of the library, NULL. */
extern int sqlite3_config(int option, ...) __attribute__((weak));
#define SQLITE_MEMORY_STATISTICS 9 /* SQLITE_CONFIG_MEMSTATUS */

/* SQLite counts its memory under a lock of all threads, and nobody asks: reading many summaries
 * takes a sixth more of the processor. It is told before it is used. */
static void leave_out_memory_statistics(void)
{
    if (sqlite3_config != NULL)
        (void)sqlite3_config(SQLITE_MEMORY_STATISTICS, 0);
}

static void note_limit(int signal)
{
    (void)signal;
}

/* Turns a file size limit (RLIMIT_FSIZE) into an error of the write that exceeds it, instead of a
 * silent end. The profiled program is not affected: handlers do not survive an exec. */
static void survive_limits(void)
{
    struct sigaction action;
    if (sigaction(SIGXFSZ, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
        return;
    action.sa_handler = note_limit;
    action.sa_flags = SA_RESTART;
    (void)sigaction(SIGXFSZ, &action, NULL);
}

static int run_verb(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "help";
    if (strcmp(verb, "-h") == 0 || strcmp(verb, "--help") == 0)
        verb = "help";
    else if (strcmp(verb, "-v") == 0 || strcmp(verb, "--version") == 0)
        verb = "version";
    const struct cli_command *command = cli_command_find(verb);
    if (command == NULL) {
        cli_command_unknown(verb);
        return CLI_USAGE;
    }
    int rest = argc > 2 ? 2 : argc;
    int status = command->run(command, argc - rest, argv + rest);
    cli_overlaps_say();
    if (argc <= 1)
        status = CLI_USAGE; /* no verb was given: help was printed, but the usage was wrong */
    return status;
}

/* nsys2json has no verbs; but shells ask it what can follow. */
static int run_nsys2json(int argc, char **argv)
{
    const bool is_asked =
        argc > 2 && strcmp(argv[1], "complete") == 0 && strcmp(argv[2], "--") == 0;
    return is_asked ? cli_complete(&nsys2json_command, argc - 2, argv + 2)
                    : nsys2json_main(argc, argv);
}

int main(int argc, char **argv)
{
    reserve_standard_descriptors();
    survive_limits();
    clean_up_on_signals();
    bus_guard_install();
    leave_out_memory_statistics();
    int status = nsys2json_is_meant(argv[0]) ? run_nsys2json(argc, argv) : run_verb(argc, argv);
    /* a full disk or a closed pipe behind standard output must not look like success */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_say("cannot write to standard output");
        return status != CLI_OK ? status : CLI_FAILED;
    }
    return status;
}
