/* SPDX-License-Identifier: Apache-2.0 */
/* What a process is, in a sandbox. */
#ifndef RF_RECORD_PROCESS_CONFINED_H
#define RF_RECORD_PROCESS_CONFINED_H

#include "log/layout.h"
#include "record/recorder.h"

/* Does seccomp filter the system calls of this process? */
bool rf_is_confined(void);

/* The path of the program (RF_PROC_EXE) or of the current directory (RF_PROC_CWD), without a NUL;
 * returns its length, 0: unknown. */
size_t rf_confined_path(enum rf_proc_key key, char *path, size_t size);

/* The system's name of the calling thread. */
void rf_confined_thread_name(char name[16]);

/* 0: there is no such file. */
uint64_t rf_inode_of(const char *path);

#endif
