/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drain/handout.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"
#include "cli/drain/bus_guard.h"
#include "cli/drain/process_files.h"
#include "log/ticks.h"
#include "session/session_dir.h"

#define BACKLOG        4096 /* the system may allow fewer; a whole process tree may start at once */
#define QUESTION_MS    1000 /* a process of the program sends its request at once */
#define MAX_GENERATION 10000

struct cli_handout {
    const struct session_dir *session;
    pid_t root;
    int listen_fd;
    int stop_fd; /* eventfd */
    pthread_t thread;
};

void cli_handout_name(char name[RF_ASK_NAME_SIZE])
{
    uint64_t id[2];
    if (!rf_random_bytes(id, sizeof(id), GRND_NONBLOCK)) {
        id[0] = (uint64_t)rf_clock_ns(CLOCK_REALTIME);
        id[1] = (uint64_t)rf_clock_ns(CLOCK_BOOTTIME) << 20 ^ (uint64_t)getpid();
    }
    (void)snprintf(name, RF_ASK_NAME_SIZE, "rangefinder-%016" PRIx64 "%016" PRIx64, id[0], id[1]);
}

/* ---- Who asks ---- */

/* The parent of a process; 0: unknown. */
static pid_t parent_of(pid_t pid)
{
    char path[64], text[1024];
    long parent = 0;
    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    size_t n = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    text[n] = '\0';
    if (file != NULL)
        (void)fclose(file);
    /* the name, in parentheses, may hold anything; the state and the parent follow it */
    const char *at = strrchr(text, ')');
    return at != NULL && sscanf(at, ") %*c %ld", &parent) == 1 ? (pid_t)parent : 0;
}

/* Orphans of the program are our children, where we wait for them. */
static bool is_of_program(const struct cli_handout *handout, pid_t pid)
{
    for (int i = 0; i < MAX_GENERATION && pid > 1; i++) {
        if (pid == handout->root || pid == getpid())
            return true;
        pid = parent_of(pid);
    }
    return false;
}

/* Whether its environment has the name of our socket: it may be part of the program, which cannot
 * be told for certain. */
static bool seems_of_program(const struct cli_handout *handout, pid_t pid)
{
    static const size_t room = 1u << 20;
    char path[64], wanted[sizeof(RF_ASK_VARIABLE "=") + RF_ASK_NAME_SIZE];
    (void)snprintf(wanted, sizeof(wanted), RF_ASK_VARIABLE "=%s",
                   handout->session->control->socket);
    (void)snprintf(path, sizeof(path), "/proc/%ld/environ", (long)pid);
    FILE *file = fopen(path, "re");
    char *text = file != NULL ? malloc(room) : NULL;
    size_t n = text != NULL ? fread(text, 1, room, file) : 0;
    bool has_it = text != NULL && memmem(text, n, wanted, strlen(wanted) + 1) != NULL;
    free(text);
    if (file != NULL)
        (void)fclose(file);
    return has_it;
}

static bool get_peer(int fd, struct ucred *peer)
{
    socklen_t size = sizeof(*peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &size) == 0;
}

/* ---- What is asked for ---- */

static int hand_control(const struct cli_handout *handout, int fds[RF_ASK_MAX_FDS])
{
    char path[PATH_MAX + 16];
    (void)snprintf(path, sizeof(path), "%s/" RF_CONTROL_FILE, handout->session->dir);
    fds[0] = open(path, O_RDWR | O_CLOEXEC);
    return fds[0] >= 0 ? 0 : errno;
}

/* A number is given out once: the files of a process are its own. */
static int hand_files(const struct cli_handout *handout, uint32_t process, int fds[RF_ASK_MAX_FDS])
{
    const struct rf_control *control = handout->session->control;
    const char *dir = handout->session->dir;
    if (process >= __atomic_load_n(&control->n_processes, __ATOMIC_ACQUIRE))
        return EINVAL;
    int code = process_files_make(control, dir, process);
    for (int i = 0; i < (int)RF_ASK_MAX_FDS && code == 0; i++) {
        fds[i] = process_files_open(dir, process, (enum rf_ask_file)i);
        code = fds[i] >= 0 ? 0 : errno;
    }
    return code;
}

static void note_failure(const struct cli_handout *handout, pid_t pid, const char *reason)
{
    char text[RF_MESSAGE_SIZE];
    struct rf_control *control = handout->session->control;
    (void)snprintf(text, sizeof(text), "process %ld %s", (long)pid, reason);
    (void)__atomic_fetch_add(&control->n_failed_processes, 1, __ATOMIC_RELAXED);
    session_post_message(control, text);
}

/* Returns 0 or an errno. */
static int do_as_asked(const struct cli_handout *handout, struct rf_ask *ask,
                       const struct ucred *peer, int fds[RF_ASK_MAX_FDS])
{
    switch (ask->kind) {
    case RF_ASK_CONTROL:
        return hand_control(handout, fds);
    case RF_ASK_FILES:
        return hand_files(handout, ask->process, fds);
    case RF_ASK_ROOM:
        return process_files_reserve(handout->session->dir, ask);
    case RF_ASK_FAILED:
        ask->text[sizeof(ask->text) - 1] = '\0';
        note_failure(handout, peer->pid, ask->text);
        return 0;
    default:
        return EINVAL;
    }
}

/* ---- The conversation ---- */

static void answer(int fd, int code, const int fds[RF_ASK_MAX_FDS])
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(RF_ASK_MAX_FDS * sizeof(int))];
    } control;
    struct rf_answer text = {.status = -code};
    struct iovec data = {&text, sizeof(text)};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    memcpy(text.magic, RF_ASK_MAGIC, sizeof(text.magic));
    while (code == 0 && text.n_fds < RF_ASK_MAX_FDS && fds[text.n_fds] >= 0)
        text.n_fds++;
    if (text.n_fds > 0) {
        memset(&control, 0, sizeof(control));
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(text.n_fds * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(text.n_fds * sizeof(int));
        memcpy(CMSG_DATA(&control.header), fds, text.n_fds * sizeof(int));
    }
    (void)sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void serve(const struct cli_handout *handout, int fd)
{
    struct rf_ask ask;
    struct ucred peer;
    int fds[RF_ASK_MAX_FDS] = {-1, -1};
    struct pollfd question = {.fd = fd, .events = POLLIN};
    if (!get_peer(fd, &peer))
        return;
    if (!is_of_program(handout, peer.pid)) { /* unknown processes are not waited for */
        if (seems_of_program(handout, peer.pid))
            note_failure(handout, peer.pid,
                         "cannot open the session, and is no child of the program: not recorded");
        answer(fd, EACCES, fds);
        return;
    }
    if (poll(&question, 1, QUESTION_MS) != 1 ||
        recv(fd, &ask, sizeof(ask), MSG_DONTWAIT) != (ssize_t)sizeof(ask) ||
        memcmp(ask.magic, RF_ASK_MAGIC, sizeof(ask.magic)) != 0)
        return;
    answer(fd, do_as_asked(handout, &ask, &peer, fds), fds);
    for (size_t i = 0; i < RF_ASK_MAX_FDS; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
}

static void *run(void *context)
{
    const struct cli_handout *handout = context;
    const struct timespec pause = {0, 50000000};
    for (;;) {
        struct pollfd wanted[2] = {{.fd = handout->stop_fd, .events = POLLIN},
                                   {.fd = handout->listen_fd, .events = POLLIN}};
        (void)poll(wanted, 2, -1);
        if (wanted[0].revents != 0)
            return NULL;
        int fd = accept4(handout->listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0) {
            serve(handout, fd);
            (void)close(fd);
        } else if (errno == EMFILE || errno == ENFILE) {
            (void)nanosleep(&pause, NULL); /* the connection still waits */
        }
    }
}

/* ---- Beginning and end ---- */

static int listen_at(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strnlen(name, RF_ASK_NAME_SIZE);
    memcpy(address.sun_path + 1, name, length);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, size) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    int code = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = code;
    return -1;
}

/* Signals are the main thread's. Returns 0 or an errno. */
static int start_thread(struct cli_handout *handout)
{
    sigset_t all, before;
    bus_guard_thread_mask(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&handout->thread, NULL, run, handout);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

struct cli_handout *cli_handout_start(const struct session_dir *session, pid_t root,
                                      struct rf_err *err)
{
    struct cli_handout *handout = malloc(sizeof(*handout));
    int code = handout == NULL ? ENOMEM : 0;
    if (code == 0) {
        *handout = (struct cli_handout){.session = session, .root = root};
        handout->stop_fd = eventfd(0, EFD_CLOEXEC);
        handout->listen_fd = listen_at(session->control->socket);
        if (handout->stop_fd < 0 || handout->listen_fd < 0)
            code = errno;
        else
            code = start_thread(handout);
    }
    if (code == 0)
        return handout;
    session->control->socket[0] = '\0';
    (void)rf_fail(err, RF_ERR_IO,
                  "processes that become another user cannot be recorded: no socket for them: %s",
                  strerror(code));
    if (handout != NULL && handout->stop_fd >= 0)
        (void)close(handout->stop_fd);
    if (handout != NULL && handout->listen_fd >= 0)
        (void)close(handout->listen_fd);
    free(handout);
    return NULL;
}

void cli_handout_stop(struct cli_handout *handout)
{
    const uint64_t one = 1;
    if (handout == NULL)
        return;
    (void)!write(handout->stop_fd, &one, sizeof(one));
    (void)pthread_join(handout->thread, NULL);
    memset(handout->session->control->socket, 0, sizeof(handout->session->control->socket));
    (void)close(handout->listen_fd);
    (void)close(handout->stop_fd);
    free(handout);
}
