/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of one counter data image that was freed, for the next one of its collector: it has
 * megabytes, which the kernel would clear each time. Counted references, since data may outlive its
 * collector; any thread may do anything, and nothing is locked. */
#ifndef RF_PMSAMPLING_PM_SPARE_H
#define RF_PMSAMPLING_PM_SPARE_H

#include <stddef.h>
#include <stdint.h>

struct pm_spare;

/* With one reference; NULL: out of memory. */
struct pm_spare *pm_spare_new(void);

/* Another reference to it, and one reference less: with the last one its memory goes. NULL is none.
 */
struct pm_spare *pm_spare_share(struct pm_spare *spare);
void pm_spare_drop(struct pm_spare *spare);

/* Memory for an image, of any content; NULL: there is none. spare may be NULL. */
uint8_t *pm_spare_take(struct pm_spare *spare, size_t size);

/* Takes memory back that pm_spare_take() gave; NULL is none. Without a spare it is freed. */
void pm_spare_give(struct pm_spare *spare, uint8_t *image);

#endif
