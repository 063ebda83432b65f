/* SPDX-License-Identifier: Apache-2.0 */
/* EXT records of counters. Nothing in them is trusted: what does not fit the counter's layout is
 * left out and counted. */
#include "model/nvtx/nvtx_samples.h"

#include <string.h>

#include "log/log_memory.h"
#include "model/load/load.h"
#include "model/nvtx/nvtx_data.h"
#include "model/nvtx/nvtx_layout.h"
#include "model/nvtx/nvtx_submitted.h"
#include "model/nvtx/nvtx_time.h"
#include "model/nvtx/nvtx_tracks.h"
#include "model/payload/nvtx_definitions.h"

/* NVTX_COUNTER_SAMPLE_, NVTX_COUNTER_BATCH_FLAG_, number types */
enum { REASON_ZERO = 0, REASON_UNCHANGED = 1 };
enum { TYPE_INT64 = 17, TYPE_DOUBLE = 20 };
#define BATCH_BEGIN ((uint64_t)1 << 32)
#define BATCH_END   ((uint64_t)2 << 32)

struct reader {
    struct rf_load *load;
    struct rf_nvtx_source from;
    struct rf_nvtx_clocks clocks;
    struct rf_nvtx_data data;
    struct rf_decoder decoder; /* of deferred events */
    uint64_t time_domain;      /* of samples that name none: of a stream of NVTXW; or 0 */
    int status;
};

static void note(struct reader *r, enum rf_cuda_note what, uint64_t n)
{
    r->load->cuda.n_notes[what] += n;
}

/* ---- One value ---- */

static void add_sample(struct reader *r, uint32_t track, const struct rf_nvtx_sample *sample)
{
    r->status = rf_nvtx_add_sample(r->load, track, sample);
}

/* The values of one sample of all entries, from the bytes of its layout. */
static void add_row(struct reader *r, uint32_t first, const struct rf_nvtx_layout *layout,
                    const uint8_t *bytes, const struct rf_nvtx_sample *when)
{
    for (uint32_t i = 0; i < layout->n && r->status == RF_OK; i++) {
        struct rf_nvtx_sample sample = *when;
        double real = 0;
        const struct rf_nvtx_entry *entry = &layout->entry[i];
        bool is_integer = rf_number_read(&entry->type, bytes + entry->offset, &sample.bits, &real);
        sample.kind = is_integer ? RF_NVTX_SAMPLE_INTEGER : RF_NVTX_SAMPLE_REAL;
        if (!is_integer)
            memcpy(&sample.bits, &real, sizeof(real));
        add_sample(r, first + i, &sample);
    }
}

/* ---- Records ---- */

/* The tracks of the counter that a record names; RF_NO_INDEX: there are none. type: of a value that
 * says itself what it is, for a counter whose schema is not known; or 0. */
static uint32_t find_tracks(struct reader *r, uint64_t id, uint64_t type,
                            const struct rf_nvtx_use **use)
{
    struct rf_nvtx_load *nvtx = &r->load->nvtx;
    uint32_t counter = rf_nvtx_find_counter(r->load, &r->from, id, &r->status);
    if (counter == RF_NO_INDEX) {
        if (r->status == RF_OK)
            note(r, RF_NOTE_COUNTER_UNKNOWN, 1);
        return RF_NO_INDEX;
    }
    if (nvtx->counter[counter].layout->n == 0 && type != 0) {
        rf_nvtx_layout_free(nvtx->counter[counter].layout);
        nvtx->counter[counter].layout =
            rf_nvtx_layout_new(r->load, nvtx->counter[counter].domain, type);
        if (nvtx->counter[counter].layout == NULL)
            r->status = RF_ERR_NO_MEMORY;
    }
    *use = &nvtx->counter[counter];
    if (r->status != RF_OK || (*use)->layout->n == 0) {
        note(r, RF_NOTE_COUNTER_SCHEMA, 1);
        return RF_NO_INDEX;
    }
    return rf_nvtx_find_tracks(r->load, counter, r->from.thread, &r->status);
}

/* When a sample was taken: a timestamp of a clock that can be read, or else `ns`, where its record
 * stands. */
static struct rf_nvtx_sample time_of(struct reader *r, uint32_t domain, uint64_t clock,
                                     int64_t timestamp, int64_t ns)
{
    struct rf_nvtx_sample when = {.ns = ns, .flags = RF_SAMPLE_PLACED};
    if (!rf_nvtx_knows_clock(&r->clocks, domain, clock)) {
        note(r, RF_NOTE_COUNTER_PLACED, 1);
        return when;
    }
    const int64_t own_ns = rf_nvtx_ns(&r->clocks, domain, clock, timestamp, &r->status);
    if (rf_nvtx_is_near(&r->clocks, own_ns))
        return (struct rf_nvtx_sample){.ns = own_ns};
    note(r, RF_NOTE_COUNTER_FAR, 1);
    return when;
}

static uint64_t clock_of(const struct reader *r, const struct rf_nvtx_use *use)
{
    return use->time_domain != 0 ? use->time_domain : r->time_domain;
}

/* When a record of one sample was taken. timestamp: NULL: at ns */
static struct rf_nvtx_sample when_single(struct reader *r, const struct rf_nvtx_use *use,
                                         const uint64_t *timestamp, int64_t ns)
{
    if (timestamp == NULL)
        return (struct rf_nvtx_sample){.ns = ns};
    return time_of(r, use->domain, clock_of(r, use), (int64_t)*timestamp, ns);
}

/* INT64 and FLOAT64. A value cannot be of a group. */
static void read_value(struct reader *r, uint64_t id, uint64_t bits, bool is_real,
                       const uint64_t *timestamp, int64_t ns)
{
    const struct rf_nvtx_use *use;
    uint32_t first = find_tracks(r, id, is_real ? TYPE_DOUBLE : TYPE_INT64, &use);
    if (first == RF_NO_INDEX || r->status != RF_OK)
        return;
    struct rf_nvtx_sample sample = when_single(r, use, timestamp, ns);
    sample.bits = bits;
    sample.kind = is_real ? RF_NVTX_SAMPLE_REAL : RF_NVTX_SAMPLE_INTEGER;
    if (use->layout->n == 1)
        add_sample(r, first, &sample);
    else
        note(r, RF_NOTE_COUNTER_SCHEMA, 1);
}

static void read_no_value(struct reader *r, uint64_t id, uint64_t reason, const uint64_t *timestamp,
                          int64_t ns)
{
    const struct rf_nvtx_use *use;
    uint32_t first = find_tracks(r, id, TYPE_INT64, &use);
    if (first == RF_NO_INDEX || r->status != RF_OK)
        return;
    struct rf_nvtx_sample sample = when_single(r, use, timestamp, ns);
    sample.kind = RF_NVTX_SAMPLE_NONE;
    if (reason == REASON_UNCHANGED)
        sample.kind = RF_NVTX_SAMPLE_UNCHANGED;
    for (uint32_t i = 0; i < use->layout->n && r->status == RF_OK; i++) {
        if (reason == REASON_ZERO)
            sample.kind = rf_is_whole_number(&use->layout->entry[i].type) ? RF_NVTX_SAMPLE_INTEGER
                                                                          : RF_NVTX_SAMPLE_REAL;
        add_sample(r, first + i, &sample);
    }
}

/* The samples in an array: how many there are whole. */
static size_t n_whole(struct reader *r, const struct rf_nvtx_layout *layout)
{
    const struct rf_nvtx_array *array = &r->data.array[0];
    size_t n = layout->size > 0 ? array->size / layout->size : 0;
    if (n == 0 || array->size != array->declared || array->size % layout->size != 0)
        note(r, RF_NOTE_COUNTER_SIZE, 1);
    return n;
}

static void read_sample(struct reader *r, uint64_t id, const uint64_t *timestamp, int64_t ns)
{
    const struct rf_nvtx_use *use;
    uint32_t first = find_tracks(r, id, 0, &use);
    if (first == RF_NO_INDEX || r->status != RF_OK || n_whole(r, use->layout) == 0)
        return;
    const struct rf_nvtx_sample when = when_single(r, use, timestamp, ns);
    if (r->status == RF_OK)
        add_row(r, first, use->layout, rf_nvtx_bytes(&r->data, 0), &when);
}

/* ---- Batches ---- */

struct batch {
    const struct rf_nvtx_layout *layout;
    const uint8_t *sample, *time; /* time: of each sample, or a pair; NULL: none */
    size_t n, n_times;
    uint64_t flags, clock;
    uint32_t domain; /* index */
    bool is_pair;
    int64_t ns; /* of the record */
};

/* The timestamp of sample i; false: it has none. */
static bool get_timestamp(const struct batch *batch, size_t i, uint64_t *timestamp)
{
    uint64_t pair[2];
    if (batch->is_pair) {
        memcpy(pair, batch->time, sizeof(pair));
        *timestamp = (batch->flags & BATCH_END) != 0 ? pair[0] - (batch->n - 1 - i) * pair[1]
                                                     : pair[0] + i * pair[1];
        return true;
    }
    if (batch->time != NULL) {
        if (i < batch->n_times)
            memcpy(timestamp, batch->time + 8 * i, sizeof(*timestamp));
        return i < batch->n_times;
    }
    if (batch->layout->has_time)
        memcpy(timestamp, batch->sample + i * batch->layout->size + batch->layout->time_offset,
               sizeof(*timestamp));
    return batch->layout->has_time;
}

/* When sample i was taken, or else where its record stands. */
static struct rf_nvtx_sample when_of(struct reader *r, const struct batch *batch, size_t i)
{
    uint64_t timestamp;
    struct rf_nvtx_sample when = {.ns = batch->ns, .flags = RF_SAMPLE_PLACED};
    if (!get_timestamp(batch, i, &timestamp)) {
        note(r, RF_NOTE_COUNTER_PLACED, 1);
        return when;
    }
    return time_of(r, batch->domain, batch->clock, (int64_t)timestamp, batch->ns);
}

static void set_times(struct reader *r, struct batch *batch, const struct rf_nvtx_use *use)
{
    const struct rf_nvtx_array *array = &r->data.array[1];
    const bool wants_pair = (batch->flags & (BATCH_BEGIN | BATCH_END)) != 0;
    batch->domain = use->domain;
    batch->clock = clock_of(r, use);
    batch->n_times = array->size / 8;
    if (batch->n_times >= (wants_pair ? 2 : 1)) {
        batch->time = rf_nvtx_bytes(&r->data, 1);
        batch->is_pair = wants_pair;
    } else if (use->layout->has_time && use->layout->time_domain != 0) {
        batch->clock = use->layout->time_domain;
    }
}

static void read_batch(struct reader *r, uint64_t id, uint64_t flags, int64_t ns)
{
    const struct rf_nvtx_use *use;
    struct batch batch = {.flags = flags, .ns = ns};
    uint32_t first = find_tracks(r, id, 0, &use);
    if (first == RF_NO_INDEX || r->status != RF_OK)
        return;
    batch.layout = use->layout;
    batch.n = n_whole(r, use->layout);
    batch.sample = rf_nvtx_bytes(&r->data, 0);
    set_times(r, &batch, use);
    for (size_t i = 0; i < batch.n && r->status == RF_OK; i++) {
        const struct rf_nvtx_sample when = when_of(r, &batch, i);
        const struct rf_capture_windows *windows = &r->load->windows;
        if (windows->is_focused && !rf_windows_contain(windows, when.ns))
            note(r, RF_NOTE_COUNTER_OUTSIDE, 1);
        else
            add_row(r, first, batch.layout, batch.sample + i * batch.layout->size, &when);
    }
}

/* ---- Streams ---- */

static void read_record(struct reader *r, const struct rf_record *record,
                        struct rf_stream_cursor *cursor)
{
    uint64_t word[1 + RF_NVTX_BATCH_WORDS] = {0};
    const size_t most = 2 + RF_NVTX_BATCH_WORDS;
    const size_t n = record->n_words < most ? record->n_words : most;
    if (n > 1)
        memcpy(word, record->words + 8, 8 * (n - 1));
    int64_t ns = rf_timeline_ns(&r->load->timeline, &r->clocks.line, record->ticks);
    uint64_t domain = word[0] >> RF_EXT_DOMAIN_SHIFT & RF_EXT_DOMAIN_ESCAPE;
    r->from.domain = domain != RF_EXT_DOMAIN_ESCAPE ? domain : UINT32_MAX;
    switch (word[0] & 0xff) {
    case RF_EXT_INT64:
    case RF_EXT_FLOAT64:
        read_value(r, word[1], word[2], (word[0] & 0xff) == RF_EXT_FLOAT64, n > 4 ? &word[3] : NULL,
                   ns);
        break;
    case RF_EXT_NO_VALUE:
        read_no_value(r, word[1], word[2], n > 4 ? &word[3] : NULL, ns);
        break;
    case RF_EXT_SAMPLE:
    case RF_EXT_BATCH:
        r->status = rf_nvtx_read_data(&r->data, cursor);
        if (r->status == RF_OK && (word[0] & 0xff) == RF_EXT_SAMPLE)
            read_sample(r, word[1], n > 3 ? &word[2] : NULL, ns);
        else if (r->status == RF_OK)
            read_batch(r, word[1], word[2], ns);
        break;
    case RF_EXT_EVENT:
        r->status = rf_nvtx_take_event(&r->decoder, &r->from, cursor, ns);
        break;
    case RF_EXT_EVENTS:
        r->status = rf_nvtx_read_data(&r->data, cursor);
        if (r->status == RF_OK)
            r->status = rf_nvtx_take_events(&r->decoder, &r->from, &r->data, word + 1, ns);
        break;
    default: /* or of a later version */
        if (rf_nvtx_is_memory(word[0] & 0xff))
            r->status = rf_nvtx_take_memory(r->load, &r->from, record, &r->data, cursor, ns);
        break;
    }
}

static void enter_thread(struct reader *r, uint32_t tid, uint32_t serial)
{
    uint32_t i = rf_map_find(&r->load->thread_of, (uint64_t)r->from.process << 32 | serial, tid);
    struct rf_stream_def stream;
    const bool is_stream = rf_nvtx_stream_of(r->load->rec, r->from.process, tid, &stream);
    r->from.thread = i != RF_MAP_NONE ? i : RF_NO_INDEX;
    r->from.scope = is_stream ? stream.scope : 0;
    r->time_domain = is_stream ? stream.time_domain : 0;
}

/* next: the part behind the one that was entered. */
static void note_read(struct reader *r, const struct rf_load_stream *stream,
                      const struct rf_log_part *next, struct rf_log_read *read)
{
    if (next - stream->part < 2)
        return;
    const struct rf_part_view stored = rf_part_stored(&next[-2]);
    if (r->load->sums_samples)
        rf_log_was_read(&r->load->log, read, stored.data, stored.size);
    rf_decoder_drop_parts(&r->decoder, stream->part, next - 1);
}

static void read_stream(struct reader *r, const struct rf_load_stream *stream)
{
    struct rf_stream_cursor cursor;
    struct rf_stream_part part;
    struct rf_record record;
    enum rf_stream_step step;
    struct rf_log_read read = {.from = NULL};
    r->from = (struct rf_nvtx_source){.process = stream->process, .thread = RF_NO_INDEX};
    rf_stream_init(&cursor, &r->decoder.parts, stream->part, stream->n_parts);
    while (r->status == RF_OK &&
           (step = rf_stream_next(&cursor, &record, &part)) != RF_STREAM_END) {
        if (step == RF_STREAM_PART) {
            enter_thread(r, part.tid, part.serial);
            note_read(r, stream, cursor.part, &read);
        } else if (record.type == RF_REC_THREAD && record.n_words > 1) {
            uint64_t who = rf_load64(record.words + 8);
            enter_thread(r, (uint32_t)who, (uint32_t)(who >> 32));
        } else if (record.type == RF_REC_EXT) {
            read_record(r, &record, &cursor);
        }
    }
    rf_decoder_drop_parts(&r->decoder, stream->part, cursor.part);
    if (r->status == RF_OK && r->decoder.is_out_of_memory)
        r->status = RF_ERR_NO_MEMORY;
}

int rf_load_nvtx_samples(struct rf_load *load)
{
    struct reader r = {.load = load, .clocks = {.load = load}};
    rf_decoder_init(&r.decoder, load);
    for (uint32_t i = 0; i < load->n_streams && r.status == RF_OK; i++)
        if (load->stream[i].n_ext > 0)
            read_stream(&r, &load->stream[i]);
    rf_decoder_release(&r.decoder);
    rf_nvtx_data_release(&r.data);
    rf_nvtx_clocks_release(&r.clocks);
    return r.status == RF_OK ? rf_nvtx_find_regions(load) : r.status;
}
