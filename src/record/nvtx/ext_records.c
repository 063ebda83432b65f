/* SPDX-License-Identifier: Apache-2.0 */
#include "record/nvtx/ext_records.h"

#include "record/process/session_page.h"

void rf_count_uncaptured(void)
{
    (void)__atomic_fetch_add(&rf_recorder.control->n_uncaptured, 1, __ATOMIC_RELAXED);
}

void rf_count_memory_call(void)
{
    (void)__atomic_fetch_add(&rf_recorder.control->n_memory_calls, 1, __ATOMIC_RELAXED);
}

void rf_emit_ext_value_slow(uint64_t word1, uint64_t counter, uint64_t value)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer != NULL)
        rf_write_ext_value(writer, end, rf_now(), word1, counter, value);
}

/* Begins the thread's writer and adds the record. False: it is not recorded. */
static bool begin(struct rf_bundle *b, enum rf_ext_kind kind, uint64_t domain,
                  const uint64_t *words, size_t n_words)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer == NULL)
        return false;
    rf_bundle_begin(b, writer, end, rf_now());
    b->at[1] = rf_ext_word1(kind, domain);
    for (size_t i = 0; i < n_words; i++)
        b->at[2 + i] = words[i];
    rf_bundle_add(b, rf_head(b->ticks, RF_REC_EXT, 2 + n_words), 2 + n_words);
    return true;
}

static void add_array(struct rf_bundle *b, uint64_t which, const struct rf_array *array)
{
    size_t size = array->bytes != NULL ? array->size : 0;
    if (RF_UNLIKELY(size > RF_MOST_PAYLOAD_SIZE)) {
        rf_count_lost(1, size);
        size = 0;
    }
    const uint64_t words[] = {which, size};
    rf_bundle_add_data(b, RF_DATA_ARRAY, words, 2, array->bytes, size);
}

void rf_emit_ext_arrays(enum rf_ext_kind kind, uint64_t domain, const uint64_t *words,
                        size_t n_words, const struct rf_array *arrays, size_t n_arrays)
{
    struct rf_bundle b;
    if (!begin(&b, kind, domain, words, n_words))
        return;
    for (size_t i = 0; i < n_arrays; i++)
        add_array(&b, i, &arrays[i]);
    rf_bundle_end(&b);
}

void rf_emit_ext_event(uint64_t domain, struct rf_payloads payloads)
{
    struct rf_bundle b;
    if (!begin(&b, RF_EXT_EVENT, domain, NULL, 0))
        return;
    rf_payloads_add(&b, payloads);
    rf_bundle_end(&b);
}
