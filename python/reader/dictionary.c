/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of a column by code. */
#include "dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kind.h"
#include "references.h"

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

struct coded {
    const struct dictionary *dictionary;
    const struct recording *recording;
    const struct column *column;
};

static const char *coded_text(const void *context, size_t code, size_t *size)
{
    const struct coded *coded = context;
    return column_text(coded->column, coded->recording, coded->dictionary->id[code], size);
}

struct dictionary *dictionary_new(const struct view *view, const struct column *column)
{
    size_t n_ids = column_n_ids(column, view->recording);
    struct dictionary *dictionary = calloc(1, sizeof(*dictionary));
    if (dictionary == NULL)
        return NULL;
    atomic_init(&dictionary->n_references, 1);
    dictionary->code = malloc((n_ids + 1) * sizeof(*dictionary->code));
    if (dictionary->code != NULL) {
        const struct coded coded = {dictionary, view->recording, column};
        memset(dictionary->code, 0xff, (n_ids + 1) * sizeof(*dictionary->code)); /* -1 */
        if (number_ids(dictionary, view, column, n_ids) == 0 &&
            texts_init(&dictionary->texts, dictionary->n, coded_text, &coded) == 0)
            return dictionary;
    }
    dictionary_release(dictionary);
    return NULL;
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
    texts_release(&dictionary->texts);
    free(dictionary);
}
