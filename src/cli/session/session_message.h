/* SPDX-License-Identifier: Apache-2.0 */
/* What a running session and the verbs that control it say to each other over its socket: one line
 * each way, a word and fields, `start output=/tmp/x.rf duration=1500000000`. In values the space,
 * '%' and control bytes stand as %XX. Before its answer a session may send lines `busy`. */
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

/* The field `state` while something is recorded; the other words are for people only. */
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
    SESSION_GARBLED, /* that was no message */
};

/* Receives one message. timeout_ms: for all of it; -1: any time. */
enum session_reception session_message_receive(int fd, struct session_message *message,
                                               int timeout_ms);

/* Writes text with every byte as %XX that is a space, a control byte, '%' or one of `also`. Returns
 * its length; what would not fit is left out whole, and SIZE_MAX returned. */
size_t session_escape(char *out, size_t size, const char *text, const char *also);

/* The other way round, in place. Returns false where a '%' is not followed by two
 * hex digits. */
bool session_unescape(char *text);

#endif
