/* SPDX-License-Identifier: Apache-2.0 */
#include "record/payload/payloads.h"

#include <string.h>

#include "record/payload/references.h"
#include "record/payload/schema_table.h"
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

/* is_addressed: pointers of the event can point into its payloads. */
RF_INLINE void add_payloads(struct rf_bundle *b, struct rf_payloads payloads, bool is_addressed)
{
    const uint64_t word1 = RF_DATA_PAYLOAD | (is_addressed ? RF_DATA_ADDRESS : 0);
    for (size_t i = 0; i < payloads.n; i++) {
        const struct rf_payload *p = &payloads.first[i];
        size_t size = p->size;
        if (RF_UNLIKELY(size > RF_MOST_PAYLOAD_SIZE || p->bytes == NULL))
            size = unusual_size(p);
        const uint64_t words[] = {p->schema, size, (uint64_t)(uintptr_t)p->bytes};
        rf_bundle_add_data(b, word1, words, is_addressed ? 3 : 2, p->bytes, size);
    }
}

/* ---- References ---- */

struct host {
    struct rf_reference_host host; /* first */
    struct rf_bundle *b;
};

static struct rf_schema find_schema(const void *where, uint64_t domain, uint64_t id)
{
    (void)where;
    return rf_schemas_find(domain, id);
}

static void add_reference(struct rf_reference_host *host, const void *address, uint64_t size,
                          size_t copied)
{
    const uint64_t words[] = {(uint64_t)(uintptr_t)address, size};
    rf_bundle_add_data(((struct host *)host)->b, RF_DATA_REFERENCE, words, 2, address, copied);
}

static void count_lost(struct rf_reference_host *host, uint64_t n, uint64_t bytes)
{
    (void)host;
    rf_count_lost(n, bytes);
}

static struct host host_of(struct rf_bundle *b, uint64_t *may_look)
{
    return (struct host){{find_schema, NULL, may_look, add_reference, count_lost}, b};
}

/* False: no pointer of theirs can point to something. */
RF_COLD static bool add_with_references(struct rf_bundle *b, struct rf_payloads payloads)
{
    uint64_t may_look = rf_payloads_look_limit(payloads);
    struct host host = host_of(b, &may_look);
    if (!rf_references_are_possible(&host.host, payloads))
        return false;
    add_payloads(b, payloads, true);
    rf_references_add(&host.host, payloads);
    return true;
}

void rf_payloads_add(struct rf_bundle *b, struct rf_payloads payloads)
{
    if (payloads.first == NULL)
        return;
    if (RF_UNLIKELY(payloads.n > RF_MOST_PAYLOADS)) {
        rf_count_lost(payloads.n - RF_MOST_PAYLOADS, 0);
        payloads.n = RF_MOST_PAYLOADS;
    }
    if (!RF_UNLIKELY(rf_schemas_have_pointers()) || !add_with_references(b, payloads))
        add_payloads(b, payloads, false);
}

void rf_payloads_add_of_batch(struct rf_bundle *b, const struct rf_batch *batch,
                              const uint8_t *event, size_t size)
{
    uint64_t may_look = rf_look_limit(size + batch->flex.size);
    struct host host = host_of(b, &may_look);
    const struct rf_payload payload = {batch->schema, size, event};
    (void)rf_references_add_of_batch(&host.host, (struct rf_payloads){&payload, 1, batch->domain},
                                     batch->flex);
}
