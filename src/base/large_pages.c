/* SPDX-License-Identifier: Apache-2.0 */
#include "base/large_pages.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The whole mapping is named: realloc() could not move one that has two kinds of pages. Of very
 * much memory the system takes longer to make large pages than they save. */
void rf_prefer_large_pages(void *memory, size_t size)
{
    const uintptr_t page = 4096;
    const size_t large = (size_t)4 << 20, too_large = (size_t)256 << 20;
    const int error = errno;
    const uintptr_t start = (uintptr_t)memory & ~(page - 1);
    if (size < large)
        return;
    const uintptr_t end = ((uintptr_t)memory + malloc_usable_size(memory) + page - 1) & ~(page - 1);
    (void)madvise((void *)start, end - start, size < too_large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    errno = error;
}

void rf_give_back_pages(const void *memory, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)memory + page - 1) & ~(page - 1);
    const uintptr_t end = ((uintptr_t)memory + size) & ~(page - 1);
    if (end > begin)
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void rf_give_back_freed(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}
