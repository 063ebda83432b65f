/* SPDX-License-Identifier: Apache-2.0 */
#include "pmsampling/pm_spare.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Stands before an image. */
struct room {
    _Alignas(max_align_t) size_t size;
};

struct pm_spare {
    atomic_uint n_references;
    _Atomic(struct room *) room; /* whoever takes it out owns it */
};

struct pm_spare *pm_spare_new(void)
{
    struct pm_spare *spare = calloc(1, sizeof(*spare));
    if (spare != NULL)
        atomic_init(&spare->n_references, 1);
    return spare;
}

struct pm_spare *pm_spare_share(struct pm_spare *spare)
{
    if (spare != NULL)
        atomic_fetch_add_explicit(&spare->n_references, 1, memory_order_relaxed);
    return spare;
}

void pm_spare_drop(struct pm_spare *spare)
{
    if (spare == NULL ||
        atomic_fetch_sub_explicit(&spare->n_references, 1, memory_order_acq_rel) != 1)
        return;
    free(atomic_load_explicit(&spare->room, memory_order_relaxed));
    free(spare);
}

uint8_t *pm_spare_take(struct pm_spare *spare, size_t size)
{
    struct room *room =
        spare != NULL ? atomic_exchange_explicit(&spare->room, NULL, memory_order_acquire) : NULL;
    if (room == NULL || room->size != size) {
        free(room);
        room = size < SIZE_MAX - sizeof(*room) ? malloc(sizeof(*room) + size) : NULL;
    }
    if (room == NULL)
        return NULL;
    room->size = size;
    return (uint8_t *)(room + 1);
}

void pm_spare_give(struct pm_spare *spare, uint8_t *image)
{
    struct room *room = image != NULL ? (struct room *)(void *)image - 1 : NULL;
    if (room != NULL && spare != NULL)
        room = atomic_exchange_explicit(&spare->room, room, memory_order_acq_rel);
    free(room);
}
