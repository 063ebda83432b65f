/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/terminal_pty.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/sched.h>

#include "base/error.h"

/* ---- The terminals ---- */

/* The device of a descriptor; /dev/tty is an alias of it. */
static bool find_device(int fd, unsigned long *device)
{
    unsigned int number;
    struct stat st;
    if (!isatty(fd))
        return false;
    if (ioctl(fd, TIOCGDEV, &number) == 0) {
        *device = number;
        return true;
    }
    if (fstat(fd, &st) != 0)
        return false;
    *device = (unsigned long)st.st_rdev;
    return true;
}

bool cli_pty_is_real(int fd)
{
    unsigned long real, device;
    return find_device(STDIN_FILENO, &real) && find_device(fd, &device) && real == device;
}

struct termios cli_pty_raw(const struct termios *saved, bool keeps_output)
{
    struct termios raw = *saved;
    cfmakeraw(&raw);
    if (keeps_output)
        raw.c_oflag = saved->c_oflag;
    raw.c_cc[VMIN] = 0; /* reads must not block: another process may have read first */
    raw.c_cc[VTIME] = 0;
    return raw;
}

/* No other program sets non-blocking reads on a terminal without echo. */
bool cli_pty_is_raw(const struct termios *attributes)
{
    return (attributes->c_lflag & (ICANON | ECHO | ISIG)) == 0 && attributes->c_cc[VMIN] == 0 &&
           attributes->c_cc[VTIME] == 0;
}

/* In the background the terminal may be in another process's mode, such as a shell's that edits a
 * line. */
static void make_usual(struct termios *attributes)
{
    attributes->c_iflag |= BRKINT | ICRNL | IXON;
    attributes->c_iflag &= ~(tcflag_t)(INLCR | IGNCR | ISTRIP);
    attributes->c_oflag |= OPOST | ONLCR;
    attributes->c_lflag |= ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK;
    attributes->c_cc[VMIN] = 1;
    attributes->c_cc[VTIME] = 0;
}

static int open_slave(int master)
{
    char path[PATH_MAX];
    int flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
    if (unlockpt(master) != 0)
        return -1;
#ifdef TIOCGPTPEER /* works where the path belongs to another mount namespace */
    int slave = ioctl(master, TIOCGPTPEER, flags);
    if (slave >= 0)
        return slave;
#endif
    return ptsname_r(master, path, sizeof(path)) == 0 ? open(path, flags) : -1;
}

int cli_pty_open(struct cli_pty *pty, struct rf_err *err)
{
    struct winsize size;
    memset(pty, 0, sizeof(*pty));
    pty->master = pty->slave = pty->keeper_fd = -1;
    pty->real_fd = STDIN_FILENO;
    if (!isatty(pty->real_fd) || tcgetattr(pty->real_fd, &pty->saved) != 0)
        return rf_fail(err, RF_ERR_USAGE,
                       "a hotkey is pressed in the program's terminal, and standard input is none; "
                       "to begin and end a capture without one: -c nvtx -p RANGE, -c "
                       "cudaProfilerApi, -y SECONDS and -d SECONDS, or 'rangefinder start' and "
                       "'rangefinder stop' from another terminal");
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (cli_pty_is_real(fd))
            pty->descriptors |= 1u << fd;
    pty->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (pty->master >= 0)
        pty->slave = open_slave(pty->master);
    if (pty->slave < 0) {
        int code = errno;
        cli_pty_release(pty);
        return rf_fail(err, RF_ERR_IO, "cannot make a pseudo-terminal for the hotkey: %s",
                       strerror(code));
    }
    struct termios attributes = pty->saved;
    pid_t foreground = tcgetpgrp(pty->real_fd);
    if (foreground >= 0 && foreground != getpgrp())
        make_usual(&attributes);
    (void)tcsetattr(pty->master, TCSANOW, &attributes);
    if (ioctl(pty->real_fd, TIOCGWINSZ, &size) == 0)
        (void)ioctl(pty->master, TIOCSWINSZ, &size);
    return RF_OK;
}

/* ---- The processes ---- */

/* The caller only makes system calls until it ends or becomes another program. */
static pid_t fork_raw(unsigned long flags)
{
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
}

/* What the keeper needs. */
struct keeping {
    const struct cli_pty *pty;
    const int *others; /* descriptors that it must not hold open */
    size_t n_others;
    int control_fd; /* closed when we end; a byte before that: the terminal is restored */
    int report_fd;  /* receives the program's pid, or an errno as a negative number */
    pid_t anchor;
};

static void close_others(const struct keeping *keeping)
{
    for (size_t i = 0; i < keeping->n_others; i++)
        (void)close(keeping->others[i]);
    (void)close(keeping->pty->master);
}

__attribute__((noreturn)) static void run_anchor(const struct keeping *keeping, pid_t keeper)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper)
        _exit(0); /* it ended before the line above */
    close_others(keeping);
    (void)close(keeping->control_fd);
    (void)close(keeping->report_fd);
    (void)close(keeping->pty->slave);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        (void)close(fd);
    for (;;)
        (void)pause();
}

/* We have ended, and the terminal is still raw. */
static void rescue_real(const struct cli_pty *pty)
{
    struct termios now;
    if (tcgetattr(pty->real_fd, &now) == 0 && cli_pty_is_raw(&now))
        (void)tcsetattr(pty->real_fd, TCSANOW, &pty->saved);
}

__attribute__((noreturn)) static void keep(const struct keeping *keeping)
{
    char byte;
    ssize_t n;
    (void)close(keeping->report_fd);
    while ((n = read(keeping->control_fd, &byte, 1)) < 0 && errno == EINTR)
        ;
    if (n > 0) /* so that our end hangs up only on us */
        (void)tcsetpgrp(keeping->pty->slave, getpgrp());
    else
        rescue_real(keeping->pty);
    /* not left to an init that may not collect it */
    (void)kill(keeping->anchor, SIGKILL);
    while (waitpid(keeping->anchor, NULL, 0) < 0 && errno == EINTR)
        ;
    _exit(0);
}

/* In the program: makes it the leader of a new group in the foreground, which only it can do.
 * Returns 0 or an errno. */
static int lead_group(int slave)
{
    sigset_t set, before;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTTOU);
    (void)sigprocmask(SIG_BLOCK, &set, &before);
    int code = setpgid(0, 0) == 0 && tcsetpgrp(slave, getpid()) == 0 ? 0 : errno;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* Returns its pid, or an errno as a negative number. */
static pid_t add_anchor(struct keeping *keeping, pid_t program, int ready_fd)
{
    pid_t keeper = getpid();
    int code = 0;
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    if (read(ready_fd, &code, sizeof(code)) != sizeof(code))
        return -ECHILD;
    if (code != 0)
        return -code;
    pid_t anchor = fork_raw(SIGCHLD);
    if (anchor == 0)
        run_anchor(keeping, keeper);
    keeping->anchor = anchor;
    return anchor > 0 && setpgid(anchor, program) == 0 ? anchor : -errno;
}

/* Starts the program in a group of its own, held by an anchor. Returns its pid, 0 in it, or an
 * errno as a negative number. */
static pid_t start_program(struct keeping *keeping)
{
    int ready[2];
    (void)prctl(PR_SET_NAME, "rangefinder-tty");
    if (setsid() < 0 || ioctl(keeping->pty->slave, TIOCSCTTY, 0) != 0 ||
        pipe2(ready, O_CLOEXEC) != 0)
        return -errno;
    pid_t program = fork_raw(CLONE_PARENT | SIGCHLD);
    if (program < 0)
        return -errno;
    if (program == 0) {
        int code = lead_group(keeping->pty->slave);
        (void)!write(ready[1], &code, sizeof(code));
        return 0;
    }
    (void)close(ready[1]); /* otherwise we would not notice that it was killed */
    pid_t anchor = add_anchor(keeping, program, ready[0]);
    (void)close(ready[0]);
    if (anchor < 0)
        (void)kill(program, SIGKILL);
    return anchor < 0 ? anchor : program;
}

/* Returns in the program only. */
static void run_keeper(struct keeping *keeping)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    pid_t program = start_program(keeping);
    if (program == 0)
        return;
    /* otherwise another process could get the anchor's pid */
    (void)sigaction(SIGCHLD, &standard, NULL);
    close_others(keeping);
    if (write(keeping->report_fd, &program, sizeof(program)) != sizeof(program) || program < 0)
        _exit(0);
    keep(keeping);
}

static void become_program(const struct cli_pty *pty)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (pty->descriptors & 1u << fd)
            (void)dup2(pty->slave, fd);
}

static pid_t read_report(int fd)
{
    pid_t program;
    ssize_t n;
    while ((n = read(fd, &program, sizeof(program))) < 0 && errno == EINTR)
        ;
    return n == (ssize_t)sizeof(program) ? program : -ECHILD;
}

pid_t cli_pty_fork(struct cli_pty *pty, const int *others, size_t n_others, struct rf_err *err)
{
    int control[2], report[2];
    if (pipe2(control, O_CLOEXEC) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(report, O_CLOEXEC) != 0) {
        int code = errno;
        (void)close(control[0]);
        (void)close(control[1]);
        return rf_fail(err, RF_ERR_IO, "cannot make a pipe: %s", strerror(code));
    }
    /* without an exit signal: waitpid(-1) ignores it; an exec resets the program's */
    pid_t keeper = fork_raw(0);
    if (keeper == 0) {
        struct keeping keeping = {pty, others, n_others, control[0], report[1], 0};
        (void)close(control[1]); /* otherwise it would never notice our end */
        run_keeper(&keeping);
        become_program(pty);
        return 0;
    }
    (void)close(control[0]);
    (void)close(report[1]);
    pid_t program = keeper > 0 ? read_report(report[0]) : -errno;
    (void)close(report[0]);
    pty->keeper = keeper;
    pty->keeper_fd = control[1];
    (void)close(pty->slave);
    pty->slave = -1;
    if (program > 0)
        return program;
    return rf_fail(err, RF_ERR_IO, "cannot start a program in a pseudo-terminal: %s",
                   strerror(-program));
}

void cli_pty_release(struct cli_pty *pty)
{
    if (pty->keeper_fd >= 0) {
        (void)!write(pty->keeper_fd, "", 1);
        (void)close(pty->keeper_fd);
    }
    while (pty->keeper > 0 && waitpid(pty->keeper, NULL, __WALL) < 0 && errno == EINTR)
        ;
    if (pty->slave >= 0)
        (void)close(pty->slave);
    if (pty->master >= 0)
        (void)close(pty->master);
    pty->keeper = 0;
    pty->master = pty->slave = pty->keeper_fd = -1;
}
