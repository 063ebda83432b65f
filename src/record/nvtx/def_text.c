/* SPDX-License-Identifier: Apache-2.0 */
#include "record/nvtx/def_text.h"

#include <string.h>

#include "record/nvtx/read_sized.h"

#define LONGEST_CHAIN 64u /* links that are looked at */

void rf_def_text_measure(struct rf_def_text *text)
{
    *text = (struct rf_def_text){.capacity = RF_MOST_DEF_TEXT};
}

bool rf_def_text_fill(struct rf_def_text *text)
{
    uint64_t size = text->size;
    *text = (struct rf_def_text){.capacity = size};
    if (size == 0 || size > RF_MOST_DEF_TEXT)
        return false;
    text->data = rf_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return text->data != NULL;
}

bool rf_def_text_is_whole(const struct rf_def_text *text)
{
    return text->data != NULL && text->size <= text->capacity;
}

void rf_def_text_release(struct rf_def_text *text)
{
    if (text->data != NULL)
        (void)rf_sys_munmap(text->data, text->capacity);
    text->data = NULL;
}

uint32_t rf_def_text_reserve(struct rf_def_text *text, uint64_t size)
{
    uint64_t at = text->size;
    /* once too large, it stays so */
    text->size = size <= RF_MOST_DEF_TEXT && at <= RF_MOST_DEF_TEXT ? at + ((size + 7) & ~7ULL)
                                                                    : RF_MOST_DEF_TEXT + 8ULL;
    return (uint32_t)at;
}

void rf_def_text_set(struct rf_def_text *text, uint64_t offset, const void *bytes, size_t size)
{
    if (text->data != NULL && offset <= text->capacity && size <= text->capacity - offset)
        memcpy(text->data + offset, bytes, size);
}

uint32_t rf_def_text_name(struct rf_def_text *text, const char *name)
{
    if (name == NULL)
        return 0;
    const size_t size = strnlen(name, RF_MOST_DEF_TEXT); /* with that all of it is too large */
    uint32_t at = rf_def_text_reserve(text, size + 1);
    rf_def_text_set(text, at, name, size);
    return at;
}

/* ---- Semantics ---- */

static void read_counter(struct rf_def_text *text, struct rf_semantics *to,
                         const nvtxSemanticsHeader_t *from)
{
    nvtxSemanticsCounter_t counter;
    rf_read_sized(&counter, sizeof(counter), from, from->structSize);
    to->flags = counter.flags;
    to->scale_numerator = counter.unitScaleNumerator;
    to->scale_denominator = counter.unitScaleDenominator;
    to->min = counter.min.u64;
    to->max = counter.max.u64;
    to->limit_type = (uint32_t)counter.limitType;
    to->unit = rf_def_text_name(text, counter.unit);
}

static void read_correlation(struct rf_def_text *text, struct rf_semantics *to,
                             const nvtxSemanticsHeader_t *from)
{
    nvtxSemanticsCorrelation_t correlation;
    rf_read_sized(&correlation, sizeof(correlation), from, from->structSize);
    to->flags = correlation.role;
    memcpy(&to->min, correlation.correlationDomainUuid, 8);
    memcpy(&to->max, correlation.correlationDomainUuid + 8, 8);
    to->unit = rf_def_text_name(text, correlation.displayName);
}

/* Scope and time: one number. */
static void read_number(struct rf_semantics *to, const nvtxSemanticsHeader_t *from)
{
    nvtxSemanticsScope_t number;
    rf_read_sized(&number, sizeof(number), from, from->structSize);
    to->value = number.scopeId;
}

static bool read_link(struct rf_def_text *text, struct rf_semantics *to,
                      const nvtxSemanticsHeader_t *from)
{
    *to = (struct rf_semantics){.id = from->semanticId, .version = from->version};
    switch (from->semanticId) {
    case NVTX_SEMANTIC_ID_SCOPE_V1:
    case NVTX_SEMANTIC_ID_TIME_V1:
        read_number(to, from);
        return true;
    case NVTX_SEMANTIC_ID_CORRELATION_V1:
        read_correlation(text, to, from);
        return true;
    case NVTX_SEMANTIC_ID_COUNTERS_V1:
        read_counter(text, to, from);
        return true;
    default:
        return false;
    }
}

uint32_t rf_def_text_semantics(struct rf_def_text *text, const nvtxSemanticsHeader_t *first)
{
    uint32_t n = 0, at_first = 0, at_last = 0;
    struct rf_semantics last = {0};
    for (uint32_t i = 0; first != NULL && n < RF_SEMANTICS_MOST && i < LONGEST_CHAIN;
         i++, first = first->next) {
        struct rf_semantics semantics;
        if (!read_link(text, &semantics, first))
            continue;
        uint32_t at = rf_def_text_reserve(text, sizeof(semantics));
        rf_def_text_set(text, at, &semantics, sizeof(semantics));
        last.next = at;
        if (n++ == 0)
            at_first = at;
        else
            rf_def_text_set(text, at_last, &last, sizeof(last));
        last = semantics;
        at_last = at;
    }
    return at_first;
}
