/* SPDX-License-Identifier: Apache-2.0 */
#include "base/large_pages.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
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

static void trim(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

/* Where another malloc() stands before glibc's (a sanitizer's, jemalloc's), the first malloc_trim()
 * sets glibc's own up, and takes no lock for that. */
void rf_give_back_freed(void)
{
    static pthread_once_t set_up = PTHREAD_ONCE_INIT;
    (void)pthread_once(&set_up, trim);
    trim();
}
