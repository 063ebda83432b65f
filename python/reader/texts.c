/* SPDX-License-Identifier: Apache-2.0 */
#include "texts.h"

#include <stdint.h>
#include <string.h>

#include "base/escape.h"

int texts_init(struct texts *texts, size_t n,
               const char *(*get)(const void *context, size_t i, size_t *size), const void *context)
{
    const char *text;
    size_t size, room = 0;
    for (size_t i = 0; i < n; i++)
        if ((text = get(context, i, &size)) != NULL)
            room += rf_is_utf8(text, size) ? size : 3 * size;
    *texts = (struct texts){buffer_new((n + 1) * sizeof(int64_t)), buffer_new(room)};
    if (texts->offsets == NULL || texts->bytes == NULL) {
        texts_release(texts);
        return -1;
    }
    int64_t *offset = (int64_t *)(void *)texts->offsets->data;
    for (size_t i = 0; i < n; i++) {
        char *to = texts->bytes->data + offset[i];
        if ((text = get(context, i, &size)) == NULL)
            size = 0;
        else if (rf_is_utf8(text, size))
            memcpy(to, text, size);
        else
            size = rf_utf8_replace(to, text, size);
        offset[i + 1] = offset[i] + (int64_t)size;
    }
    return 0;
}

void texts_release(struct texts *texts)
{
    buffer_release(texts->offsets);
    buffer_release(texts->bytes);
    *texts = (struct texts){NULL, NULL};
}
