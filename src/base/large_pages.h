/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_BASE_LARGE_PAGES_H
#define RF_BASE_LARGE_PAGES_H

#include <stddef.h>

/* Asks for large pages where there is much memory from malloc() or realloc(): what a long run fills
 * is written once, and faulting it in by 4 KiB costs as much as decoding it. errno stays. */
void rf_prefer_large_pages(void *memory, size_t size);

/* Gives the whole pages of memory from malloc() back to the system, before it is freed: nothing
 * reads it any more. */
void rf_give_back_pages(const void *memory, size_t size);

/* Gives back what was freed in many small pieces, of which the C library keeps the pages. Where it
 * has no way to, nothing happens. */
void rf_give_back_freed(void);

#endif
