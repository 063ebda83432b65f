/* SPDX-License-Identifier: Apache-2.0 */
#include "buffer.h"

#include <stdint.h>
#include <stdlib.h>

#include "references.h"

/* calloc() has large memory from the system zeroed, page by page when it is first used. */
struct buffer *buffer_new(size_t size)
{
    const size_t extra = sizeof(struct buffer) + 63;
    char *memory = size <= SIZE_MAX - extra ? calloc(1, size + extra) : NULL;
    if (memory == NULL)
        return NULL;
    struct buffer *buffer = (struct buffer *)(void *)(memory + (-(uintptr_t)memory & 63));
    atomic_init(&buffer->n_references, 1);
    buffer->memory = memory;
    return buffer;
}

struct buffer *buffer_retain(struct buffer *buffer)
{
    if (buffer != NULL)
        add_reference(&buffer->n_references);
    return buffer;
}

void buffer_release(struct buffer *buffer)
{
    if (buffer != NULL && drop_reference(&buffer->n_references))
        free(buffer->memory);
}
