/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions stream: docs/format.md, section 5. Nothing here locks: a signal handler may add a
 * definition while its thread is adding one. */
#ifndef RF_RECORD_NAMES_DEFS_H
#define RF_RECORD_NAMES_DEFS_H

#include "record/recorder.h"

/* given_fd: the stream's file, with its first blocks; -1: the file is to be made. */
bool rf_defs_create(int given_fd);

/* In standby: makes the stream in memory. */
bool rf_defs_create_names(void);

/* In standby: gives up the session's stream. */
void rf_defs_release(void);

/* Appends a definition. Returns where its text is (valid as long as the process), or NULL if it
 * could not be recorded. text NULL: none. */
const char *rf_defs_add(uint32_t type, uint32_t index, uint32_t domain, uint64_t value,
                        uint32_t detail, const char *text, size_t text_size);

/* Appends a definition without text that was true at these ticks. */
void rf_defs_add_at(uint64_t ticks, uint32_t type, uint32_t domain, uint64_t value,
                    uint32_t detail);

#endif
