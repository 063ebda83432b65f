/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of a watched process. */
#ifndef RF_CLI_TOP_TOP_DEFS_H
#define RF_CLI_TOP_TOP_DEFS_H

#include "cli/top/top_process.h"

/* Reads what was defined since. */
void top_defs_read(struct top_reading *reading, struct top_process *p);

/* The text of a registered string, and the name of a domain; of handles that are not defined, what
 * they are, in hexadecimal. *is_known may be NULL. */
uint32_t top_string_of(struct top_reading *reading, struct top_process *p, uint64_t handle);
uint32_t top_domain_of(struct top_reading *reading, struct top_process *p, uint64_t handle,
                       bool *is_known);

#endif
