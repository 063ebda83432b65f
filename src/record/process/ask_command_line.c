/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the command line for what this process cannot open, when the process starts to record and
 * when a file must grow, never on an event. The wait is short: a command line that has died
 * refuses at once. */
#include "record/process/ask_command_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "log/ticks.h"

#define PATIENCE_S 5

static const char *socket_name(void)
{
    const struct rf_control *control = rf_recorder.control;
    const char *name = control != NULL ? control->socket : getenv(RF_ASK_VARIABLE);
    return name != NULL && name[0] != '\0' ? name : NULL;
}

/* Connects to the command line. Returns a descriptor or a negative errno. */
static long reach(int64_t until)
{
    const struct timeval patience = {PATIENCE_S, 0};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name = socket_name();
    size_t length = name != NULL ? strnlen(name, RF_ASK_NAME_SIZE) : 0;
    if (length == 0 || length == RF_ASK_NAME_SIZE)
        return -ENOENT;
    memcpy(address.sun_path + 1, name, length);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    long fd = RF_SYSCALL4(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, 0);
    if (fd < 0)
        return fd;
    (void)rf_syscall6(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, (long)&patience,
                      sizeof(patience), 0);
    (void)rf_syscall6(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, (long)&patience,
                      sizeof(patience), 0);
    long status;
    do
        status = RF_SYSCALL4(SYS_connect, fd, &address, size, 0);
    while (status == -EINTR && rf_clock_ns(CLOCK_MONOTONIC) < until);
    if (status == 0)
        return fd;
    rf_sys_close((int)fd);
    return status;
}

/* Takes the descriptors out of a message. */
static void take_fds(struct msghdr *message, int *fds)
{
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (header == NULL || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
        return;
    size_t n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(fds, CMSG_DATA(header), (n < RF_ASK_MAX_FDS ? n : RF_ASK_MAX_FDS) * sizeof(int));
}

static long receive(int fd, struct rf_answer *answer, int *fds, int64_t until)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(RF_ASK_MAX_FDS * sizeof(int))];
    } control;
    struct iovec data = {answer, sizeof(*answer)};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    long n;
    do
        n = RF_SYSCALL4(SYS_recvmsg, fd, &message, MSG_CMSG_CLOEXEC, 0);
    while (n == -EINTR && rf_clock_ns(CLOCK_MONOTONIC) < until);
    if (n < 0)
        return n;
    take_fds(&message, fds);
    if (n != sizeof(*answer) || memcmp(answer->magic, RF_ASK_MAGIC, sizeof(answer->magic)) != 0)
        return -ECONNRESET;
    return answer->status;
}

long rf_ask_command_line(struct rf_ask *ask, int fds[RF_ASK_MAX_FDS])
{
    struct rf_answer answer;
    int64_t until = rf_clock_ns(CLOCK_MONOTONIC) + PATIENCE_S * 1000000000LL;
    for (uint32_t i = 0; i < RF_ASK_MAX_FDS; i++)
        fds[i] = -1;
    long fd = reach(until);
    if (fd < 0)
        return fd;
    memcpy(ask->magic, RF_ASK_MAGIC, sizeof(ask->magic));
    long status = rf_syscall6(SYS_sendto, fd, (long)ask, sizeof(*ask), MSG_NOSIGNAL, 0, 0);
    if (status >= 0)
        status = receive((int)fd, &answer, fds, until);
    rf_sys_close((int)fd);
    if (status < 0)
        rf_ask_close_fds(fds);
    return status;
}

void rf_ask_close_fds(int fds[RF_ASK_MAX_FDS])
{
    for (uint32_t i = 0; i < RF_ASK_MAX_FDS; i++)
        if (fds[i] >= 0)
            rf_sys_close(fds[i]);
}
