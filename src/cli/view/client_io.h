/* SPDX-License-Identifier: Apache-2.0 */
/* Reading from and writing to a socket whose other end may be slow, or stand still on purpose: a
 * request and an answer both have an end. The socket does not block. Any thread. */
#ifndef RF_CLI_VIEW_CLIENT_IO_H
#define RF_CLI_VIEW_CLIENT_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client_limits {
    int head_ms;          /* for the head of a request, all of it */
    int stall_ms;         /* for an answer in which nothing moves */
    int grace_ms;         /* for an answer, besides the time that its bytes are given: */
    unsigned bytes_per_s; /* what is slower ends */
};

#define CLIENT_LIMITS                                                                              \
    {                                                                                              \
        .head_ms = 5000, .stall_ms = 30000, .grace_ms = 30000, .bytes_per_s = 32768                \
    }

/* An answer on its way. */
struct client_answer {
    int fd;
    const struct client_limits *limits;
    int64_t begin_ns;
    uint64_t n_sent;
};

/* Reads up to the empty line, with a zero byte behind it. Returns whether it arrived in time,
 * without a zero byte in it. text is "" if nothing came. */
bool client_read_head(int fd, const struct client_limits *limits, char *text, size_t size);

void client_answer_begin(struct client_answer *answer, int fd, const struct client_limits *limits);

/* Return whether all was sent: the client did not go away, and took it in time. */
bool client_send(struct client_answer *answer, const char *data, size_t size);
bool client_send_file(struct client_answer *answer, int file_fd, uint64_t size);

#endif
