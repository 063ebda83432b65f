/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fold_numbers.h"
#include "base/grow.h"
#include "base/map.h"
#include "rangefinder/rangefinder.h"

#define MANY_TEXTS 20000u /* then numbers are folded */
#define MOST_TEXTS 40000u

static uint64_t hash_of(uint64_t seed, const char *bytes, size_t size)
{
    uint64_t hash = seed + size;
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, sizeof(word));
        hash = rf_hash_mix(hash, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, bytes, size);
    return rf_hash_mix(hash, rest);
}

static bool is_text(const struct top_texts *texts, uint32_t i, const char *bytes, size_t size)
{
    return texts->text[i].size == size && memcmp(texts->text[i].bytes, bytes, size) == 0;
}

/* The number of a text, or TOP_NONE; *hash: where it is, or would be. */
static uint32_t look_up(const struct top_texts *texts, const char *bytes, size_t size,
                        uint64_t *hash)
{
    uint32_t i;
    *hash = hash_of(texts->seed, bytes, size);
    while ((i = top_map_find(&texts->map, *hash)) != TOP_NONE && !is_text(texts, i, bytes, size))
        ++*hash;
    return i;
}

static uint32_t add(struct top_texts *texts, const char *bytes, size_t size, uint64_t hash)
{
    char *copy = NULL;
    texts->is_full |= texts->n >= MOST_TEXTS;
    if (texts->n >= MOST_TEXTS ||
        rf_grow_array(&texts->text, texts->n, &texts->room, sizeof(*texts->text)) != RF_OK ||
        (copy = malloc(size + 1)) == NULL)
        return TOP_TEXT_REST;
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    if (!top_map_set(&texts->map, hash, (uint32_t)texts->n)) {
        free(copy);
        return TOP_TEXT_REST;
    }
    texts->text[texts->n] = (struct top_text){copy, (uint32_t)size};
    return (uint32_t)texts->n++;
}

bool top_texts_init(struct top_texts *texts)
{
    const char *rest = "(other names)";
    uint64_t hash;
    texts->seed = rf_hash_seed();
    for (int i = 0; i < 2; i++) {
        const size_t size = i == 0 ? 0 : strlen(rest);
        (void)look_up(texts, rest, size, &hash);
        (void)add(texts, rest, size, hash);
    }
    return texts->n == 2;
}

void top_texts_release(struct top_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        free(texts->text[i].bytes);
    free(texts->text);
    top_map_release(&texts->map);
    *texts = (struct top_texts){0};
}

uint32_t top_texts_find(struct top_texts *texts, const char *bytes, size_t size)
{
    char folded[TOP_TEXT_BYTES];
    uint64_t hash;
    size = size < TOP_TEXT_BYTES ? size : TOP_TEXT_BYTES;
    uint32_t i = TOP_NONE;
    if (!texts->folds_all)
        i = look_up(texts, bytes, size, &hash);
    if (i != TOP_NONE)
        return i;
    texts->is_folded |= texts->n >= MANY_TEXTS;
    if (texts->folds_all || texts->is_folded) {
        size = rf_fold_numbers(folded, bytes, size);
        bytes = folded;
        i = look_up(texts, bytes, size, &hash);
    }
    return i != TOP_NONE ? i : add(texts, bytes, size, hash);
}
