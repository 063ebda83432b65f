/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "cli/command.h"
#include "cli/terminal/terminal.h"

#define SESSION_VARIABLE PROGRAM_SESSION_VARIABLE "="
#define DEFAULT_PATH     "/usr/local/bin:/usr/bin:/bin"
#define LINGER_S         2

/* ---- The environment ---- */

int program_env_init(struct program_env *env, bool inherits)
{
    size_t n = 0;
    while (inherits && environ != NULL && environ[n] != NULL)
        n++;
    env->n = 0;
    env->room = n + 1;
    env->vars = calloc(env->room, sizeof(*env->vars));
    if (env->vars == NULL)
        return RF_ERR_NO_MEMORY;
    for (; env->n < n; env->n++) {
        env->vars[env->n] = strdup(environ[env->n]);
        if (env->vars[env->n] == NULL)
            return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

void program_env_release(struct program_env *env)
{
    for (size_t i = 0; i < env->n; i++)
        free(env->vars[i]);
    free(env->vars);
    env->vars = NULL;
    env->n = env->room = 0;
}

static char **find_variable(const struct program_env *env, const char *name, size_t length)
{
    for (size_t i = 0; i < env->n; i++)
        if (strncmp(env->vars[i], name, length) == 0 && env->vars[i][length] == '=')
            return &env->vars[i];
    return NULL;
}

int program_env_set(struct program_env *env, const char *assignment)
{
    char *copy = strdup(assignment);
    if (copy == NULL)
        return RF_ERR_NO_MEMORY;
    char **old = find_variable(env, assignment, strcspn(assignment, "="));
    if (old != NULL) {
        free(*old);
        *old = copy;
        return RF_OK;
    }
    if (rf_grow_array(&env->vars, env->n + 1, &env->room, sizeof(*env->vars)) != RF_OK) {
        free(copy);
        return RF_ERR_NO_MEMORY;
    }
    env->vars[env->n++] = copy;
    env->vars[env->n] = NULL;
    return RF_OK;
}

/* The bytes of the list's first entry, and what divides it from the next, if it is such a runtime.
 */
static size_t first_runtime(const char *list)
{
    const size_t n = strcspn(list, ": ");
    const bool is_runtime = memmem(list, n, "libasan.so", strlen("libasan.so")) != NULL ||
                            memmem(list, n, "libclang_rt.asan", strlen("libclang_rt.asan")) != NULL;
    return is_runtime ? n + (list[n] != '\0') : 0;
}

int program_env_preload(struct program_env *env, const char *path)
{
    const char *list = program_env_get(env, "LD_PRELOAD");
    char *assignment = NULL;
    list = list != NULL ? list : "";
    const size_t n_first = first_runtime(list);
    const bool is_last = list[n_first] == '\0';
    if (asprintf(&assignment, "LD_PRELOAD=%.*s%s%s%s%s", (int)n_first, list,
                 n_first > 0 && is_last ? ":" : "", path, is_last ? "" : ":", list + n_first) < 0)
        return RF_ERR_NO_MEMORY;
    const int status = program_env_set(env, assignment);
    free(assignment);
    return status;
}

void program_env_unset(struct program_env *env, const char *name)
{
    char **found = find_variable(env, name, strlen(name));
    if (found == NULL)
        return;
    free(*found);
    *found = env->vars[--env->n];
    env->vars[env->n] = NULL;
}

const char *program_env_get(const struct program_env *env, const char *name)
{
    char **found = find_variable(env, name, strlen(name));
    return found != NULL ? *found + strlen(name) + 1 : NULL;
}

/* ---- Finding the program ---- */

/* 0: a file that can be executed; otherwise an errno. */
static int check_executable(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    return access(path, X_OK) == 0 ? 0 : errno;
}

static int fail_found(const char *path, int code, struct rf_err *err)
{
    if (code == ENOENT || code == ENOTDIR) {
        (void)rf_fail(err, RF_ERR_IO, "cannot find '%s': %s", path, strerror(code));
        return CLI_APP_NOT_FOUND;
    }
    (void)rf_fail(err, RF_ERR_IO, "cannot execute '%s': %s", path, strerror(code));
    return CLI_APP_NOT_EXECUTABLE;
}

int program_find(const char *name, const struct program_env *env, char *path, size_t size,
                 struct rf_err *err)
{
    if (strchr(name, '/') != NULL || name[0] == '\0') {
        (void)snprintf(path, size, "%s", name);
        int code = check_executable(path);
        return code == 0 ? 0 : fail_found(path, code, err);
    }
    const char *folders = program_env_get(env, "PATH");
    if (folders == NULL)
        folders = getenv("PATH");
    if (folders == NULL)
        folders = DEFAULT_PATH;
    char refused[PATH_MAX] = "";
    int refused_code = 0;
    for (const char *p = folders;; p++) {
        size_t length = strcspn(p, ":");
        /* an empty entry is the current folder */
        int n = length == 0 ? snprintf(path, size, "./%s", name)
                            : snprintf(path, size, "%.*s/%s", (int)length, p, name);
        int code = n < (int)size ? check_executable(path) : ENAMETOOLONG;
        if (code == 0)
            return 0;
        if (code != ENOENT && code != ENOTDIR && code != EISDIR && code != ENAMETOOLONG &&
            refused_code == 0) {
            refused_code = code;
            (void)snprintf(refused, sizeof(refused), "%s", path);
        }
        p += length;
        if (*p == '\0')
            break;
    }
    if (refused_code != 0)
        return fail_found(refused, refused_code, err);
    (void)rf_fail(err, RF_ERR_IO, "cannot find the program '%s' along PATH", name);
    return CLI_APP_NOT_FOUND;
}

/* ---- The child ---- */

/* What the child needs, allocated before the fork: the child only writes into it. */
struct start {
    const char *path;
    char **argv;
    char **env;
    char **session_entry; /* the last of env */
    char *session;        /* the space after that variable's name */
    size_t session_size;
};

static void run_child(const struct start *start, int go_fd, int error_fd)
{
    size_t at = 0;
    int code = 0;
    while (at < start->session_size) {
        ssize_t n = read(go_fd, start->session + at, start->session_size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(CLI_PROFILE_FAILED); /* told to give up, or the parent is gone */
        at += (size_t)n;
        if (start->session[at - 1] == '\0')
            break;
    }
    if (start->session[0] == '\0')
        *start->session_entry = NULL;
    environ = start->env;
    (void)execvp(start->path, start->argv);
    code = errno;
    (void)!write(error_fd, &code, sizeof(code));
    _exit(CLI_PROFILE_FAILED);
}

/* The child's variables: env's and room for RANGEFINDER_SESSION at the end. */
static char **make_child_env(const struct program_env *env, char *session, char ***session_entry)
{
    char **vars = calloc(env->n + 2, sizeof(*vars));
    size_t n = 0;
    if (vars == NULL)
        return NULL;
    for (size_t i = 0; i < env->n; i++)
        if (strncmp(env->vars[i], SESSION_VARIABLE, strlen(SESSION_VARIABLE)) != 0)
            vars[n++] = env->vars[i];
    vars[n] = session;
    *session_entry = &vars[n];
    return vars;
}

static void close_pipe(int fds[2])
{
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
}

/* As fork(), with err. fds: descriptors that only we and the program may hold. */
static pid_t fork_child(const struct program *program, const char *path, const int fds[4],
                        struct rf_err *err)
{
    if (program->terminal != NULL)
        return cli_terminal_fork(program->terminal, fds, 4, err);
    pid_t pid = fork();
    if (pid < 0)
        (void)rf_fail(err, RF_ERR_IO, "cannot start '%s': %s", path, strerror(errno));
    return pid;
}

int program_prepare(struct program *program, const char *path, char **argv,
                    const struct program_env *env, struct rf_err *err)
{
    char entry[sizeof(SESSION_VARIABLE) + PATH_MAX] = SESSION_VARIABLE;
    struct start start = {path, argv, NULL, NULL, entry + strlen(SESSION_VARIABLE), PATH_MAX};
    start.env = make_child_env(env, entry, &start.session_entry);
    int go[2] = {-1, -1}, error[2] = {-1, -1};
    int status = RF_OK;
    if (start.env == NULL || pipe2(go, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0)
        status = rf_fail(err, RF_ERR_IO, "cannot start '%s': %s", path, strerror(errno));
    if (status == RF_OK) {
        const int fds[4] = {go[0], go[1], error[0], error[1]};
        program->pid = fork_child(program, path, fds, err);
        status = program->pid < 0 ? RF_ERR_IO : RF_OK;
    }
    if (status == RF_OK && program->pid == 0) {
        (void)close(go[1]); /* otherwise it would never see the end of the pipe */
        run_child(&start, go[0], error[1]);
    }
    if (status == RF_OK) {
        program->go_fd = go[1];
        program->error_fd = error[0];
        go[1] = error[0] = -1;
    }
    close_pipe(go);
    close_pipe(error);
    free(start.env);
    return status;
}

/* Waits for a child that did not become the program. */
static void wait_for_child(const struct program *program)
{
    while (waitpid(program->pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
}

int program_start(struct program *program, const char *session_dir)
{
    int code = 0;
    if (program->terminal != NULL)
        cli_terminal_start(program->terminal);
    ssize_t n = write(program->go_fd, session_dir, strlen(session_dir) + 1);
    (void)close(program->go_fd);
    while (n > 0 && (n = read(program->error_fd, &code, sizeof(code))) < 0 && errno == EINTR)
        n = 1;
    (void)close(program->error_fd);
    if (n != (ssize_t)sizeof(code))
        return 0;
    if (program->terminal != NULL) /* without an exec only __WALL finds it */
        wait_for_child(program);
    return code;
}

void program_cancel(struct program *program)
{
    (void)close(program->go_fd);
    (void)close(program->error_fd);
    wait_for_child(program);
}

/* ---- Until its end ---- */

/* The signals that are always held; a terminal of the program's adds others. */
static void held_signals(sigset_t *set)
{
    static const int signals[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    (void)sigemptyset(set);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)sigaddset(set, signals[i]);
}

void program_hold_signals(bool adopts_orphans)
{
    sigset_t set;
    struct sigaction standard = {.sa_handler = SIG_DFL};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    held_signals(&set);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    /* ignored children cannot be waited for; ignored signals would not be held */
    (void)sigaction(SIGCHLD, &standard, NULL);
    (void)sigaction(SIGPIPE, &ignore, NULL);
    if (adopts_orphans)
        (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Collects ended children. Returns whether there is more to wait for. */
static bool reap(const struct program *program, bool waits_for_all, bool *is_root_done,
                 struct program_ending *ending)
{
    int flags = WNOHANG | (program->terminal != NULL ? WUNTRACED : 0);
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, flags)) > 0) {
        if (pid != program->pid)
            continue;
        if (WIFSTOPPED(status)) {
            cli_terminal_suspend(program->terminal, program->pid);
            continue;
        }
        ending->is_known = true;
        ending->status = status;
        *is_root_done = true;
    }
    if (pid < 0 && errno == ECHILD) {
        *is_root_done = true;
        return false;
    }
    return !*is_root_done || waits_for_all;
}

/* Handles signals between our terminal and the program's. Returns whether the signal is done with.
 */
static bool pass_between_terminals(const struct program *program, bool is_root_done, int signal,
                                   const siginfo_t *info)
{
    switch (signal) {
    case SIGWINCH:
        cli_terminal_resize(program->terminal);
        return true;
    case SIGCONT:
        cli_terminal_resume(program->terminal);
        return true;
    case SIGTSTP:
        if (is_root_done)
            cli_terminal_suspend(program->terminal, 0);
        else
            cli_terminal_signal(program->terminal, signal);
        return true;
    default:
        break;
    }
    if (info->si_code <= 0) /* not of our terminal */
        return false;
    if (signal == SIGHUP)
        cli_terminal_hang_up(program->terminal);
    else
        cli_terminal_signal(program->terminal, signal);
    return false;
}

/* The terminal sends its signals to the program too (si_code SI_KERNEL), unless the program has its
 * own terminal. A hang-up it sends only to the leader of its session, which may be us in the
 * program's place. */
static bool is_for_program(const struct program *program, int signal, const siginfo_t *info)
{
    if (info->si_code > 0)
        return signal == SIGHUP && program->terminal == NULL && getsid(0) == getpid();
    return info->si_pid != program->pid;
}

/* Passes a signal that a process sent to us on to the program, unless the program sent it itself,
 * to its group. Returns whether to keep waiting. */
static bool pass_on(const struct program *program, bool is_root_done, int signal,
                    const siginfo_t *info)
{
    if (signal == SIGCHLD)
        return true;
    if (program->terminal != NULL && pass_between_terminals(program, is_root_done, signal, info))
        return true;
    if (is_root_done)
        return signal == SIGUSR1 || signal == SIGUSR2;
    if (is_for_program(program, signal, info))
        (void)kill(program->pid, signal);
    return true;
}

void program_watch(const struct program *program, bool waits_for_all,
                   const struct program_watch_hooks *hooks, struct program_ending *ending)
{
    static const struct timespec linger = {LINGER_S, 0};
    sigset_t set;
    bool is_root_done = false, was_root_done = false, has_lingered = false;
    held_signals(&set);
    if (program->terminal != NULL)
        cli_terminal_add_signals(&set);
    memset(ending, 0, sizeof(*ending));
    for (;;) {
        bool is_more = reap(program, waits_for_all, &is_root_done, ending);
        if (is_root_done && !was_root_done && program->terminal != NULL)
            cli_terminal_end_input(program->terminal);
        if (is_root_done && !was_root_done)
            hooks->on_root_end(hooks->context, ending);
        was_root_done = is_root_done;
        if (!is_more)
            return;
        siginfo_t info;
        bool is_patient = !is_root_done || has_lingered;
        int signal = is_patient ? sigwaitinfo(&set, &info) : sigtimedwait(&set, &info, &linger);
        if (signal > 0 && !pass_on(program, is_root_done, signal, &info))
            return;
        if (signal < 0 && errno == EAGAIN) {
            hooks->on_lingering(hooks->context);
            has_lingered = true;
        }
    }
}

int program_ending_status(const struct program_ending *ending)
{
    if (!ending->is_known)
        return CLI_PROFILE_FAILED;
    return WIFSIGNALED(ending->status) ? 128 + WTERMSIG(ending->status)
                                       : WEXITSTATUS(ending->status);
}
