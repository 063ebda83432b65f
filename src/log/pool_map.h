/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of a process, mapped while its program runs. */
#ifndef RF_LOG_POOL_MAP_H
#define RF_LOG_POOL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/layout.h"

struct rf_pool_map {
    uint8_t *bytes; /* NULL: it is not mapped */
    size_t size;
};

/* Maps all of a pool, or maps it again where it has grown since. protection: of mmap(). Returns
 * false where it is not there, or has less than size_needed bytes: it stays as it was. */
bool rf_pool_map(struct rf_pool_map *pool, const char *session_dir, uint32_t process,
                 size_t size_needed, int protection);

/* Harmless where it is not mapped. */
void rf_pool_unmap(struct rf_pool_map *pool);

/* Whether it is a pool of this session, and its number of slots can be. */
bool rf_pool_is_sound(const struct rf_pool_header *header, const struct rf_control *control);

#endif
