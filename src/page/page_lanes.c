/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page_lanes.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/amounts.h"
#include "base/grow.h"
#include "base/text_sink.h"
#include "page/page_html.h"

#define MAX_THREADS 32
#define HEIGHT      20 /* of a lane */

/* ---- The time that is shown ---- */

static void widen(struct rf_page_lanes *lanes, int64_t start_ns, int64_t end_ns)
{
    lanes->start_ns = start_ns < lanes->start_ns ? start_ns : lanes->start_ns;
    lanes->end_ns = end_ns > lanes->end_ns ? end_ns : lanes->end_ns;
}

static int64_t end_of(const struct rf_event *event)
{
    return event->end_ns > event->start_ns ? event->end_ns : event->start_ns;
}

static void find_time(struct rf_page_lanes *lanes, const rf_recording *rec)
{
    size_t n = 0;
    lanes->start_ns = INT64_MAX;
    lanes->end_ns = INT64_MIN;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        const struct rf_event *event = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            widen(lanes, event[i].start_ns, end_of(&event[i]));
        const struct rf_call *call = rf_thread_calls(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            widen(lanes, call[i].start_ns, call[i].end_ns);
    }
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        widen(lanes, op[i].start_ns, op[i].end_ns);
    if (lanes->start_ns >= lanes->end_ns)
        lanes->end_ns = lanes->start_ns = 0;
}

/* ---- Adding time to parts of it ---- */

struct filler {
    struct rf_page_lane *lane;
    const struct rf_page_lanes *lanes;
    uint64_t step_ns; /* of a bin */
    int64_t until_ns; /* what came before covers the time up to here */
    size_t bin;       /* that until_ns is in */
    int64_t bin_end_ns;
};

static void begin(struct filler *filler, const struct rf_page_lanes *lanes,
                  struct rf_page_lane *lane)
{
    const uint64_t time_ns = (uint64_t)lanes->end_ns - (uint64_t)lanes->start_ns;
    *filler = (struct filler){.lane = lane,
                              .lanes = lanes,
                              .step_ns = time_ns / RF_PAGE_BINS + 1,
                              .until_ns = lanes->start_ns};
    filler->bin_end_ns = (int64_t)((uint64_t)lanes->start_ns + filler->step_ns);
}

/* The bin of a time that is not before the last one. */
static void move_to(struct filler *filler, int64_t ns)
{
    if (ns < filler->bin_end_ns)
        return;
    filler->bin = (size_t)(((uint64_t)ns - (uint64_t)filler->lanes->start_ns) / filler->step_ns);
    const uint64_t end_ns = (uint64_t)filler->lanes->start_ns + (filler->bin + 1) * filler->step_ns;
    filler->bin_end_ns = filler->bin + 1 < RF_PAGE_BINS ? (int64_t)end_ns : INT64_MAX;
}

/* Adds what no earlier piece covers. Pieces come by start. */
static inline void fill(struct filler *filler, int64_t start_ns, int64_t end_ns)
{
    if (end_ns <= filler->until_ns)
        return;
    int64_t from_ns = start_ns > filler->until_ns ? start_ns : filler->until_ns;
    filler->lane->busy_ns += (uint64_t)end_ns - (uint64_t)from_ns;
    filler->until_ns = end_ns;
    while (from_ns < end_ns) {
        move_to(filler, from_ns);
        const int64_t to_ns = end_ns < filler->bin_end_ns ? end_ns : filler->bin_end_ns;
        filler->lane->bin_ns[filler->bin] += (uint64_t)to_ns - (uint64_t)from_ns;
        from_ns = to_ns;
    }
}

static struct rf_page_lane *add_lane(struct rf_page_lanes *lanes)
{
    if (rf_grow_array(&lanes->lane, lanes->n, &lanes->room, sizeof(*lanes->lane)) != RF_OK)
        return NULL;
    lanes->lane[lanes->n] = (struct rf_page_lane){.busy_ns = 0};
    return &lanes->lane[lanes->n++];
}

/* ---- GPUs ---- */

struct piece {
    uint32_t gpu;
    int64_t start_ns, end_ns;
};

static int compare_pieces(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static struct piece *list_work(const rf_recording *rec, size_t *n)
{
    size_t n_ops = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n_ops);
    struct piece *piece = malloc((n_ops + 1) * sizeof(*piece));
    *n = 0;
    for (size_t i = 0; i < n_ops && piece != NULL; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, op[i].track);
        if (op[i].kind == RF_OP_SYNC || track == NULL)
            continue;
        const struct rf_gpu *gpu = rf_gpu_of(rec, track->process, track->device);
        piece[(*n)++] =
            (struct piece){gpu != NULL ? gpu->id : track->device, op[i].start_ns, op[i].end_ns};
    }
    if (*n > 0)
        qsort(piece, *n, sizeof(*piece), compare_pieces);
    return piece;
}

static const char *name_of_gpu(const rf_recording *rec, uint32_t id)
{
    for (uint32_t i = 0; i < rf_n_gpus(rec); i++)
        if (rf_gpu_at(rec, i)->id == id) {
            const char *name = rf_string(rec, rf_gpu_at(rec, i)->name, NULL);
            return name != NULL ? name : "";
        }
    return "";
}

static int add_gpus(struct rf_page_lanes *lanes, const rf_recording *rec)
{
    struct filler filler = {.lane = NULL};
    size_t n = 0;
    struct piece *piece = list_work(rec, &n);
    int status = piece != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        if (i == 0 || piece[i].gpu != piece[i - 1].gpu) {
            struct rf_page_lane *lane = add_lane(lanes);
            if (lane == NULL) {
                status = RF_ERR_NO_MEMORY;
                break;
            }
            lane->is_gpu = true;
            (void)snprintf(lane->label, sizeof(lane->label), "GPU %u %s", piece[i].gpu,
                           name_of_gpu(rec, piece[i].gpu));
            begin(&filler, lanes, lane);
        }
        fill(&filler, piece[i].start_ns, piece[i].end_ns);
    }
    free(piece);
    return status;
}

/* ---- Threads ---- */

static void put_label(struct rf_page_lane *lane, const rf_recording *rec,
                      const struct rf_thread *thread)
{
    const struct rf_process *process = rf_process_at(rec, thread->process);
    const char *name = rf_string(rec, thread->name, NULL);
    const char *of = rf_n_processes(rec) > 1 ? rf_string(rec, process->name, NULL) : NULL;
    char text[512];
    (void)snprintf(text, sizeof(text), "%s%s%s %u", of != NULL ? of : "", of != NULL ? ": " : "",
                   name != NULL ? name : "thread", thread->tid);
    rf_cut_text(lane->label, sizeof(lane->label), text);
}

static int add_thread(struct rf_page_lanes *lanes, const rf_recording *rec, uint32_t t)
{
    struct filler filler;
    size_t n = 0, n_calls = 0, c = 0;
    const struct rf_event *event = rf_thread_events(rec, t, &n);
    const struct rf_call *call = rf_thread_calls(rec, t, &n_calls);
    if (n == 0 && n_calls == 0)
        return RF_OK;
    struct rf_page_lane *lane = add_lane(lanes);
    if (lane == NULL)
        return RF_ERR_NO_MEMORY;
    put_label(lane, rec, rf_thread_at(rec, t));
    begin(&filler, lanes, lane);
    for (size_t i = 0; i < n; i++) {
        if (event[i].end_ns <= filler.until_ns ||
            (event[i].kind != RF_EVENT_PUSH_POP && event[i].kind != RF_EVENT_START_END))
            continue;
        for (; c < n_calls && call[c].start_ns <= event[i].start_ns; c++)
            fill(&filler, call[c].start_ns, call[c].end_ns);
        fill(&filler, event[i].start_ns, event[i].end_ns);
    }
    for (; c < n_calls; c++)
        fill(&filler, call[c].start_ns, call[c].end_ns);
    return RF_OK;
}

static int compare_lanes(const void *left, const void *right)
{
    const struct rf_page_lane *a = left, *b = right;
    if (a->busy_ns != b->busy_ns)
        return a->busy_ns > b->busy_ns ? -1 : 1;
    return strcmp(a->label, b->label);
}

/* Of many threads only the busiest are kept, so that memory is bounded. */
static void keep_busiest(struct rf_page_lanes *lanes, size_t n_gpus, size_t n_kept)
{
    qsort(lanes->lane + n_gpus, lanes->n - n_gpus, sizeof(*lanes->lane), compare_lanes);
    if (lanes->n > n_gpus + n_kept) {
        lanes->n_left_out += lanes->n - n_gpus - n_kept;
        lanes->n = n_gpus + n_kept;
    }
}

int rf_page_lanes_init(struct rf_page_lanes *lanes, const rf_recording *rec)
{
    *lanes = (struct rf_page_lanes){.n = 0};
    find_time(lanes, rec);
    if (lanes->start_ns == lanes->end_ns)
        return RF_OK;
    int status = add_gpus(lanes, rec);
    const size_t n_gpus = lanes->n;
    for (uint32_t t = 0; t < rf_n_threads(rec) && status == RF_OK; t++) {
        status = add_thread(lanes, rec, t);
        if (lanes->n > n_gpus + 4 * MAX_THREADS)
            keep_busiest(lanes, n_gpus, MAX_THREADS);
    }
    if (status == RF_OK && lanes->n > n_gpus)
        keep_busiest(lanes, n_gpus, MAX_THREADS);
    return status;
}

void rf_page_lanes_release(struct rf_page_lanes *lanes)
{
    free(lanes->lane);
    *lanes = (struct rf_page_lanes){.n = 0};
}

/* ---- The section ---- */

/* The outline, in steps of one bin; equal ones are one step. */
static void put_shape(struct rf_sink *sink, const struct rf_page_lane *lane, uint64_t step_ns)
{
    int at = 0, width = 0;
    rf_sink_format(sink, "<path d=\"M0 %d", HEIGHT);
    for (size_t b = 0; b < RF_PAGE_BINS; b++) {
        const double share = (double)lane->bin_ns[b] / (double)step_ns;
        int height = (int)(share * HEIGHT + 0.5);
        if (lane->bin_ns[b] > 0 && height == 0)
            height = 1;
        height = height > HEIGHT ? HEIGHT : height;
        if (height != at) {
            if (width > 0)
                rf_sink_format(sink, "h%d", width);
            rf_sink_format(sink, "v%d", at - height);
            width = 0;
            at = height;
        }
        width++;
    }
    rf_sink_format(sink, "h%dV%dz\"/>", width, HEIGHT);
}

static void put_lane(struct rf_sink *sink, const struct rf_page_lane *lane, uint64_t time_ns)
{
    const double share = 100 * (double)lane->busy_ns / (double)time_ns;
    rf_sink_format(sink, "<div class=\"lane%s\"><span class=\"label\">",
                   lane->is_gpu ? " gpu" : "");
    rf_html_put_text(sink, lane->label);
    rf_sink_format(sink,
                   "</span><svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" "
                   "aria-label=\"busy %.1f %%\">",
                   RF_PAGE_BINS, HEIGHT, share);
    put_shape(sink, lane, time_ns / RF_PAGE_BINS + 1);
    rf_sink_format(sink, "</svg><span class=\"share\">%.1f %%</span></div>\n", share);
}

void rf_page_lanes_put(const struct rf_page_lanes *lanes, struct rf_sink *sink)
{
    const uint64_t time_ns = (uint64_t)lanes->end_ns - (uint64_t)lanes->start_ns;
    char text[40];
    if (lanes->n == 0)
        return;
    rf_sink_text(sink,
                 "<section id=\"overview\"><h2>Overview</h2>\n<p>How much of the time threads "
                 "were in ranges and calls, and GPUs worked, from the first event to the last: ");
    rf_sink_text(sink, rf_format_duration(text, sizeof(text), (int64_t)time_ns));
    rf_sink_text(sink, ".</p>\n<div class=\"lanes\">\n");
    for (size_t i = 0; i < lanes->n; i++)
        put_lane(sink, &lanes->lane[i], time_ns);
    rf_sink_text(sink, "</div>\n");
    if (lanes->n_left_out > 0)
        rf_sink_format(
            sink, "<p class=\"note\">%zu more threads, which were less busy, are not shown.</p>\n",
            lanes->n_left_out);
    rf_sink_text(sink, "</section>\n");
}
