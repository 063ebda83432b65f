/* SPDX-License-Identifier: Apache-2.0 */
/* The messages between a running session and the verbs that control it, over its socket: one line
 * each way, a word and fields, `start output=/tmp/x.rf duration=1500000000`. In values the space,
 * '%' and control bytes are written %XX. A session may send lines `busy` before its answer. */
#ifndef RF_CLI_SESSION_SESSION_MESSAGE_H
#define RF_CLI_SESSION_SESSION_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SESSION_PROTOCOL     1         /* field `protocol` of every request */
#define SESSION_MESSAGE_SIZE (1 << 15) /* longest line, with its end */

/* The first word of an answer. */
#define SESSION_OK    "ok"
#define SESSION_BUSY  "busy"  /* it takes longer: another line follows */
#define SESSION_ERROR "error" /* field `text` */

/* The value of the field `state` during a capture; programs need no other value. */
#define SESSION_CAPTURING "Collection"

struct session_message {
    char text[SESSION_MESSAGE_SIZE]; /* ends with NUL, without the newline */
    size_t size;
};

void session_message_begin(struct session_message *message, const char *word);

/* A field that does not fit is left out. */
void session_message_add(struct session_message *message, const char *key, const char *value);
void session_message_add_number(struct session_message *message, const char *key, int64_t value);

bool session_message_is(const struct session_message *message, const char *word);

/* Copies a value, cut to fit. Returns false, and "" in out, where there is
 * none. */
bool session_message_get(const struct session_message *message, const char *key, char *out,
                         size_t size);

/* The number of a field, or fallback. */
int64_t session_message_number(const struct session_message *message, const char *key,
                               int64_t fallback);

/* Sends a message without waiting: it fits into the buffer of a socket, or the other side does not
 * read. Returns whether it was sent whole. */
bool session_message_send(int fd, const struct session_message *message);

enum session_reception {
    SESSION_RECEIVED = 0,
    SESSION_TIMED_OUT,
    SESSION_GONE,    /* the other side has closed the connection */
    SESSION_GARBLED, /* it was not a message */
};

/* Receives one message. timeout_ms: for all of it; -1: any time. */
enum session_reception session_message_receive(int fd, struct session_message *message,
                                               int timeout_ms);

/* Writes text with spaces, control bytes, '%' and the bytes in `also` as %XX. Returns its length;
 * or SIZE_MAX where it does not fit, and writes nothing. */
size_t session_escape(char *out, size_t size, const char *text, const char *also);

/* Reverses session_escape() in place. Returns false where a '%' is not followed by two hex digits.
 */
bool session_unescape(char *text);

#endif
