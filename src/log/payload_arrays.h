/* SPDX-License-Identifier: Apache-2.0 */
/* Where arrays in payloads end: the recorder and NVTXW look for it as readers do. */
#ifndef RF_LOG_PAYLOAD_ARRAYS_H
#define RF_LOG_PAYLOAD_ARRAYS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of a batch's flexData that one entry of its events may take: all of them share it. */
#define RF_MOST_FLEX 65536u

/* Where the first element ends whose bytes are all zero; SIZE_MAX: none is whole in `limit` bytes.
 * size: of an element, not 0. Nothing behind that element is read. */
static inline size_t rf_find_zero_element(const uint8_t *bytes, size_t size, size_t limit)
{
    if (size == 1) {
        const uint8_t *zero = limit > 0 ? memchr(bytes, 0, limit) : NULL;
        return zero != NULL ? (size_t)(zero - bytes) + 1 : SIZE_MAX;
    }
    for (size_t at = 0; size <= limit - at; at += size) /* each byte is equal to a first zero */
        if (bytes[at] == 0 && memcmp(bytes + at, bytes + at + 1, size - 1) == 0)
            return at + size;
    return SIZE_MAX;
}

#endif
