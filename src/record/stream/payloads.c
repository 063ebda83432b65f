/* SPDX-License-Identifier: Apache-2.0 */
#include "record/stream/payloads.h"

#include <string.h>

#include "record/process/session_page.h"

/* Texts, the types of NVTX for which a size may be left to the tool. */
enum { CSTRING = 75, CSTRING_UTF8, CSTRING_UTF16, CSTRING_UTF32 };

/* The size of a text without the zero that ends it; of an empty one, the zero's. */
static size_t text_size(const void *text, size_t unit)
{
    const uint8_t *bytes = text;
    size_t size = 0;
    if (unit == 1) {
        size = strnlen(text, RF_MOST_PAYLOAD_SIZE);
    } else {
        static const uint8_t zero[4];
        while (size < RF_MOST_PAYLOAD_SIZE && memcmp(bytes + size, zero, unit) != 0)
            size += unit;
    }
    return size != 0 ? size : unit;
}

/* What is not wanted has size 0 in the recording; it is counted if there was something. */
static RF_COLD size_t unusual_size(const struct rf_payload *p)
{
    size_t unit = p->schema == CSTRING || p->schema == CSTRING_UTF8 ? 1
                  : p->schema == CSTRING_UTF16                      ? 2
                  : p->schema == CSTRING_UTF32                      ? 4
                                                                    : 0;
    if (p->bytes == NULL)
        return 0;
    if (p->size == SIZE_MAX && unit != 0)
        return text_size(p->bytes, unit);
    rf_count_lost(1, p->size == SIZE_MAX ? 0 : p->size);
    return 0;
}

void rf_payloads_add(struct rf_bundle *b, struct rf_payloads payloads)
{
    const struct rf_payload *payload = payloads.first;
    size_t n = payload != NULL ? payloads.n : 0;
    if (RF_UNLIKELY(n > RF_MOST_PAYLOADS)) {
        rf_count_lost(n - RF_MOST_PAYLOADS, 0);
        n = RF_MOST_PAYLOADS;
    }
    for (size_t i = 0; i < n; i++) {
        size_t size = payload[i].size;
        if (RF_UNLIKELY(size > RF_MOST_PAYLOAD_SIZE || payload[i].bytes == NULL))
            size = unusual_size(&payload[i]);
        const uint64_t words[] = {payload[i].schema, size};
        rf_bundle_add_data(b, RF_DATA_PAYLOAD, words, 2, payload[i].bytes, size);
    }
}
