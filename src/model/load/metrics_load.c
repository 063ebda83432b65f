/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of GPU metrics (docs/format.md, section 10) as counters. Chunks are not trusted: sizes
 * are checked, and what does not fit the description is left out and counted. */
#include "model/load/metrics_load.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/large_pages.h"
#include "log/log_memory.h"
#include "log/metrics.h"
#include "model/cuda/cuda_clock.h"
#include "model/load/capture_windows.h"
#include "model/load/load.h"
#include "model/load/samples.h"
#include "model/load/timeline.h"
#include "model/strings.h"
#include "model/sums/sample_sums.h"

#define HEADERS   (sizeof(struct rf_chunk_header) + sizeof(struct rf_metrics_head))
#define VID       ((int64_t)1 << 48) /* what nsys's databases call the whole machine */
#define MAX_GPUS  256u
#define MAX_SLOTS 1024u
#define N_AT_ONCE 64u /* rows: the cache holds them while they become columns */

/* One sampler. */
struct sampler {
    struct rf_load *load;
    struct rf_cuda_clock *clock; /* CLOCK_REALTIME */
    const struct rf_log_metrics *chunk, *end;
    struct rf_metrics_head head; /* its description */
    const char *text, *text_end; /* what is left of it */
    uint32_t gpu;                /* rf_gpu.id */
    uint32_t set;
    int64_t *ns;   /* of the samples that are kept, with their values behind it; or NULL */
    double *value; /* column after column, each with room for all samples of all chunks */
    size_t n, room;
    size_t *n_no_number;       /* per metric */
    struct rf_sample_sum *sum; /* per metric; NULL: samples are not added up */
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

/* How many samples a chunk holds; 0: none, or its header is wrong. */
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

static bool has_description(struct sampler *s)
{
    s->head = head_of(s->chunk);
    if (s->head.kind != RF_METRICS_DESCRIPTION || s->head.n_metrics == 0 ||
        s->head.n_metrics > RF_METRICS_MOST || s->head.n > s->chunk->size - HEADERS)
        return false;
    s->text = (const char *)s->chunk->data + HEADERS;
    s->text_end = s->text + s->head.n;
    return true;
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

static bool has_gpu(const rf_recording *rec, uint32_t id)
{
    for (uint32_t i = 0; i < rec->n_gpus; i++)
        if (rec->gpu[i].id == id)
            return true;
    return false;
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

/* The time of a sample; RF_NO_TIME: it has none, or lies in no capture. */
static int64_t read_time(const struct sampler *s, const uint8_t *row)
{
    struct rf_metrics_sample sample;
    memcpy(&sample, row, sizeof(sample));
    if (sample.start_ns <= 0 || sample.end_ns < sample.start_ns) {
        s->load->cuda.n_notes[RF_NOTE_METRICS_BAD]++;
        return RF_NO_TIME;
    }
    int64_t end_ns = ns_of(s, sample.end_ns);
    if (s->load->windows.is_focused &&
        !rf_windows_overlap(&s->load->windows, ns_of(s, sample.start_ns), end_ns))
        return RF_NO_TIME;
    return end_ns;
}

/* Adds a row where the gap begins. */
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
    if (s->load->windows.is_focused &&
        !rf_windows_overlap(&s->load->windows, start_ns, ns_of(s, head->end_ns)))
        return RF_OK;
    s->load->cuda.n_notes[RF_NOTE_METRICS_LOST] += head->n > 0 ? head->n : 1;
    return add_diagnostic(s, start_ns, head->n);
}

/* Notes when the rows were sampled, and which of them are kept. Returns how many. */
static size_t read_times(struct sampler *s, const uint8_t *row, size_t n, int64_t *ns,
                         const uint8_t **kept)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++, row += row_size(s)) {
        ns[n_kept] = read_time(s, row);
        kept[n_kept] = row + sizeof(struct rf_metrics_sample);
        n_kept += ns[n_kept] != RF_NO_TIME;
    }
    return n_kept;
}

/* Puts rows at the end of the columns, or only counts them. */
static void read_rows(struct sampler *s, const uint8_t *row, size_t n)
{
    int64_t unused_ns[N_AT_ONCE];
    double unused[N_AT_ONCE];
    const uint8_t *kept[N_AT_ONCE];
    int64_t *ns = s->ns != NULL ? s->ns + s->n : unused_ns;
    size_t n_kept = read_times(s, row, n, ns, kept);
    for (size_t metric = 0; metric < s->head.n_metrics; metric++) {
        double *out = s->ns != NULL ? s->value + metric * s->room + s->n : unused;
        size_t n_no_number = 0;
        for (size_t i = 0; i < n_kept; i++) {
            memcpy(&out[i], kept[i] + metric * sizeof(*out), sizeof(*out));
            n_no_number += !isfinite(out[i]);
            if (s->sum != NULL && isfinite(out[i]))
                rf_sample_sum_add_real(&s->sum[metric], ns[i], out[i]);
        }
        s->n_no_number[metric] += n_no_number;
    }
    s->n += n_kept;
}

static int read_chunk(struct sampler *s, const struct rf_log_metrics *chunk)
{
    const struct rf_metrics_head head = head_of(chunk);
    const uint8_t *row = chunk->data + HEADERS;
    size_t n = count_rows(s, chunk);
    if (head.kind == RF_METRICS_LOST)
        return note_loss(s, &head);
    if (head.kind == RF_METRICS_DESCRIPTION || (head.kind == RF_METRICS_SAMPLES && n == 0))
        s->load->cuda.n_notes[RF_NOTE_METRICS_BAD]++;
    for (size_t at = 0; at < n; at += N_AT_ONCE)
        read_rows(s, row + at * row_size(s), n - at < N_AT_ONCE ? n - at : N_AT_ONCE);
    return RF_OK;
}

/* Room for as many samples as the chunks can hold, which is no more memory than they are. */
static int make_columns(struct sampler *s)
{
    for (const struct rf_log_metrics *c = s->chunk + 1; c < s->end; c++)
        s->room += (c->size - HEADERS) / row_size(s);
    s->n_no_number = calloc(s->head.n_metrics, sizeof(*s->n_no_number));
    if (s->n_no_number == NULL)
        return RF_ERR_NO_MEMORY;
    if (s->load->sums_samples && (s->sum = calloc(s->head.n_metrics, sizeof(*s->sum))) == NULL)
        return RF_ERR_NO_MEMORY;
    if (s->load->has_no_samples || s->room == 0)
        return RF_OK;
    const size_t size = s->room * ((size_t)s->head.n_metrics + 1) * sizeof(double);
    s->ns = malloc(size);
    if (s->ns == NULL)
        return RF_ERR_NO_MEMORY;
    rf_prefer_large_pages(s->ns, size);
    s->value = (double *)(void *)(s->ns + s->room);
    return RF_OK;
}

/* Closes the gaps between the columns. */
static int fit_columns(struct sampler *s)
{
    double *value = (double *)(void *)(s->ns + s->n);
    for (size_t i = 0; i < s->head.n_metrics && s->n < s->room; i++)
        memmove(value + i * s->n, s->value + i * s->room, s->n * sizeof(*value));
    void *fitting = realloc(s->ns, s->n * ((size_t)s->head.n_metrics + 1) * sizeof(*value));
    if (fitting == NULL)
        return RF_ERR_NO_MEMORY;
    s->ns = fitting;
    s->value = (double *)(void *)(s->ns + s->n);
    return RF_OK;
}

/* Brings all samples into columns, by time. */
static int load_columns(struct sampler *s)
{
    struct rf_log_read read = {.from = NULL};
    int status = make_columns(s);
    for (const struct rf_log_metrics *c = s->chunk + 1; c < s->end && status == RF_OK; c++) {
        status = read_chunk(s, c);
        rf_log_was_read(&s->load->log, &read, c->data, c->size);
    }
    if (status == RF_OK && s->ns != NULL && s->n > 0) {
        status = fit_columns(s);
        if (status == RF_OK)
            status = rf_samples_sort(s->ns, s->n, s->value, s->head.n_metrics);
        if (status == RF_OK)
            return rf_samples_keep(s->load->rec, s->ns);
    }
    free(s->ns);
    s->ns = NULL;
    return status;
}

/* ---- Counters ---- */

/* A metric with values that are not numbers has times of its own. */
static int leave_out(struct sampler *s, double *value, struct rf_counter *counter)
{
    size_t n = 0;
    int64_t *ns = malloc(counter->n_samples * sizeof(*ns));
    if (ns == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < s->n; i++) {
        if (!isfinite(value[i]))
            continue;
        ns[n] = s->ns[i];
        value[n++] = value[i];
    }
    counter->ns = ns;
    return rf_samples_keep(s->load->rec, ns);
}

/* The samples of a metric. */
static int set_samples(struct sampler *s, uint32_t metric, struct rf_counter *counter)
{
    const size_t n = s->n - s->n_no_number[metric];
    s->load->cuda.n_notes[RF_NOTE_METRICS_NO_NUMBER] += s->n_no_number[metric];
    s->load->rec->info.n_samples += n;
    if (s->ns == NULL || n == 0)
        return RF_OK;
    double *value = s->value + metric * s->n;
    counter->n_samples = n;
    counter->ns = s->ns;
    counter->value = value;
    return n < s->n ? leave_out(s, value, counter) : RF_OK;
}

static int make_room(const struct sampler *s)
{
    rf_recording *rec = s->load->rec;
    size_t n = (size_t)rec->n_counters + s->head.n_metrics;
    struct rf_counter *counter = realloc(rec->counter, n * sizeof(*counter));
    if (counter != NULL)
        rec->counter = counter;
    struct rf_counter_origin *origin = realloc(rec->counter_origin, n * sizeof(*origin));
    if (origin != NULL)
        rec->counter_origin = origin;
    return counter != NULL && origin != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

static int add_counter(struct sampler *s, uint32_t metric, uint32_t number)
{
    rf_recording *rec = s->load->rec;
    int status = RF_OK;
    struct rf_counter counter = {.set = s->set, .device = s->gpu, .process = RF_NO_INDEX};
    uint32_t name = next_text(s, &status);
    counter.name = next_text(s, &status);
    if (counter.name == RF_NO_STRING)
        counter.name = name;
    if (status == RF_OK)
        status = set_samples(s, metric, &counter);
    rec->counter_origin[rec->n_counters] =
        (struct rf_counter_origin){.sum = s->sum != NULL ? &s->sum[metric] : NULL,
                                   .type = VID | (s->gpu & 0xff),
                                   .source = VID,
                                   .metric = number};
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
    if (!has_description(s)) {
        s->load->cuda.n_notes[RF_NOTE_METRICS_BAD] += (uint64_t)(s->end - s->chunk);
        return RF_OK;
    }
    int status = load_columns(s);
    if (status == RF_OK && s->n > 0)
        status = find_gpu(s);
    if (status == RF_OK && s->n > 0)
        status = make_room(s);
    const bool has_sums = status == RF_OK && s->n > 0 && s->sum != NULL;
    uint32_t first = status == RF_OK && s->n > 0 ? n_metrics_of(s->load->rec, s->gpu) : 0;
    for (uint32_t i = 0; i < s->head.n_metrics && s->n > 0 && status == RF_OK; i++)
        status = add_counter(s, i, first + i);
    free(s->n_no_number);
    if (!has_sums)
        free(s->sum);
    else if (rf_samples_keep(s->load->rec, s->sum) != RF_OK)
        status = RF_ERR_NO_MEMORY;
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
