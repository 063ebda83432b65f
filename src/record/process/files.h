/* SPDX-License-Identifier: Apache-2.0 */
/* Room in files that are mapped. */
#ifndef RF_RECORD_PROCESS_FILES_H
#define RF_RECORD_PROCESS_FILES_H

#include "log/ask.h"
#include "record/recorder.h"

/* Whether RLIMIT_FSIZE allows a file of this size: growing over it would raise SIGXFSZ. */
bool rf_file_may_grow_to(uint64_t size);

/* Gives a range of a file its blocks, so that no store to its mapping can fail: where the file
 * system cannot reserve, zeros are written. Returns a negative errno on failure; -EFBIG over
 * RLIMIT_FSIZE. */
long rf_file_reserve(const char *path, uint64_t offset, uint64_t size);

/* As rf_file_reserve(), for a file of this process that is mapped, and there accessible, at place;
 * where this process cannot open it the command line does. */
bool rf_file_reserve_mapped(enum rf_ask_file file, void *place, uint64_t offset, uint64_t size);

/* Maps as rf_sys_mmap_at() does; notes a failure. */
void *rf_map(void *place, size_t size, int protection, int flags, int fd);

/* Notes a system call that failed, if it is the first; returns status. */
long rf_note_refused(const char *call, long status);

#endif
