/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of GPU metrics (docs/format.md, section 10) as counters. Nothing that a chunk says is
 * trusted: sizes are within it, and what does not fit its description is left out and counted. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/metrics.h"
#include "model/model.h"

#define HEADERS   (sizeof(struct rf_chunk_header) + sizeof(struct rf_metrics_head))
#define VID       ((int64_t)1 << 48) /* what nsys's databases call the whole machine */
#define MAX_GPUS  256u
#define MAX_SLOTS 1024u

/* One sampler. */
struct sampler {
    struct rf_load *load;
    struct rf_cuda_clock *clock; /* CLOCK_REALTIME */
    const struct rf_log_metrics *chunk, *end;
    struct rf_metrics_head head; /* its description */
    const char *text, *text_end; /* what is left of it */
    uint32_t gpu;                /* rf_gpu.id */
    uint32_t set;
    int64_t *ns; /* per sample: its end, or RF_NO_TIME: it is left out */
    size_t n;    /* samples in all chunks */
    size_t n_kept;
};

static struct rf_metrics_head head_of(const struct rf_log_metrics *chunk)
{
    struct rf_metrics_head head;
    memcpy(&head, chunk->data + sizeof(struct rf_chunk_header), sizeof(head));
    return head;
}

static size_t row_size(const struct sampler *s)
{
    return sizeof(struct rf_metrics_sample) + (size_t)s->head.n_metrics * sizeof(double);
}

/* How many samples a chunk holds; 0 where it holds none, or not what it says. */
static size_t count_rows(const struct sampler *s, const struct rf_log_metrics *chunk)
{
    const struct rf_metrics_head head = head_of(chunk);
    if (head.kind != RF_METRICS_SAMPLES || head.n_metrics != s->head.n_metrics ||
        head.n > (chunk->size - HEADERS) / row_size(s))
        return 0;
    return (size_t)head.n;
}

/* ---- The description ---- */

/* The next text of the description. RF_NO_STRING: there is none, or no memory. */
static uint32_t next_text(struct sampler *s, int *status)
{
    size_t room = (size_t)(s->text_end - s->text);
    const char *end = room > 0 ? memchr(s->text, 0, room) : NULL;
    if (end == NULL)
        return RF_NO_STRING;
    const char *text = s->text;
    s->text = end + 1;
    if (end == text)
        return RF_NO_STRING;
    uint32_t string = rf_strings_add(&s->load->rec->strings, text, (size_t)(end - text));
    if (string == RF_NO_STRING)
        *status = RF_ERR_NO_MEMORY;
    return string;
}

static int has_description(struct sampler *s)
{
    s->head = head_of(s->chunk);
    if (s->head.kind != RF_METRICS_DESCRIPTION || s->head.n_metrics == 0 ||
        s->head.n_metrics > RF_METRICS_MOST || s->head.n > s->chunk->size - HEADERS)
        return 0;
    s->text = (const char *)s->chunk->data + HEADERS;
    s->text_end = s->text + s->head.n;
    return 1;
}

static uint32_t uuid_string(struct sampler *s, int *status)
{
    static const uint8_t none[16] = {0};
    const uint8_t *u = s->head.uuid;
    char text[48];
    if (memcmp(u, none, sizeof(none)) == 0)
        return RF_NO_STRING;
    int size = snprintf(text, sizeof(text),
                        "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                        u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11],
                        u[12], u[13], u[14], u[15]);
    uint32_t string = rf_strings_add(&s->load->rec->strings, text, (size_t)size);
    if (string == RF_NO_STRING)
        *status = RF_ERR_NO_MEMORY;
    return string;
}

static int has_gpu(const rf_recording *rec, uint32_t id)
{
    for (uint32_t i = 0; i < rec->n_gpus; i++)
        if (rec->gpu[i].id == id)
            return 1;
    return 0;
}

/* The GPU that was sampled: one that the program used, or one more. */
static int find_gpu(struct sampler *s)
{
    rf_recording *rec = s->load->rec;
    int status = RF_OK;
    struct rf_gpu gpu = {.id = s->head.device};
    gpu.chip = next_text(s, &status);
    gpu.name = next_text(s, &status);
    gpu.bus = next_text(s, &status);
    gpu.uuid = uuid_string(s, &status);
    s->set = next_text(s, &status);
    if (status != RF_OK)
        return status;
    for (uint32_t i = 0; i < rec->n_gpus; i++) {
        struct rf_gpu *at = &rec->gpu[i];
        if ((gpu.uuid != RF_NO_STRING && at->uuid == gpu.uuid) ||
            (gpu.uuid == RF_NO_STRING && gpu.bus != RF_NO_STRING && at->bus == gpu.bus)) {
            if (at->chip == RF_NO_STRING)
                at->chip = gpu.chip;
            s->gpu = at->id;
            return RF_OK;
        }
    }
    while (has_gpu(rec, gpu.id))
        gpu.id++;
    s->gpu = gpu.id;
    if (rec->n_gpus >= MAX_GPUS)
        return RF_OK;
    struct rf_gpu *all = realloc(rec->gpu, ((size_t)rec->n_gpus + 1) * sizeof(*all));
    if (all == NULL)
        return RF_ERR_NO_MEMORY;
    rec->gpu = all;
    rec->gpu[rec->n_gpus++] = gpu;
    return RF_OK;
}

/* ---- Samples ---- */

static int64_t ns_of(const struct sampler *s, int64_t real_ns)
{
    return rf_timeline_ns(&s->load->timeline, &s->load->cuda.line,
                          rf_cuda_ticks(s->clock, (uint64_t)real_ns));
}

/* The time of a sample; RF_NO_TIME: it is none, or lies in no capture. */
static int64_t take_time(const struct sampler *s, const uint8_t *row)
{
    struct rf_metrics_sample sample;
    memcpy(&sample, row, sizeof(sample));
    if (sample.start_ns <= 0 || sample.end_ns < sample.start_ns) {
        s->load->cuda.n_notes[RF_NOTE_METRICS_BAD]++;
        return RF_NO_TIME;
    }
    int64_t end_ns = ns_of(s, sample.end_ns);
    if (s->load->focus.is_focused &&
        !rf_focus_overlaps(&s->load->focus, ns_of(s, sample.start_ns), end_ns))
        return RF_NO_TIME;
    return end_ns;
}

/* A row of its own where the gap begins. */
static int add_diagnostic(struct sampler *s, int64_t ns, uint64_t n_lost)
{
    rf_recording *rec = s->load->rec;
    char text[128];
    int size = snprintf(text, sizeof(text),
                        "GPU metrics: about %" PRIu64
                        " samples are missing: the hardware buffer was full, or they came too "
                        "fast",
                        n_lost);
    struct rf_extra row = {.start_ns = ns,
                           .end_ns = RF_NO_TIME,
                           .first_value = s->load->cuda.n_extra_values,
                           .name = rf_strings_add(&rec->strings, text, (size_t)size),
                           .process = RF_NO_INDEX,
                           .thread = RF_NO_INDEX,
                           .device = RF_NO_INDEX,
                           .context = RF_NO_INDEX,
                           .stream = RF_NO_INDEX,
                           .kind = RF_EXTRA_DIAGNOSTIC};
    if (row.name == RF_NO_STRING ||
        rf_grow_array(&rec->extra, rec->n_extras, &s->load->cuda.extra_room, sizeof(row)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    rec->extra[rec->n_extras++] = row;
    return RF_OK;
}

static int note_loss(struct sampler *s, const struct rf_metrics_head *head)
{
    int64_t start_ns = ns_of(s, head->start_ns);
    if (s->load->focus.is_focused &&
        !rf_focus_overlaps(&s->load->focus, start_ns, ns_of(s, head->end_ns)))
        return RF_OK;
    s->load->cuda.n_notes[RF_NOTE_METRICS_LOST] += head->n > 0 ? head->n : 1;
    return add_diagnostic(s, start_ns, head->n);
}

static int take_times(struct sampler *s)
{
    for (const struct rf_log_metrics *c = s->chunk + 1; c < s->end; c++)
        s->n += count_rows(s, c);
    s->ns = malloc((s->n + 1) * sizeof(*s->ns));
    if (s->ns == NULL)
        return RF_ERR_NO_MEMORY;
    size_t at = 0;
    int status = RF_OK;
    for (const struct rf_log_metrics *c = s->chunk + 1; c < s->end && status == RF_OK; c++) {
        const struct rf_metrics_head head = head_of(c);
        size_t n = count_rows(s, c);
        if (head.kind == RF_METRICS_LOST)
            status = note_loss(s, &head);
        else if (head.kind == RF_METRICS_DESCRIPTION || (head.kind == RF_METRICS_SAMPLES && n == 0))
            s->load->cuda.n_notes[RF_NOTE_METRICS_BAD]++;
        for (size_t i = 0; i < n; i++, at++) {
            s->ns[at] = take_time(s, c->data + HEADERS + i * row_size(s));
            s->n_kept += s->ns[at] != RF_NO_TIME;
        }
    }
    return status;
}

static int compare_samples(const void *left, const void *right)
{
    const struct rf_counter_sample *a = left, *b = right;
    return a->ns < b->ns ? -1 : a->ns > b->ns;
}

/* The samples of one metric, whose place is behind all others. */
static int take_values(struct sampler *s, uint32_t metric, struct rf_counter *counter)
{
    rf_recording *rec = s->load->rec;
    struct rf_counter_sample *out = &rec->sample[rec->n_samples];
    size_t at = 0, n = 0;
    int is_sorted = 1;
    for (const struct rf_log_metrics *c = s->chunk + 1; c < s->end; c++) {
        const uint8_t *row = c->data + HEADERS + sizeof(struct rf_metrics_sample);
        size_t n_rows = count_rows(s, c);
        for (size_t i = 0; i < n_rows; i++, at++, row += row_size(s)) {
            struct rf_counter_sample sample = {.ns = s->ns[at]};
            memcpy(&sample.value, row + metric * sizeof(double), sizeof(double));
            if (sample.ns == RF_NO_TIME)
                continue;
            if (!isfinite(sample.value)) {
                s->load->cuda.n_notes[RF_NOTE_METRICS_NO_NUMBER]++;
                continue;
            }
            is_sorted &= n == 0 || out[n - 1].ns <= sample.ns;
            out[n++] = sample;
        }
    }
    counter->first_sample = rec->n_samples;
    counter->n_samples = n;
    rec->n_samples += n;
    return is_sorted ? RF_OK : rf_sort_records(out, n, sizeof(*out), compare_samples);
}

static int make_room(const struct sampler *s)
{
    rf_recording *rec = s->load->rec;
    size_t n = (size_t)rec->n_counters + s->head.n_metrics;
    size_t n_samples = rec->n_samples + s->n_kept * s->head.n_metrics + 1;
    struct rf_counter *counter = realloc(rec->counter, n * sizeof(*counter));
    if (counter != NULL)
        rec->counter = counter;
    struct rf_counter_origin *origin = realloc(rec->counter_origin, n * sizeof(*origin));
    if (origin != NULL)
        rec->counter_origin = origin;
    struct rf_counter_sample *sample = realloc(rec->sample, n_samples * sizeof(*sample));
    if (sample != NULL)
        rec->sample = sample;
    return counter != NULL && origin != NULL && sample != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

static int add_counter(struct sampler *s, uint32_t metric)
{
    rf_recording *rec = s->load->rec;
    int status = RF_OK;
    struct rf_counter counter = {.set = s->set, .device = s->gpu, .process = RF_NO_INDEX};
    uint32_t name = next_text(s, &status);
    counter.name = next_text(s, &status);
    if (counter.name == RF_NO_STRING)
        counter.name = name;
    if (status == RF_OK)
        status = take_values(s, metric, &counter);
    rec->counter_origin[rec->n_counters] =
        (struct rf_counter_origin){.type = VID | (s->gpu & 0xff), .source = VID, .metric = metric};
    rec->counter[rec->n_counters++] = counter;
    return status;
}

/* Several samplers of one GPU are told apart by the numbers of their metrics. */
static uint32_t n_metrics_of(const rf_recording *rec, uint32_t gpu)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rec->n_counters; i++)
        if (rec->counter[i].device == gpu && rec->counter_origin[i].metric >= n)
            n = rec->counter_origin[i].metric + 1;
    return n;
}

static int load_sampler(struct sampler *s)
{
    rf_recording *rec = s->load->rec;
    if (!has_description(s)) {
        s->load->cuda.n_notes[RF_NOTE_METRICS_BAD] += (uint64_t)(s->end - s->chunk);
        return RF_OK;
    }
    int status = take_times(s);
    if (status == RF_OK && s->n_kept > 0)
        status = find_gpu(s);
    if (status == RF_OK && s->n_kept > 0)
        status = make_room(s);
    uint32_t first = status == RF_OK ? n_metrics_of(rec, s->gpu) : 0;
    for (uint32_t i = 0; i < s->head.n_metrics && s->n_kept > 0 && status == RF_OK; i++) {
        status = add_counter(s, i);
        rec->counter_origin[rec->n_counters - 1].metric += first;
    }
    free(s->ns);
    return status;
}

int rf_load_metrics(struct rf_load *load)
{
    const struct rf_log *log = &load->log;
    struct rf_cuda_clock clock = {.n_pairs = 0};
    if (log->n_metrics == 0)
        return RF_OK;
    int status = rf_cuda_clock_finish(&clock, &load->rec->control, load->timeline.hz);
    uint32_t n_slots = 0;
    for (size_t i = 0, end; i < log->n_metrics && status == RF_OK; i = end) {
        for (end = i + 1; end < log->n_metrics; end++)
            if (log->metrics[end].slot != log->metrics[i].slot)
                break;
        struct sampler s = {
            .load = load, .clock = &clock, .chunk = &log->metrics[i], .end = &log->metrics[end]};
        if (n_slots++ < MAX_SLOTS)
            status = load_sampler(&s);
        else
            load->cuda.n_notes[RF_NOTE_METRICS_BAD] += end - i;
    }
    rf_cuda_clock_release(&clock);
    return status;
}
