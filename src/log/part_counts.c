/* SPDX-License-Identifier: Apache-2.0 */
#include "log/part_counts.h"

#include <string.h>

#include "log/chunks.h"
#include "log/records.h"

/* The counts of a domain; NULL: there is no room for one more. */
static struct rf_count_domain *find_domain(struct rf_part_counts *counts, uint64_t handle)
{
    uint32_t i = 0;
    while (i < counts->n_domains && counts->domain[i].handle != handle)
        i++;
    if (i == RF_PART_DOMAINS)
        return NULL;
    if (i == counts->n_domains)
        counts->domain[counts->n_domains++] = (struct rf_count_domain){.handle = handle};
    return &counts->domain[i];
}

/* The domain of a MARK or PUSH; UINT64_MAX: it is to be decoded. */
static inline uint64_t domain_of(const uint8_t *words, uint64_t n_words)
{
    uint64_t attributes = n_words > 1 ? rf_load64(words + 8) : 0;
    uint64_t handle = attributes & RF_ATTR_DOMAIN_ESCAPE;
    if (handle == RF_ATTR_DOMAIN_ESCAPE)
        return n_words > 2 ? rf_load64(words + 16) : UINT64_MAX;
    return handle;
}

static inline void count_pop(struct rf_count_domain *domain)
{
    bool is_inside = domain->n_open > 0;
    domain->n_open -= is_inside;
    domain->n_ranges += is_inside;
    domain->n_pops += !is_inside;
}

/* Counts a record. Returns false if it is to be decoded. */
static inline bool count_record(struct rf_part_counts *counts, struct rf_count_domain **last,
                                unsigned type, const uint8_t *words, uint64_t n_words)
{
    uint64_t handle = 0;
    if (type == RF_REC_PUSH || type == RF_REC_MARK)
        handle = domain_of(words, n_words);
    else if (type == RF_REC_POP_DOMAIN)
        handle = n_words > 1 ? rf_load64(words + 8) : UINT64_MAX;
    else if (type != RF_REC_POP)
        return type == RF_REC_TEXT || type == RF_REC_VOID || type == RF_REC_COUNTER;
    if (handle == UINT64_MAX)
        return false;
    if ((*last)->handle != handle || counts->n_domains == 0) {
        struct rf_count_domain *found = find_domain(counts, handle);
        if (found == NULL)
            return false;
        *last = found;
    }
    if (type == RF_REC_PUSH)
        (*last)->n_open++;
    else if (type == RF_REC_MARK)
        (*last)->n_marks++;
    else
        count_pop(*last);
    return true;
}

bool rf_part_count(struct rf_part_counts *counts, uint64_t ticks, const uint8_t *records,
                   uint64_t size)
{
    const uint8_t *at = records, *end = records + (size & ~7ull);
    struct rf_count_domain *last = &counts->domain[0];
    uint64_t head;
    *counts = (struct rf_part_counts){.first_event_ticks = UINT64_MAX, .last_ticks = ticks};
    while (at < end && (head = rf_load64(at)) != 0) {
        uint64_t n_words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        unsigned type = head & ((1u << RF_WORD_TYPE_BITS) - 1);
        if (n_words - 1 >= (uint64_t)(end - at) / 8 ||
            !count_record(counts, &last, type, at, n_words))
            return false;
        ticks = rf_complete_ticks(ticks, head >> RF_WORD_TICK_SHIFT);
        if (ticks > counts->last_ticks)
            counts->last_ticks = ticks;
        if ((type == RF_REC_PUSH || type == RF_REC_MARK) && ticks < counts->first_event_ticks)
            counts->first_event_ticks = ticks;
        counts->n_records++;
        at += 8 * n_words;
    }
    counts->n_bytes = (uint64_t)(at - records);
    return true;
}

/* ---- In a file ---- */

uint64_t rf_count_entry_size(const uint8_t *at, uint64_t size)
{
    struct rf_count_entry entry;
    if (size < sizeof(entry))
        return 0;
    memcpy(&entry, at, sizeof(entry));
    uint64_t all = sizeof(entry) + entry.n_domains * (uint64_t)sizeof(struct rf_count_domain);
    return entry.n_domains <= RF_PART_DOMAINS && all <= size ? all : 0;
}

bool rf_part_counts_read(struct rf_part_counts *counts, const uint8_t *at, uint64_t part_size)
{
    struct rf_count_entry entry;
    uint64_t n_words = 0; /* that the records take at least */
    memcpy(&entry, at, sizeof(entry));
    *counts = (struct rf_part_counts){.first_event_ticks = entry.first_event_ticks,
                                      .last_ticks = entry.last_ticks,
                                      .n_domains = entry.n_domains};
    for (uint32_t i = 0; i < entry.n_domains; i++) {
        struct rf_count_domain *domain = &counts->domain[i];
        memcpy(domain, at + sizeof(entry) + i * sizeof(*domain), sizeof(*domain));
        n_words += 2 * (uint64_t)domain->n_ranges + domain->n_marks;
        n_words += (uint64_t)domain->n_pops + domain->n_open;
    }
    return n_words <= (part_size - RF_PART_RECORDS_OFFSET) / 8;
}
