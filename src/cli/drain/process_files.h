/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a process in a session, made by the command line instead of the recorder: empty,
 * with the room that the recorder wants in them before it maps them. */
#ifndef RF_CLI_DRAIN_PROCESS_FILES_H
#define RF_CLI_DRAIN_PROCESS_FILES_H

#include <stdint.h>

#include "session/session_dir.h"
#include "log/ask.h"

/* Makes the files. Returns 0; or an errno, and no file is left. */
int process_files_make(const struct rf_control *control, const char *dir, uint32_t process);

/* Opens one of them for reading and writing; follows only links of ours into shared memory. Returns
 * a descriptor, or -1 with errno. */
int process_files_open(const char *dir, uint32_t process, enum rf_ask_file file);

/* Allocates the blocks of a range of one of them. Returns 0 or an errno. */
int process_files_reserve(const char *dir, const struct rf_ask *ask);

#endif
