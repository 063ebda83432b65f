/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that give one text one handle. Nothing here locks. */
#ifndef RF_RECORD_NAMES_INTERNED_H
#define RF_RECORD_NAMES_INTERNED_H

#include "record/recorder.h"

/* The handle of a text among the definitions of this type and value, the same for the same text:
 * the one it has, or the next of *counter. Never 0. domain: goes into the definition. text NULL: a
 * new handle each time. */
uint32_t rf_intern(uint32_t type, uint32_t domain, uint64_t value, const char *text,
                   uint32_t *counter);

/* The definition that gave a text this handle, or NULL. Searches all tables. */
const struct rf_def *rf_interned_find(uint32_t type, uint64_t index);

/* The text of this handle gets a new handle when it is interned again. */
void rf_interned_forget(uint32_t type, uint64_t index);

/* The hash of a text, for handles that no table holds. */
uint64_t rf_interned_hash(uint64_t type, uint64_t value, const char *text, size_t size);

#endif
