/* SPDX-License-Identifier: Apache-2.0 */
#include "base/large_pages.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>

/* The whole mapping is named: realloc() could not move one that has two kinds of pages. */
void rf_prefer_large_pages(void *memory, size_t size)
{
    const uintptr_t page = 4096;
    const size_t large = (size_t)4 << 20;
    const int error = errno;
    const uintptr_t start = (uintptr_t)memory & ~(page - 1);
    if (size < large)
        return;
    const uintptr_t end = ((uintptr_t)memory + malloc_usable_size(memory) + page - 1) & ~(page - 1);
    (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
    errno = error;
}
