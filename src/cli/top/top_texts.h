/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that a watched program uses, each once. A program may make ever new ones: then their
 * numbers are folded, and at last all others are one. So memory is bounded. */
#ifndef RF_CLI_TOP_TOP_TEXTS_H
#define RF_CLI_TOP_TOP_TEXTS_H

#include <stdbool.h>

#include "cli/top/top_map.h"

#define TOP_TEXT_NONE  0u /* no text was given; also the default domain's name */
#define TOP_TEXT_REST  1u /* all that there is no room for */
#define TOP_TEXT_BYTES 400u

struct top_text {
    char *bytes; /* owned */
    uint32_t size;
};

struct top_texts {
    struct top_text *text;
    size_t n, room;
    struct top_map map;
    uint64_t seed;
    bool folds_all; /* numbers in texts are folded from the beginning */
    bool is_folded; /* they are, since there were too many texts */
    bool is_full;   /* there were texts without room */
};

bool top_texts_init(struct top_texts *texts);
void top_texts_release(struct top_texts *texts);

/* The number of a text, which is cut to TOP_TEXT_BYTES; TOP_TEXT_REST: there is no room for it. */
uint32_t top_texts_find(struct top_texts *texts, const char *bytes, size_t size);

#endif
