/* SPDX-License-Identifier: Apache-2.0 */
#include "rf_payload_writer.h"

#include <stdlib.h>
#include <string.h>

void rfw_nvtx_def(struct rfw *w, uint32_t process, enum rf_nvtx_def kind, uint32_t domain,
                  uint64_t id, const void *text, size_t size)
{
    struct rf_def def = {.tid = 100, .index = kind, .domain = domain, .value = id};
    (void)rfw_def(w, process, &def, 1, RF_REC_NVTX_DEF, text, size);
}

/* Adds a name to a definition; returns its offset. */
static uint32_t add_name(struct rfw_bytes *text, const char *name)
{
    uint32_t at = (uint32_t)text->size;
    if (name == NULL)
        return 0;
    rfw_add(text, name, strlen(name) + 1);
    return at;
}

void rfw_define_schema(struct rfw *w, uint32_t process, const struct rfw_schema *schema,
                       const struct rfw_entry *entries, uint32_t n)
{
    struct rfw_bytes text = {.data = NULL};
    struct rf_schema_def head = {.flags = schema->flags,
                                 .static_size = schema->size,
                                 .pack_align = schema->pack,
                                 .type = schema->type != 0 ? schema->type : 1,
                                 .n_entries = n};
    rfw_add(&text, &head, sizeof(head));
    for (uint32_t i = 0; i < n; i++) {
        struct rf_schema_entry entry = {.flags = entries[i].flags,
                                        .type = entries[i].type,
                                        .detail = entries[i].detail,
                                        .offset = entries[i].offset};
        rfw_add(&text, &entry, sizeof(entry));
    }
    head.name = add_name(&text, schema->name);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t name = add_name(&text, entries[i].name);
        memcpy(text.data + sizeof(head) + i * sizeof(struct rf_schema_entry) +
                   offsetof(struct rf_schema_entry, name),
               &name, sizeof(name));
    }
    memcpy(text.data, &head, sizeof(head));
    rfw_nvtx_def(w, process, RF_NVTX_DEF_SCHEMA, schema->domain, schema->id, text.data, text.size);
    free(text.data);
}

void rfw_define_enum(struct rfw *w, uint32_t process, uint64_t id, uint64_t size,
                     const struct rfw_enum_value *values, uint32_t n)
{
    struct rfw_bytes text = {.data = NULL};
    struct rf_enum_def head = {.size = size, .n_entries = n};
    rfw_add(&text, &head, sizeof(head));
    for (uint32_t i = 0; i < n; i++) {
        struct rf_enum_entry entry = {.value = values[i].value, .is_flag = values[i].is_flag};
        rfw_add(&text, &entry, sizeof(entry));
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t name = add_name(&text, values[i].name);
        memcpy(text.data + sizeof(head) + i * sizeof(struct rf_enum_entry) +
                   offsetof(struct rf_enum_entry, name),
               &name, sizeof(name));
    }
    rfw_nvtx_def(w, process, RF_NVTX_DEF_ENUM, 0, id, text.data, text.size);
    free(text.data);
}

/* A DATA record, and those of MORE where it does not fit one part. */
static void add_data(struct rfw_stream *s, uint64_t kind, uint64_t *words, size_t n_words,
                     const uint8_t *bytes, size_t n_bytes)
{
    const size_t most = 16000; /* bytes of one record: several, so that they cross parts */
    for (bool is_first = true; is_first || n_bytes > 0; is_first = false) {
        size_t piece = n_bytes < most ? n_bytes : most;
        size_t n = (is_first ? n_words : 2) + (piece + 7) / 8;
        uint64_t *record = calloc(n, 8);
        memcpy(record, words, (is_first ? n_words : 2) * 8);
        record[0] = RF_REC_DATA | (RFW_TICKS_0 + 1) << RF_WORD_TICK_SHIFT;
        record[1] = (is_first ? kind : RF_DATA_MORE) | (uint64_t)n << 32;
        if (piece > 0)
            memcpy(record + (is_first ? n_words : 2), bytes, piece);
        rfw_raw(s, record, n);
        free(record);
        bytes += piece;
        n_bytes -= piece;
    }
}

void rfw_payload(struct rfw_stream *s, uint64_t schema, const void *bytes, size_t n_bytes,
                 uint64_t size, uint64_t address)
{
    uint64_t words[5] = {0, 0, schema, size, address};
    add_data(s, RF_DATA_PAYLOAD | (address != 0 ? RF_DATA_ADDRESS : 0), words, address != 0 ? 5 : 4,
             bytes, n_bytes);
}

void rfw_reference(struct rfw_stream *s, uint64_t address, const void *bytes, size_t n_bytes)
{
    uint64_t words[4] = {0, 0, address, n_bytes};
    add_data(s, RF_DATA_REFERENCE, words, 4, bytes, n_bytes);
}
