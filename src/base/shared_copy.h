/* SPDX-License-Identifier: Apache-2.0 */
/* Copying memory that other threads and processes change meanwhile. */
#ifndef RF_BASE_SHARED_COPY_H
#define RF_BASE_SHARED_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Copies whole words, each as it was at some moment; from is aligned to words, size a number of
 * them. Who writes there need not know of it: the thread sanitizer is not to look. */
__attribute__((no_sanitize("thread"))) static inline void rf_copy_shared(void *to, const void *from,
                                                                         size_t size)
{
    const uint64_t *word = from;
    for (size_t i = 0; i < size / sizeof(*word); i++) {
        uint64_t value = __atomic_load_n(&word[i], __ATOMIC_RELAXED);
        memcpy((uint8_t *)to + i * sizeof(value), &value, sizeof(value));
    }
}

#endif
