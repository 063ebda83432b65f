/* SPDX-License-Identifier: Apache-2.0 */
/* Where running sessions can be reached: one socket each in a folder that is the user's own. A
 * socket's file is called NAME@BOOT.sock; BOOT tells the running machine from others that share
 * the folder and from itself before it was restarted, whose sockets look dead from here. */
#ifndef RF_CLI_SESSION_RUNTIME_FOLDER_H
#define RF_CLI_SESSION_RUNTIME_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "rangefinder/rangefinder.h"

#define SESSION_NAME_SIZE 65 /* with NUL */
#define SESSION_FILE_SIZE 88
/* Names the folder; no other is looked at. */
#define RUNTIME_FOLDER_VARIABLE "RANGEFINDER_RUNTIME_DIR"

struct runtime_folder {
    int fd; /* -1: not open */
    char path[PATH_MAX];
};

/* The i-th folder where this user's sessions may be, best first. Returns false past the last. */
bool runtime_folder_path(size_t i, char *path, size_t size);

/* Opens a folder; makes it where `makes` says so. It must be ours alone. */
int runtime_folder_open(struct runtime_folder *folder, const char *path, bool makes,
                        struct rf_err *err);
void runtime_folder_close(struct runtime_folder *folder);

/* Only one process at a time makes sockets or removes dead ones. Returns false where another one
 * keeps the lock for a second. */
bool runtime_folder_lock(const struct runtime_folder *folder);
void runtime_folder_unlock(const struct runtime_folder *folder);

/* Whether text can be the name of a session: a letter and then printable characters. */
bool session_name_is_valid(const char *name);

/* The name of a session's socket file, and the other way round. Return false where
 * there is none. */
bool session_socket_file(char *file, size_t size, const char *name);
bool session_name_of_socket(char *name, size_t size, const char *file);

/* A socket that listens under that name, with its file's status in *st. RF_ERR_EXISTS: a session
 * of that name runs. The folder is locked. */
int session_listen(const struct runtime_folder *folder, const char *file, struct stat *st,
                   struct rf_err *err);

/* A connection to a session; -1 and errno. ECONNREFUSED: its command line is dead; EAGAIN: it does
 * not take connections. */
int session_connect(const struct runtime_folder *folder, const char *file);

/* Removes the socket of a command line that is dead. The folder is locked. */
void session_remove_if_dead(const struct runtime_folder *folder, const char *file);

#endif
