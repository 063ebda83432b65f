/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome JSON in the layout of the script nsys2json: a bare array in which a GPU is a process
 * ("Device 0"), and its streams and the threads that feed it are threads ("Stream 7", "NVTX Thread
 * 100"). The same keys in the same order, numbers and texts as Python writes them, the lines of
 * events sorted by these names as text, each line in the order of time.
 *
 * A line is what one source (a stream of a context, or a thread) shows of one kind. Several sources
 * may have one name: they are merged, since the script knows but one line then. */
#include "export/chrome/export_nsys2json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/heap.h"
#include "export/chrome/export_nsys2json_colors.h"
#include "export/kernel_regions.h"
#include "export/chrome/python_micros.h"
#include "export/export_shares.h"

#define MAX_REGIONS        1024
#define DEFAULT_ACTIVITIES (RF_NSYS2JSON_KERNEL | RF_NSYS2JSON_NVTX_KERNEL)

/* In one piece up to the number, since every event has it. */
#define CATEGORY(name) ", \"ph\": \"X\", \"cat\": \"" name "\", \"ts\": "

/* What a line shows. */
struct kind {
    unsigned activity; /* enum rf_nsys2json_activity */
    const char *category;
    const char *tid; /* before the number */
};

static const struct kind kernels = {RF_NSYS2JSON_KERNEL, CATEGORY("cuda"), "Stream"};
static const struct kind calls = {RF_NSYS2JSON_CUDA_API, CATEGORY("cuda_api"), "CUDA API Thread"};
static const struct kind ranges = {RF_NSYS2JSON_NVTX, CATEGORY("nvtx"), "NVTX Thread"};
static const struct kind ranges_of_kernels = {RF_NSYS2JSON_NVTX_KERNEL, CATEGORY("nvtx-kernel"),
                                              "NVTX Kernel Thread"};

struct line {
    char pid[24];
    char tid[40];
    unsigned activity; /* enum rf_nsys2json_activity */
    const char *category;
    uint32_t index;               /* of the GPU track or thread */
    const struct rf_call *call;   /* those of the thread */
    const struct rf_event *event; /* those of the thread */
    /* While it is written: */
    size_t at, end; /* in the list of its source */
    int64_t key_ns; /* of the event at `at`: what lines of one name are merged by */
    int64_t start_ns, end_ns;
    uint32_t name;
};

/* What is known of a string. */
enum { STRING_PLAIN = 1, STRING_CHOSEN = 2 };

struct writer {
    struct rf_export_job *job;
    const rf_recording *rec;
    const struct rf_nsys2json_options *options;
    unsigned activities;
    struct rf_share *share;
    struct rf_sink *sink; /* of the share */
    const struct rf_gpu_op *ops;
    struct rf_kernel_regions regions; /* where nvtx-kernel is asked for */
    struct rf_color_scheme colors;
    const struct rf_color **color; /* per string, where there is a scheme; see color_of() */
    char *patterns;                /* for LIKE: one per prefix, each with its end */
    unsigned char *string;         /* what is known of each; threads do not change it */
    struct line *line;
    size_t n_lines;
    struct rf_heap heap;        /* of the lines of one name */
    uint32_t list[MAX_REGIONS]; /* the names of a kernel's ranges, innermost first */
    bool has_event;
};

/* ---- Strings ---- */

/* The prefixes as the script puts them into SQL: 'PREFIX%', where two quotes stand for one. */
static bool make_patterns(struct writer *to)
{
    size_t size = 1;
    for (size_t i = 0; i < to->options->n_prefixes; i++)
        size += strlen(to->options->prefixes[i]) + 2;
    char *out = to->patterns = malloc(size);
    for (size_t i = 0; out != NULL && i < to->options->n_prefixes; i++) {
        for (const char *p = to->options->prefixes[i]; *p != '\0'; p++) {
            p += p[0] == '\'' && p[1] == '\'';
            *out++ = *p;
        }
        *out++ = '%';
        *out++ = '\0';
    }
    return out != NULL;
}

/* By SQLite's LIKE, which the script asks: in ASCII letters case makes no difference, '_' is any
 * character and '%' any number of them. */
static bool has_prefix(const struct writer *to, const char *name)
{
    const char *pattern = to->patterns;
    for (size_t i = 0; i < to->options->n_prefixes; i++, pattern += strlen(pattern) + 1)
        if (sqlite3_strlike(pattern, name, 0) == 0)
            return true;
    return to->options->n_prefixes == 0;
}

static void look_at(struct writer *to, uint32_t id)
{
    size_t size;
    const char *text = rf_string(to->rec, id, &size);
    unsigned char known = 0;
    if (rf_is_plain_json(text, size))
        known |= STRING_PLAIN;
    if (has_prefix(to, text))
        known |= STRING_CHOSEN;
    to->string[id] = known;
}

/* otherwise: what stands for no name. */
static void put_string(struct writer *to, uint32_t id, const char *otherwise)
{
    size_t size;
    if (id == RF_NO_STRING) {
        rf_sink_text(to->sink, otherwise);
        return;
    }
    const char *text = rf_string(to->rec, id, &size);
    if ((to->string[id] & STRING_PLAIN) == 0) {
        rf_sink_json_ascii(to->sink, text, size);
        return;
    }
    rf_sink_char(to->sink, '"');
    rf_sink_bytes(to->sink, text, size);
    rf_sink_char(to->sink, '"');
}

/* A range without a name has no prefix. */
static bool is_chosen(void *context, const struct rf_event *event)
{
    struct writer *to = context;
    if (event->kind != RF_EVENT_PUSH_POP)
        return false;
    if (event->name == RF_NO_STRING)
        return to->options->n_prefixes == 0;
    return (to->string[event->name] & STRING_CHOSEN) != 0;
}

/* *color, which is NULL, stays so where the name has no color. */
static int color_of(struct writer *to, uint32_t id, const struct rf_color **color)
{
    static const struct rf_color no_color;
    size_t size;
    if (to->color == NULL || id == RF_NO_STRING)
        return RF_OK;
    const struct rf_color **known = &to->color[id];
    const char *name = rf_string(to->rec, id, &size);
    int status = RF_OK;
    if (*known == NULL)
        status = rf_color_scheme_find(&to->colors, name, size, known, to->job->err);
    if (status == RF_OK && *known == NULL)
        *known = &no_color;
    *color = *known != &no_color ? *known : NULL;
    return status;
}

/* ---- One event ---- */

/* Of very many ranges over a kernel the inner ones stand, after a sign: the file would grow with
 * kernels times ranges. */
static void put_regions(struct writer *to, const struct rf_gpu_op *op, uint32_t region)
{
    const struct rf_event *events = rf_thread_events(to->rec, op->thread, NULL);
    uint32_t n = 0;
    for (; region != RF_NO_INDEX && n < MAX_REGIONS; region = to->regions.region[region].below)
        to->list[n++] = events[to->regions.region[region].event].name;
    rf_sink_text(to->sink, "\"NVTXRegions\": [");
    if (region != RF_NO_INDEX)
        rf_sink_text(to->sink, "\"...\", ");
    while (n > 0) {
        put_string(to, to->list[--n], "null");
        rf_sink_text(to->sink, n > 0 ? ", " : "]");
    }
}

static void put_times(struct writer *to, const struct line *line)
{
    struct rf_sink *sink = to->sink;
    rf_sink_text(sink, line->category);
    rf_sink_python_micros(sink, line->start_ns);
    rf_sink_text(sink, ", \"dur\": ");
    rf_sink_python_micros(sink, (int64_t)((uint64_t)line->end_ns - (uint64_t)line->start_ns));
    rf_sink_text(sink, ", \"tid\": \"");
    rf_sink_text(sink, line->tid);
    rf_sink_text(sink, "\", \"pid\": \"");
    rf_sink_text(sink, line->pid);
    rf_sink_text(sink, "\", \"args\": {");
}

static void put_args(struct writer *to, const struct line *line)
{
    if (line->activity == RF_NSYS2JSON_KERNEL && to->regions.of_op != NULL &&
        to->regions.of_op[line->at] != RF_NO_INDEX)
        put_regions(to, &to->ops[line->at], to->regions.of_op[line->at]);
    if (line->activity != RF_NSYS2JSON_CUDA_API)
        return;
    uint32_t correlation = line->call[line->at].correlation;
    rf_sink_text(to->sink, "\"correlationId\": ");
    if (correlation != 0)
        rf_sink_u64(to->sink, correlation);
    else
        rf_sink_text(to->sink, "null");
}

static int put_event(struct writer *to, const struct line *line)
{
    const struct rf_color *color = NULL;
    bool is_range = line->activity == RF_NSYS2JSON_NVTX;
    if (!to->share->is_mine) {
        to->has_event = true;
        return RF_OK;
    }
    int status = is_range ? color_of(to, line->name, &color) : RF_OK;
    if (status != RF_OK)
        return status;
    rf_sink_text(to->sink, to->has_event ? ", {\"name\": " : "{\"name\": ");
    to->has_event = true;
    put_string(to, line->name, is_range ? "null" : "\"\"");
    put_times(to, line);
    put_args(to, line);
    rf_sink_char(to->sink, '}');
    if (color != NULL)
        rf_sink_text(to->sink, ", \"cname\": ");
    if (color != NULL && color->is_text)
        rf_sink_json_ascii(to->sink, color->value, strlen(color->value));
    else if (color != NULL)
        rf_sink_text(to->sink, color->value);
    rf_sink_char(to->sink, '}');
    return rf_sink_status(to->sink);
}

/* ---- The events of a line ---- */

static void set_event(struct line *line, uint32_t name, int64_t start_ns, int64_t end_ns)
{
    line->name = name;
    line->start_ns = line->key_ns = start_ns;
    line->end_ns = end_ns;
}

/* Does the line show what is at line->at? Sets its name and times. */
static bool is_shown(struct writer *to, struct line *line)
{
    if (line->activity == RF_NSYS2JSON_KERNEL) {
        const struct rf_gpu_op *op = &to->ops[line->at];
        set_event(line, op->name, op->start_ns, op->end_ns);
        return op->kind == RF_OP_KERNEL;
    }
    if (line->activity == RF_NSYS2JSON_CUDA_API) {
        const struct rf_call *call = &line->call[line->at];
        set_event(line, call->name, call->start_ns, call->end_ns);
        return call->kind == RF_CALL_CUDA_RUNTIME || call->kind == RF_CALL_CUDA_DRIVER;
    }
    const struct rf_event *event = &line->event[line->at];
    set_event(line, event->name, event->start_ns, event->end_ns);
    if (line->activity == RF_NSYS2JSON_NVTX)
        return is_chosen(to, event);
    const struct rf_region_bounds *bounds = &to->regions.bounds[line->index][line->at];
    line->start_ns = bounds->start_ns;
    line->end_ns = bounds->end_ns;
    return bounds->start_ns <= bounds->end_ns;
}

/* Goes to the first event from line->at on that is shown; false if there is none. */
static bool find_event(struct writer *to, struct line *line)
{
    while (line->at < line->end && !is_shown(to, line))
        line->at++;
    return line->at < line->end;
}

/* ---- Merging lines of one name ---- */

static int write_lines(struct writer *to, struct line *first, struct line *end)
{
    int status = RF_OK;
    to->heap.n = 0;
    for (struct line *line = first; line < end; line++)
        if (find_event(to, line))
            rf_heap_add(&to->heap, line->key_ns, (size_t)(line - first));
    while (to->heap.n > 0 && status == RF_OK) {
        struct line *line = first + to->heap.entry[0].source;
        status = put_event(to, line);
        if (status == RF_OK)
            status = rf_export_step(to->job);
        if (status == RF_OK)
            status = rf_share_next(to->share);
        to->sink = to->share->sink;
        line->at++;
        if (find_event(to, line))
            rf_heap_advance(&to->heap, line->key_ns);
        else
            rf_heap_drop(&to->heap);
    }
    return status;
}

/* ---- Which lines there are ---- */

static bool has_kernel(const struct writer *to, const struct rf_gpu_track *track)
{
    for (uint32_t i = 0; i < track->n_ops; i++)
        if (to->ops[track->first_op + i].kind == RF_OP_KERNEL)
            return true;
    return false;
}

static struct line *add_line(struct writer *to, const struct kind *kind, uint32_t index,
                             uint32_t number)
{
    struct line *line = &to->line[to->n_lines++];
    line->activity = kind->activity;
    line->category = kind->category;
    line->index = index;
    (void)snprintf(line->tid, sizeof(line->tid), "%s %" PRIu32, kind->tid, number);
    return line;
}

static void set_pid(struct line *line, const char *what, uint32_t number)
{
    (void)snprintf(line->pid, sizeof(line->pid), "%s %" PRIu32, what, number);
}

/* device: of each process the lowest that runs a kernel of it. */
static void add_tracks(struct writer *to, uint32_t *device)
{
    for (uint32_t i = 0; i < rf_n_gpu_tracks(to->rec); i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, i);
        if (!has_kernel(to, track))
            continue;
        if (track->process != RF_NO_INDEX && track->device < device[track->process])
            device[track->process] = track->device;
        if ((to->activities & RF_NSYS2JSON_KERNEL) == 0)
            continue;
        struct line *line = add_line(to, &kernels, i, track->stream);
        line->at = track->first_op;
        line->end = line->at + track->n_ops;
        set_pid(line, "Device", track->device);
    }
}

static void add_thread(struct writer *to, const struct kind *kind, uint32_t index,
                       const uint32_t *device)
{
    size_t n_calls, n_events;
    const struct rf_thread *thread = rf_thread_at(to->rec, index);
    if ((to->activities & kind->activity) == 0)
        return;
    struct line *line = add_line(to, kind, index, thread->tid);
    line->call = rf_thread_calls(to->rec, index, &n_calls);
    line->event = rf_thread_events(to->rec, index, &n_events);
    line->end = kind == &calls ? n_calls : n_events;
    if (device[thread->process] != RF_NO_INDEX)
        set_pid(line, "Device", device[thread->process]);
    else
        set_pid(line, "Process", rf_process_at(to->rec, thread->process)->pid);
}

static int compare_names(const struct line *a, const struct line *b)
{
    int order = strcmp(a->pid, b->pid);
    return order != 0 ? order : strcmp(a->tid, b->tid);
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int order = compare_names(x, y);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static void list_lines(struct writer *to, uint32_t *device)
{
    uint32_t n_threads = rf_n_threads(to->rec);
    memset(device, 0xff, rf_n_processes(to->rec) * sizeof(*device));
    add_tracks(to, device);
    for (uint32_t i = 0; i < n_threads; i++) {
        add_thread(to, &ranges, i, device);
        add_thread(to, &calls, i, device);
        if (to->regions.bounds != NULL && to->regions.bounds[i] != NULL)
            add_thread(to, &ranges_of_kernels, i, device);
    }
    qsort(to->line, to->n_lines, sizeof(*to->line), compare_lines);
    to->job->n_events = 0; /* at most: it is for the progress */
    for (size_t i = 0; i < to->n_lines; i++)
        to->job->n_events += to->line[i].end - to->line[i].at;
}

/* ---- The whole ---- */

static int make_lines(struct writer *to)
{
    size_t room = rf_n_gpu_tracks(to->rec) + (size_t)rf_n_threads(to->rec) * 3 + 1;
    uint32_t *device = malloc((rf_n_processes(to->rec) + (size_t)1) * sizeof(*device));
    to->line = calloc(room, sizeof(*to->line));
    int status = RF_OK;
    if (device == NULL || to->line == NULL)
        status = rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
    else
        list_lines(to, device);
    free(device);
    return status;
}

static int prepare(struct writer *to)
{
    size_t n_strings = (size_t)rf_n_strings(to->rec) + 1;
    int status = RF_OK;
    to->ops = rf_gpu_ops(to->rec, NULL);
    to->activities = to->options->activities != 0 ? to->options->activities : DEFAULT_ACTIVITIES;
    if (to->options->color_scheme != NULL)
        status = rf_color_scheme_init(&to->colors, to->options->color_scheme, to->job->err);
    if (status != RF_OK)
        return status;
    to->string = calloc(n_strings, 1);
    if (to->colors.n > 0)
        to->color = calloc(n_strings, sizeof(*to->color));
    if (to->string == NULL || (to->colors.n > 0 && to->color == NULL) || !make_patterns(to))
        return rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
    for (uint32_t id = 0; id < rf_n_strings(to->rec); id++)
        look_at(to, id);
    if ((to->activities & RF_NSYS2JSON_NVTX_KERNEL) != 0)
        status = rf_kernel_regions_init(&to->regions, to->rec, is_chosen, to, to->job->err);
    return status == RF_OK ? make_lines(to) : status;
}

static int write_all(struct writer *to)
{
    int status = RF_OK;
    rf_sink_char(to->sink, '[');
    for (size_t i = 0, end; i < to->n_lines && status == RF_OK; i = end) {
        for (end = i + 1; end < to->n_lines && compare_names(&to->line[i], &to->line[end]) == 0;)
            end++;
        status = write_lines(to, to->line + i, to->line + end);
    }
    rf_sink_char(to->sink, ']');
    return status;
}

/* context: what all threads share of a writer. */
static int write_share(void *context, struct rf_share *share)
{
    const struct writer *all = context;
    struct writer to = *all;
    int status = RF_ERR_NO_MEMORY;
    to.job = &share->job;
    to.share = share;
    to.sink = share->sink;
    to.line = malloc((all->n_lines + 1) * sizeof(*to.line));
    to.heap.entry = malloc((all->n_lines + 1) * sizeof(*to.heap.entry));
    if (to.line != NULL && to.heap.entry != NULL) {
        memcpy(to.line, all->line, all->n_lines * sizeof(*to.line));
        status = write_all(&to);
    } else {
        (void)rf_fail(to.job->err, status, "out of memory");
    }
    free(to.line);
    free(to.heap.entry);
    return status;
}

int rf_write_nsys2json(struct rf_export_job *job, struct rf_sink *sink)
{
    struct writer to = {
        .job = job, .rec = job->rec, .options = job->options->nsys2json, .sink = sink};
    int status = prepare(&to);
    /* colors are looked up as they are met: by one thread */
    const uint64_t n_items = to.color == NULL ? job->n_events : 0;
    if (status == RF_OK)
        status = rf_export_in_shares(job, sink, n_items, write_share, &to);
    rf_kernel_regions_release(&to.regions);
    rf_color_scheme_release(&to.colors);
    free(to.patterns);
    free(to.color);
    free(to.string);
    free(to.line);
    return status;
}
