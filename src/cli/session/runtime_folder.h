/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of the sockets by which running sessions are controlled, one each; it belongs to the
 * user. A socket's file is called NAME@BOOT.sock. BOOT distinguishes this machine, since its last
 * restart, from others that share the folder: their sockets look dead from here. */
#ifndef RF_CLI_SESSION_RUNTIME_FOLDER_H
#define RF_CLI_SESSION_RUNTIME_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "rangefinder/rangefinder.h"

#define SESSION_NAME_SIZE 65 /* with NUL */
#define SESSION_FILE_SIZE 88
/* Names the folder; no other is searched. */
#define RUNTIME_FOLDER_VARIABLE "RANGEFINDER_RUNTIME_DIR"

struct runtime_folder {
    int fd; /* -1: not open */
    char path[PATH_MAX];
};

/* The i-th folder where this user's sessions may be, best first. Returns false past the last. */
bool runtime_folder_path(size_t i, char *path, size_t size);

/* Opens a folder, and makes it first where `makes` is set. Only we may have access to it. */
int runtime_folder_open(struct runtime_folder *folder, const char *path, bool makes,
                        struct rf_err *err);
void runtime_folder_close(struct runtime_folder *folder);

/* Only one process at a time makes sockets or removes dead ones. Returns false where another one
 * keeps the lock for a second. */
bool runtime_folder_lock(const struct runtime_folder *folder);
void runtime_folder_unlock(const struct runtime_folder *folder);

/* Whether a session may have this name: a letter, then printable characters. */
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
