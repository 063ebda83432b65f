/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/rule_texts.h"

#include <stddef.h>
#include <string.h>

/* Where a hash stands, or would stand. */
static uint32_t find_place(const struct rule_texts *texts, uint64_t hash)
{
    uint32_t i = (uint32_t)(hash % (2 * RULE_TEXTS));
    while (texts->place[i].hash != 0 && texts->place[i].hash != hash)
        i = (i + 1) % (2 * RULE_TEXTS);
    return i;
}

void rule_texts_keep(struct rule_texts *texts, uint64_t hash, const char *text, uint32_t n)
{
    struct rule_text *place = &texts->place[find_place(texts, hash)];
    if (place->hash != 0 || texts->n == RULE_TEXTS)
        return;
    n = n < RULE_TEXT_SIZE ? n : RULE_TEXT_SIZE;
    place->hash = hash;
    memcpy(place->text, text, n);
    place->text[n] = '\0';
    texts->n++;
}

const char *rule_texts_find(const struct rule_texts *texts, uint64_t hash)
{
    const struct rule_text *place = &texts->place[find_place(texts, hash)];
    return place->hash == hash ? place->text : NULL;
}
