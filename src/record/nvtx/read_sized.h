/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that say how large they are. */
#ifndef RF_RECORD_NVTX_READ_SIZED_H
#define RF_RECORD_NVTX_READ_SIZED_H

#include <string.h>

#include "record/platform.h"

/* Copies a structure of which the program has `size` bytes; what it lacks is zero, and so is a
 * pointer of which it has a part. Size 0: the program forgot to set it; every version has at least
 * today's fields. */
RF_INLINE void rf_read_sized(void *to, size_t whole_size, const void *given, size_t size)
{
    size = size == 0 || size >= whole_size ? whole_size : size & ~(sizeof(void *) - 1);
    memset(to, 0, whole_size);
    memcpy(to, given, size);
}

#endif
