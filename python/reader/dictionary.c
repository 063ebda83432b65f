/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of a column by code. */
#include "dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/grow.h"
#include "buffer.h"
#include "kind.h"
#include "python_text.h"
#include "rangefinder/rangefinder.h"
#include "references.h"
#include "views.h"

/* Gives the ids that occur their codes, in the order in which they come. */
static int number_ids(struct dictionary *dictionary, const struct view *view,
                      const struct column *column, size_t n_ids)
{
    size_t room = 0;
    struct row row = {NULL, NULL, 0, 0};
    union value value;
    for (Py_ssize_t i = 0; i < view->n; i++) {
        view_get(view, i, &row);
        if (!column_get(column, &row, &value) || value.u >= n_ids || dictionary->code[value.u] >= 0)
            continue;
        if (dictionary->n >= INT32_MAX || /* codes are int32_t */
            rf_grow_array(&dictionary->id, dictionary->n, &room, sizeof(*dictionary->id)) != RF_OK)
            return -1;
        dictionary->code[value.u] = (int32_t)dictionary->n;
        dictionary->id[dictionary->n++] = (uint32_t)value.u;
    }
    return 0;
}

struct dictionary *dictionary_new(const struct view *view, const struct column *column)
{
    size_t n_ids = column_n_ids(column, view->held);
    struct dictionary *dictionary = calloc(1, sizeof(*dictionary));
    if (dictionary == NULL)
        return NULL;
    atomic_init(&dictionary->n_references, 1);
    dictionary->code = malloc((n_ids + 1) * sizeof(*dictionary->code));
    if (dictionary->code != NULL) {
        memset(dictionary->code, 0xff, (n_ids + 1) * sizeof(*dictionary->code)); /* -1 */
        if (number_ids(dictionary, view, column, n_ids) == 0)
            return dictionary;
    }
    dictionary_release(dictionary);
    return NULL;
}

/* Each byte that is no UTF-8 may become three. */
static size_t room_for_texts(const struct dictionary *dictionary, const struct held *held,
                             const struct column *column)
{
    size_t room = 0, size;
    for (size_t i = 0; i < dictionary->n; i++) {
        const char *text = column_text(column, held, dictionary->id[i], &size);
        room += rf_is_utf8(text, size) ? size : 3 * size;
    }
    return room;
}

int dictionary_make_text(struct dictionary *dictionary, const struct view *view,
                         const struct column *column)
{
    if (dictionary->text != NULL)
        return 0;
    struct buffer *text = buffer_new(room_for_texts(dictionary, view->held, column));
    struct buffer *offsets = buffer_new((dictionary->n + 1) * sizeof(int64_t));
    if (text == NULL || offsets == NULL) {
        buffer_release(text);
        buffer_release(offsets);
        return -1;
    }
    int64_t *offset = (int64_t *)(void *)offsets->data;
    for (size_t i = 0; i < dictionary->n; i++) {
        size_t size;
        const char *from = column_text(column, view->held, dictionary->id[i], &size);
        offset[i + 1] = offset[i] + (int64_t)text_put_utf8(text->data + offset[i], from, size);
    }
    dictionary->n_bytes = (size_t)offset[dictionary->n];
    dictionary->offsets = offsets;
    dictionary->text = text;
    return 0;
}

struct dictionary *dictionary_retain(struct dictionary *dictionary)
{
    add_reference(&dictionary->n_references);
    return dictionary;
}

void dictionary_release(struct dictionary *dictionary)
{
    if (dictionary == NULL || !drop_reference(&dictionary->n_references))
        return;
    free(dictionary->code);
    free(dictionary->id);
    buffer_release(dictionary->offsets);
    buffer_release(dictionary->text);
    free(dictionary);
}
