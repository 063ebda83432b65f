/* SPDX-License-Identifier: Apache-2.0 */
/* What a MARK, PUSH or START record says of its domain and its message (docs/format.md, 4.2). */
#ifndef RF_LOG_ATTRIBUTES_H
#define RF_LOG_ATTRIBUTES_H

#include "log/records.h"

struct rf_attributes {
    uint64_t domain;  /* handle */
    uint32_t message; /* enum rf_message_kind */
    uint64_t string;  /* REGISTERED: handle */
    const char *text; /* TEXT: what of it stands in the record */
    uint32_t n_text;
    bool has_more; /* it goes on in TEXT records */
};

static inline struct rf_attributes rf_attributes_of(const struct rf_record *r)
{
    const uint64_t word = r->n_words > 1 ? rf_load64(r->words + 8) : 0;
    struct rf_attributes a = {.domain = word & RF_ATTR_DOMAIN_ESCAPE,
                              .message = word >> RF_ATTR_MESSAGE_SHIFT & 3,
                              .string = word >> 32,
                              .has_more = (word & RF_ATTR_MORE) != 0};
    uint32_t at = 2; /* the next extension word */
    if (a.domain == RF_ATTR_DOMAIN_ESCAPE && at < r->n_words)
        a.domain = rf_load64(r->words + 8 * (size_t)at++);
    if (a.message == RF_MESSAGE_REGISTERED && (a.string == RF_ATTR_STRING_ESCAPE || r->is_long) &&
        at < r->n_words)
        a.string = rf_load64(r->words + 8 * (size_t)at++);
    at += (word & (RF_ATTR_COLOR | RF_ATTR_CATEGORY)) != 0;
    at += (word >> RF_ATTR_PAYLOAD_SHIFT & 7) != RF_PAYLOAD_NONE;
    if (a.message != RF_MESSAGE_TEXT || at >= r->n_words)
        return a;
    a.text = (const char *)r->words + 8 * (size_t)at;
    a.n_text = (uint32_t)strnlen(a.text, 8 * (size_t)(r->n_words - at));
    return a;
}

#endif
