/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a process's pool in a running session. */
#ifndef RF_CLI_DRAIN_POOL_HEADER_H
#define RF_CLI_DRAIN_POOL_HEADER_H

#include <stdbool.h>

#include "log/layout.h"

/* Maps the beginning of a process's pool. NULL: it does not exist, or belongs to another session.
 */
struct rf_pool_header *pool_header_map(const struct rf_control *control, const char *dir,
                                       uint32_t process);

/* NULL is accepted. */
void pool_header_unmap(struct rf_pool_header *header);

/* Whether both are images of one process, which keeps its number after exec. */
bool pool_header_is_same_process(const struct rf_pool_header *a, const struct rf_pool_header *b);

#endif
