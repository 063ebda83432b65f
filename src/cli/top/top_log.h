/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a watched process: the parts that were appended to it. */
#ifndef RF_CLI_TOP_TOP_LOG_H
#define RF_CLI_TOP_TOP_LOG_H

#include "cli/top/top_process.h"

/* Returns how many bytes there are at `at`, of `size`. */
size_t top_read_at(int fd, void *bytes, size_t size, uint64_t at);

/* Lists the parts that were appended since. */
void top_log_list(struct top_reading *reading, struct top_process *p);

/* Reads a part that was listed to reading->part. Returns false where it has gone since, or is
 * damaged. */
bool top_log_read_part(struct top_reading *reading, const struct top_process *p,
                       const struct top_ref *ref);

#endif
