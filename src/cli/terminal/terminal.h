/* SPDX-License-Identifier: Apache-2.0 */
/* The program under a pseudo-terminal, and a thread that passes everything except the hotkey
 * between it and the real one.
 *
 *     cli_terminal_new(&program.terminal, ...);    in place of our own terminal
 *     program_prepare(&program, ...);              and the rest of cli/profile/program.h
 *     cli_terminal_free(program.terminal);
 *
 * Only the descriptors 0, 1 and 2 that are the terminal of standard input become the
 * pseudo-terminal. While the program runs in the foreground, the real terminal is raw; it is
 * restored whenever the program is stopped or has ended, however we end. */
#ifndef RF_CLI_TERMINAL_TERMINAL_H
#define RF_CLI_TERMINAL_TERMINAL_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/terminal/hotkey.h"
#include "rangefinder/rangefinder.h"

struct cli_terminal;

/* on_key: called by a thread for each press; must not wait for long, may use cli_say().
 * RF_ERR_USAGE: standard input is no terminal; err names what to use instead. */
int cli_terminal_new(struct cli_terminal **terminal, const struct hotkey_set *keys,
                     void (*on_key)(void *context), void *context, struct rf_err *err);

/* Restores the real terminal and closes the other. NULL is accepted. */
void cli_terminal_free(struct cli_terminal *terminal);

/* ---- For cli/profile/program.c ---- */

/* As cli_pty_fork(). Also holds the signals that cli_terminal_add_signals() adds. */
pid_t cli_terminal_fork(struct cli_terminal *terminal, const int *others, size_t n_others,
                        struct rf_err *err);

/* The signals that are handled by the functions below: SIGWINCH, SIGCONT, SIGTSTP. */
void cli_terminal_add_signals(sigset_t *set);

/* The program is about to run: it has the terminal from now on. */
void cli_terminal_start(struct cli_terminal *terminal);

/* SIGWINCH: the real terminal has another size. */
void cli_terminal_resize(struct cli_terminal *terminal);

/* SIGCONT: we were stopped, and continue. */
void cli_terminal_resume(struct cli_terminal *terminal);

/* Sends a signal to the foreground of the program's terminal, as a key would. */
void cli_terminal_signal(struct cli_terminal *terminal, int signal);

/* The program has stopped: restores the terminal, stops us and our group, as Ctrl-Z does, and when
 * we continue, continues the program's group too. program 0: it has ended. */
void cli_terminal_suspend(struct cli_terminal *terminal, pid_t program);

/* The real terminal is gone: so is the program's. */
void cli_terminal_hang_up(struct cli_terminal *terminal);

/* The program has ended: shows its remaining output and restores the real terminal. Processes that
 * it left behind may still write. When this returns, on_key is not being called, and will not be.
 */
void cli_terminal_end_input(struct cli_terminal *terminal);

/* Shows what is left to show and ends the thread. */
void cli_terminal_stop(struct cli_terminal *terminal);

#endif
