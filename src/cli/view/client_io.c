/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view/client_io.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>

#include "log/ticks.h"

#define NS_PER_MS INT64_C(1000000)
#define PIECE     (4u << 20)

/* Returns whether the socket is ready before a time. */
static bool wait_for(int fd, short what, int64_t until_ns)
{
    struct pollfd wait = {fd, what, 0};
    for (;;) {
        int64_t left_ms = (until_ns - rf_clock_ns(CLOCK_MONOTONIC)) / NS_PER_MS;
        if (left_ms <= 0)
            return false;
        int n = poll(&wait, 1, left_ms < INT_MAX ? (int)left_ms : INT_MAX);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
}

/* Of a call that sent or received nothing: whether it is to be made again. */
static bool is_passing(void)
{
    return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

bool client_read_head(int fd, const struct client_limits *limits, char *text, size_t size)
{
    const int64_t until = rf_clock_ns(CLOCK_MONOTONIC) + limits->head_ms * NS_PER_MS;
    size_t n = 0;
    text[0] = '\0';
    while (n + 1 < size && wait_for(fd, POLLIN, until)) {
        ssize_t got = recv(fd, text + n, size - 1 - n, 0);
        if (got < 0 && is_passing())
            continue;
        if (got <= 0)
            return false;
        n += (size_t)got;
        text[n] = '\0';
        if (strlen(text) < n)
            return false;
        if (strstr(text, "\r\n\r\n") != NULL)
            return true;
    }
    return false;
}

void client_answer_begin(struct client_answer *answer, int fd, const struct client_limits *limits)
{
    *answer = (struct client_answer){fd, limits, rf_clock_ns(CLOCK_MONOTONIC), 0};
}

/* Waits until the client takes more. What has been sent gives it time; a client that took much at
 * first may not stand still for ever either. */
static bool wait_for_room(const struct client_answer *answer)
{
    const struct client_limits *limits = answer->limits;
    const int64_t stall_until = rf_clock_ns(CLOCK_MONOTONIC) + limits->stall_ms * NS_PER_MS;
    const int64_t until = answer->begin_ns + limits->grace_ms * NS_PER_MS +
                          (int64_t)(answer->n_sent * 1000 / limits->bytes_per_s) * NS_PER_MS;
    return wait_for(answer->fd, POLLOUT, until < stall_until ? until : stall_until);
}

bool client_send(struct client_answer *answer, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = wait_for_room(answer) ? send(answer->fd, data, size, MSG_NOSIGNAL) : 0;
        if (n < 0 && is_passing())
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
        answer->n_sent += (uint64_t)n;
    }
    return true;
}

bool client_send_file(struct client_answer *answer, int file_fd, uint64_t size)
{
    off_t at = 0;
    while ((uint64_t)at < size) {
        ssize_t n = wait_for_room(answer) ? sendfile(answer->fd, file_fd, &at, PIECE) : 0;
        if (n < 0 && is_passing())
            continue;
        if (n <= 0)
            return false;
        answer->n_sent += (uint64_t)n;
    }
    return true;
}
