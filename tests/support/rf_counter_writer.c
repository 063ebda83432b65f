/* SPDX-License-Identifier: Apache-2.0 */
#include "rf_counter_writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Definitions ---- */

static uint32_t add_text(struct rfw_bytes *bytes, const char *text)
{
    const uint32_t at = (uint32_t)bytes->size;
    if (text == NULL)
        return 0;
    rfw_add(bytes, text, strlen(text) + 1);
    return at;
}

static void define(struct rfw *w, uint32_t process, int64_t ns, uint32_t domain, uint64_t id,
                   enum rf_nvtx_def kind, struct rfw_bytes *bytes)
{
    const struct rf_def def = {.index = kind, .domain = domain, .value = id};
    (void)rfw_def(w, process, &def, ns, RF_REC_NVTX_DEF, (const char *)bytes->data, bytes->size);
    free(bytes->data);
}

/* The semantics of a counter, and of its time behind them. */
static uint32_t add_semantics(struct rfw_bytes *bytes, const struct rfw_nvtx_counter *counter)
{
    const uint32_t unit = add_text(bytes, counter->unit), at = (uint32_t)bytes->size;
    struct rf_semantics semantics[] = {{.id = 5,
                                        .version = 2,
                                        .flags = counter->flags,
                                        .scale_numerator = counter->numerator,
                                        .scale_denominator = counter->denominator,
                                        .min = counter->min,
                                        .max = counter->max,
                                        .unit = unit,
                                        .limit_type = counter->limit_type},
                                       {.id = 2, .version = 1, .value = counter->clock}};
    if (counter->clock != 0)
        semantics[0].next = at + (uint32_t)sizeof(semantics[0]);
    rfw_add(bytes, semantics, sizeof(semantics[0]) * (counter->clock != 0 ? 2 : 1));
    return at;
}

void rfw_nvtx_counter(struct rfw *w, uint32_t process, int64_t ns,
                      const struct rfw_nvtx_counter *counter)
{
    struct rf_counter_def head = {.schema = counter->schema, .scope = counter->scope};
    struct rfw_bytes bytes = {0};
    rfw_add(&bytes, &head, sizeof(head));
    head.name = add_text(&bytes, counter->name);
    head.description = add_text(&bytes, counter->description);
    head.semantics = add_semantics(&bytes, counter);
    memcpy(bytes.data, &head, sizeof(head));
    define(w, process, ns, counter->domain, counter->id, RF_NVTX_DEF_COUNTER, &bytes);
}

void rfw_nvtx_schema(struct rfw *w, uint32_t process, int64_t ns, uint32_t domain, uint64_t id,
                     uint64_t size, const struct rfw_nvtx_entry *entry, uint32_t n)
{
    const struct rf_schema_def head = {.static_size = size, .type = 1, .n_entries = n};
    struct rfw_bytes bytes = {0};
    rfw_add(&bytes, &head, sizeof(head));
    for (uint32_t i = 0; i < n; i++) {
        const struct rf_schema_entry raw = {.flags = entry[i].flags,
                                            .type = entry[i].type,
                                            .detail = entry[i].detail,
                                            .offset = entry[i].offset};
        rfw_add(&bytes, &raw, sizeof(raw));
    }
    for (uint32_t i = 0; i < n; i++) {
        struct rf_schema_entry raw;
        const size_t at = sizeof(head) + i * sizeof(raw);
        memcpy(&raw, bytes.data + at, sizeof(raw));
        raw.name = add_text(&bytes, entry[i].name);
        raw.description = add_text(&bytes, entry[i].description);
        if (entry[i].scope != 0) {
            const struct rf_semantics scope = {.id = 1, .version = 1, .value = entry[i].scope};
            raw.semantics = (uint32_t)bytes.size;
            rfw_add(&bytes, &scope, sizeof(scope));
        }
        memcpy(bytes.data + at, &raw, sizeof(raw));
    }
    define(w, process, ns, domain, id, RF_NVTX_DEF_SCHEMA, &bytes);
}

void rfw_nvtx_scope(struct rfw *w, uint32_t process, int64_t ns, uint32_t domain, uint64_t id,
                    uint64_t parent, const char *path)
{
    struct rf_scope_def head = {.parent = parent, .path = sizeof(head)};
    struct rfw_bytes bytes = {0};
    rfw_add(&bytes, &head, sizeof(head));
    (void)add_text(&bytes, path);
    define(w, process, ns, domain, id, RF_NVTX_DEF_SCOPE, &bytes);
}

void rfw_nvtx_heap(struct rfw *w, uint32_t process, int64_t ns, uint32_t domain, uint64_t handle,
                   uint64_t address, uint64_t size, const char *name)
{
    struct rf_heap_def head = {
        .address = address, .size = size, .usage = 1, .type = 1, .name = sizeof(head)};
    struct rfw_bytes bytes = {0};
    rfw_add(&bytes, &head, sizeof(head));
    (void)add_text(&bytes, name);
    define(w, process, ns, domain, handle, RF_NVTX_DEF_HEAP, &bytes);
}

/* ---- Records ---- */

static uint64_t word0(const struct rfw_stream *s, enum rf_record_type type, size_t n_words,
                      int64_t ns)
{
    const uint64_t ticks = RFW_TICKS_0 + (uint64_t)ns + s->ticks_offset;
    return (uint64_t)type |
           (n_words <= RF_WORD_MAX_WORDS ? (uint64_t)n_words : 0) << RF_WORD_TYPE_BITS |
           ticks << RF_WORD_TICK_SHIFT;
}

/* A stream's first record begins its first part. */
static void add_record(struct rfw_stream *s, int64_t ns, const uint64_t *words, size_t n_words)
{
    if (s->n_parts == 0 ||
        s->part[s->n_parts - 1]->records.size + 8 * (n_words + 1) > RFW_PART_ROOM)
        (void)rfw_next_part(s, ns);
    rfw_raw(s, words, n_words);
}

void rfw_ext(struct rfw_stream *s, int64_t ns, uint32_t domain, enum rf_ext_kind kind, uint64_t a,
             uint64_t b)
{
    const size_t n = kind == RF_EXT_SAMPLE ? 3 : 4;
    const uint64_t words[] = {word0(s, RF_REC_EXT, n, ns),
                              (uint64_t)kind | (uint64_t)domain << RF_EXT_DOMAIN_SHIFT, a, b};
    add_record(s, ns, words, n);
}

void rfw_ext_words(struct rfw_stream *s, int64_t ns, uint32_t domain, enum rf_ext_kind kind,
                   const uint64_t *word, size_t n)
{
    uint64_t words[2 + 16] = {word0(s, RF_REC_EXT, 2 + n, ns),
                              (uint64_t)kind | (uint64_t)domain << RF_EXT_DOMAIN_SHIFT};
    memcpy(words + 2, word, n * sizeof(*word));
    add_record(s, ns, words, 2 + n);
}

void rfw_batch(struct rfw_stream *s, int64_t ns, uint32_t domain, uint64_t schema, uint64_t scope,
               uint64_t flex_offset, uint64_t flex_address)
{
    const uint64_t words[] = {word0(s, RF_REC_EXT, 7, ns),
                              (uint64_t)RF_EXT_EVENTS | (uint64_t)domain << RF_EXT_DOMAIN_SHIFT,
                              schema,
                              scope,
                              0,
                              flex_offset,
                              flex_address};
    add_record(s, ns, words, 7);
}

void rfw_array(struct rfw_stream *s, int64_t ns, uint64_t which, const void *bytes, size_t size)
{
    enum { MOST = 4096 };
    size_t done = 0;
    do {
        const size_t head = done == 0 ? 4 : 2, part = size - done < MOST ? size - done : MOST;
        const size_t n = head + (part + 7) / 8;
        uint64_t *words = calloc(n, sizeof(*words));
        words[0] = word0(s, RF_REC_DATA, n, ns);
        words[1] = done == 0 ? RF_DATA_ARRAY : RF_DATA_MORE;
        if (n > RF_WORD_MAX_WORDS)
            words[1] |= (uint64_t)n << 32;
        if (done == 0) {
            words[2] = which;
            words[3] = size;
        }
        memcpy(words + head, (const uint8_t *)bytes + done, part);
        add_record(s, ns, words, n);
        free(words);
        done += part;
    } while (done < size);
}

void rfw_int64(struct rfw_stream *s, int64_t ns, uint32_t domain, uint64_t id, int64_t value)
{
    rfw_ext(s, ns, domain, RF_EXT_INT64, id, (uint64_t)value);
}

void rfw_float64(struct rfw_stream *s, int64_t ns, uint32_t domain, uint64_t id, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    rfw_ext(s, ns, domain, RF_EXT_FLOAT64, id, bits);
}
