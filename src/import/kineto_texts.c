/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_texts.h"

#include <stdlib.h>

#define BLOCK_SIZE ((size_t)64 << 10)

struct kineto_bytes {
    struct kineto_bytes *next;
    size_t used, room;
    char bytes[];
};

char *kineto_texts_take(struct kineto_part *part, size_t size)
{
    if (part->bytes == NULL || size > part->bytes->room - part->bytes->used) {
        const size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        struct kineto_bytes *block = malloc(sizeof(*block) + room);
        if (block == NULL) {
            part->is_out_of_memory = true;
            return NULL;
        }
        *block = (struct kineto_bytes){.next = part->bytes, .room = room};
        part->bytes = block;
    }
    part->bytes->used += size;
    return part->bytes->bytes + part->bytes->used - size;
}

void kineto_texts_free(struct kineto_part *part)
{
    while (part->bytes != NULL) {
        struct kineto_bytes *next = part->bytes->next;
        free(part->bytes);
        part->bytes = next;
    }
}

void kineto_set_text(struct kineto_part *part, const struct rf_strings *strings,
                     const struct kineto_value *value, struct kineto_text *text)
{
    const char *at = value->at;
    size_t size = value->size;
    if (value->has_escapes) {
        char *plain = kineto_texts_take(part, 2 * size);
        if (plain == NULL)
            return;
        size = kineto_unescape(value, plain);
        at = plain;
    }
    if (size > UINT32_MAX - 1)
        size = UINT32_MAX - 1;
    *text = (struct kineto_text){at, (uint32_t)size, rf_strings_hash(strings, at, size)};
}
