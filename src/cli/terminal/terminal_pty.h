/* SPDX-License-Identifier: Apache-2.0 */
/* A pseudo-terminal, and a program whose terminal it is.
 *
 * The program stays our child, but lives in a session of its own:
 *
 *     we ---- keeper    leads the session, so that the terminal outlives the program
 *        \      \
 *         \      anchor    of the program's group: as its parent is of the session, the group is
 *          \               no orphan, and Ctrl-Z can stop it
 *           program    leads its group, which is the terminal's foreground
 *
 * The keeper ends with us. When we end abruptly (SIGKILL, a crash), it restores the real
 * terminal. waitpid(-1) does not see it. */
#ifndef RF_CLI_TERMINAL_TERMINAL_PTY_H
#define RF_CLI_TERMINAL_TERMINAL_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include "rangefinder/rangefinder.h"

struct cli_pty {
    int master; /* does not block; its terminal attributes, size and group are the slave's */
    int slave;  /* until the program has been forked */
    int real_fd;
    unsigned descriptors; /* bit n: the descriptor n is the real terminal */
    struct termios saved; /* of the real terminal */
    pid_t keeper;
    int keeper_fd;
};

/* Whether fd is the same terminal as standard input. */
bool cli_pty_is_real(int fd);

/* Makes a pseudo-terminal like the terminal of standard input. RF_ERR_USAGE: standard input is not
 * a terminal. */
int cli_pty_open(struct cli_pty *pty, struct rf_err *err);

/* Forks the program: returns its pid, and 0 in it; < 0: an rf_error. To be followed by an exec; a
 * program that ends before it is found by waitpid() with __WALL only. The keeper closes others. */
pid_t cli_pty_fork(struct cli_pty *pty, const int *others, size_t n_others, struct rf_err *err);

/* The mode of the real terminal while the program has it. keeps_output: other processes of our
 * group write to it too. */
struct termios cli_pty_raw(const struct termios *saved, bool keeps_output);
bool cli_pty_is_raw(const struct termios *attributes);

/* Closes everything. The rest of the program's session loses its terminal. */
void cli_pty_release(struct cli_pty *pty);

#endif
