/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of ranges that rules are about, by their hashes: a range that is open has only its
 * hash. */
#ifndef RF_CLI_RING_RULE_TEXTS_H
#define RF_CLI_RING_RULE_TEXTS_H

#include <stdint.h>

#define RULE_TEXTS     1024u /* so many are kept, the first ones */
#define RULE_TEXT_SIZE 60u   /* bytes of each */

struct rule_text {
    uint64_t hash; /* 0: the place is free */
    char text[RULE_TEXT_SIZE + 1];
};

/* All zero: none. */
struct rule_texts {
    struct rule_text place[2 * RULE_TEXTS];
    uint32_t n;
};

/* Keeps a text of n bytes; hash is not 0. */
void rule_texts_keep(struct rule_texts *texts, uint64_t hash, const char *text, uint32_t n);

/* The text of a hash, or NULL. */
const char *rule_texts_find(const struct rule_texts *texts, uint64_t hash);

#endif
