/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session/session_message.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "log/ticks.h"

/* ---- Text ---- */

static bool is_plain(unsigned char c, const char *also)
{
    return c > ' ' && c != 0x7f && c != '%' && strchr(also, c) == NULL;
}

size_t session_escape(char *out, size_t size, const char *text, const char *also)
{
    size_t at = 0;
    for (const char *p = text; *p != '\0'; p++) {
        unsigned char c = (unsigned char)*p;
        size_t length = is_plain(c, also) ? 1 : 3;
        if (at + length >= size)
            return SIZE_MAX;
        if (length == 1)
            out[at] = *p;
        else
            (void)snprintf(out + at, size - at, "%%%02X", (unsigned)c);
        at += length;
    }
    if (at >= size)
        return SIZE_MAX;
    out[at] = '\0';
    return at;
}

bool session_unescape(char *text)
{
    char *to = text;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '%') {
            if (!isxdigit((unsigned char)p[1]) || !isxdigit((unsigned char)p[2]))
                return false;
            const char digits[3] = {p[1], p[2], '\0'};
            *to++ = (char)strtoul(digits, NULL, 16);
            p += 2;
        } else {
            *to++ = *p;
        }
    }
    *to = '\0';
    return true;
}

/* ---- Messages ---- */

void session_message_begin(struct session_message *message, const char *word)
{
    message->size = (size_t)snprintf(message->text, sizeof(message->text) - 1, "%s", word);
}

void session_message_add(struct session_message *message, const char *key, const char *value)
{
    /* one byte stays free for the newline */
    size_t before = message->size, room = sizeof(message->text) - 1 - before;
    int n = snprintf(message->text + before, room, " %s=", key);
    size_t length = SIZE_MAX;
    if (n > 0 && (size_t)n < room)
        length = session_escape(message->text + before + n, room - (size_t)n, value, "");
    if (length != SIZE_MAX)
        message->size = before + (size_t)n + length;
    else
        message->text[before] = '\0';
}

void session_message_add_number(struct session_message *message, const char *key, int64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%" PRId64, value);
    session_message_add(message, key, text);
}

bool session_message_is(const struct session_message *message, const char *word)
{
    size_t length = strcspn(message->text, " ");
    return strlen(word) == length && memcmp(message->text, word, length) == 0;
}

/* The beginning of a field's value, or NULL. */
static const char *find_value(const struct session_message *message, const char *key)
{
    size_t length = strlen(key);
    const char *p = message->text;
    while ((p = strchr(p, ' ')) != NULL) {
        p++;
        if (strncmp(p, key, length) == 0 && p[length] == '=')
            return p + length + 1;
    }
    return NULL;
}

bool session_message_get(const struct session_message *message, const char *key, char *out,
                         size_t size)
{
    const char *value = find_value(message, key);
    out[0] = '\0';
    if (value == NULL)
        return false;
    size_t length = strcspn(value, " ");
    if (length >= size)
        length = size - 1;
    memcpy(out, value, length);
    out[length] = '\0';
    return session_unescape(out);
}

int64_t session_message_number(const struct session_message *message, const char *key,
                               int64_t fallback)
{
    const char *value = find_value(message, key);
    char *end;
    if (value == NULL)
        return fallback;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    return end != value && (*end == ' ' || *end == '\0') && errno == 0 ? number : fallback;
}

/* ---- Over a socket ---- */

bool session_message_send(int fd, const struct session_message *message)
{
    char newline = '\n';
    struct iovec parts[2] = {{(char *)(uintptr_t)message->text, message->size}, {&newline, 1}};
    const struct msghdr line = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t n;
    do {
        n = sendmsg(fd, &line, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)(message->size + 1);
}

/* Waits until there is something to read. Returns false where that takes too long. */
static bool wait_readable(int fd, int64_t until_ns)
{
    for (;;) {
        int64_t left_ns = until_ns - rf_clock_ns(CLOCK_MONOTONIC);
        struct pollfd wanted = {.fd = fd, .events = POLLIN};
        int timeout_ms = until_ns == INT64_MAX ? -1
                         : left_ns <= 0        ? 0
                                               : (int)(left_ns / 1000000 + 1);
        int n = poll(&wanted, 1, timeout_ms);
        if (n > 0)
            return true;
        if (n == 0 || errno != EINTR)
            return false;
    }
}

/* Whether every '%' is followed by two digits. */
static bool is_well_escaped(const char *text)
{
    for (const char *p = text; (p = strchr(p, '%')) != NULL; p += 3)
        if (!isxdigit((unsigned char)p[1]) || !isxdigit((unsigned char)p[2]))
            return false;
    return true;
}

enum session_reception session_message_receive(int fd, struct session_message *message,
                                               int timeout_ms)
{
    int64_t until_ns =
        timeout_ms < 0 ? INT64_MAX : rf_clock_ns(CLOCK_MONOTONIC) + timeout_ms * 1000000LL;
    message->size = 0;
    for (;;) {
        char *to = message->text + message->size;
        size_t room = sizeof(message->text) - message->size;
        if (!wait_readable(fd, until_ns))
            return SESSION_TIMED_OUT;
        /* bytes after the line belong to the next message and stay unread */
        ssize_t n = recv(fd, to, room, MSG_PEEK | MSG_DONTWAIT);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            return SESSION_GONE;
        const char *end = memchr(to, '\n', (size_t)n);
        size_t length = end != NULL ? (size_t)(end - to) + 1 : (size_t)n;
        if (recv(fd, to, length, MSG_DONTWAIT) != (ssize_t)length)
            return SESSION_GONE;
        message->size += length;
        if (end != NULL)
            break;
        if (message->size == sizeof(message->text))
            return SESSION_GARBLED;
    }
    message->text[--message->size] = '\0';
    return strlen(message->text) == message->size && is_well_escaped(message->text)
               ? SESSION_RECEIVED
               : SESSION_GARBLED;
}
