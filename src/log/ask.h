/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorder asks the command line for, if it cannot open the session's files itself: its
 * process became another user, or has another root directory. The command line opens them and
 * passes descriptors over a socket in the abstract name space, one question per connection. The
 * recorder maps the files and closes the descriptors. */
#ifndef RF_LOG_ASK_H
#define RF_LOG_ASK_H

#include <stddef.h>
#include <stdint.h>

/* The environment variable that holds the socket's name, which no program can guess. */
#define RF_ASK_VARIABLE  "RANGEFINDER_SOCKET"
#define RF_ASK_NAME_SIZE 48u /* with its NUL */
#define RF_ASK_MAGIC     "RFASK1\r\n"
#define RF_ASK_MAX_FDS   2u

enum rf_ask_kind {
    RF_ASK_CONTROL = 1, /* one descriptor: the control page */
    RF_ASK_FILES = 2,   /* two: the definitions and the pool of a process, made and empty */
    RF_ASK_ROOM = 3,    /* none: blocks for a range of one of them, enum rf_ask_file */
    RF_ASK_FAILED = 4,  /* none: the process cannot be recorded; text: why */
};

enum rf_ask_file { RF_ASK_DEFS = 0, RF_ASK_POOL = 1 };

/* A file that says why processes could not even map the control page, a line for each process. */
#define RF_REFUSED_FILE "refused"

/* Before the number of a process: a file with the name of the tool of --chain that is beginning in
 * it. */
#define RF_BEGINNING_PREFIX "chain-"

/* The definitions: the size of the blocks that exist before the recorder maps them; the size
 * that the command line gives the file, whose other blocks are reserved when they are needed. */
#define RF_DEFS_FIRST_SIZE 65536u
#define RF_DEFS_MADE_SIZE  (4u << 20)

struct rf_ask {
    uint8_t magic[8];
    uint32_t kind;    /* enum rf_ask_kind */
    uint32_t process; /* FILES, ROOM: its number in the session */
    uint32_t file;    /* ROOM */
    uint32_t unused;
    uint64_t offset; /* ROOM */
    uint64_t size;   /* ROOM */
    char text[96];   /* FAILED; NUL-ended */
};

struct rf_answer {
    uint8_t magic[8];
    int32_t status; /* 0, or a negative errno */
    uint32_t n_fds;
};

_Static_assert(sizeof(struct rf_ask) == 136, "the same in 32-bit and 64-bit programs");
_Static_assert(sizeof(struct rf_answer) == 16, "the same in 32-bit and 64-bit programs");

#endif
