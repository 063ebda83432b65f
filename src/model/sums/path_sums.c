/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sums/path_sums.h"

#include <stdlib.h>

#include "model/load/path_walk.h"
#include "model/projection/projection_process.h"

#define MANY_EVENTS 1024u /* more than fit into a cache cost more */
#define MANY_PATHS  8192u

/* Ranges on their way through a walk: copies, since a walk writes into them. */
struct batch {
    struct rf_event *range;
    uint32_t *index; /* of each in its thread */
    size_t n, room;
    size_t enough;
};

struct adding {
    struct rf_path_sums *out;
    const rf_recording *rec;
    struct rf_path_walk walk;
    struct batch batch;
};

static bool reserve(struct batch *batch)
{
    if (batch->enough <= batch->room)
        return true;
    struct rf_event *range = realloc(batch->range, batch->enough * sizeof(*range));
    batch->range = range != NULL ? range : batch->range;
    uint32_t *index = realloc(batch->index, batch->enough * sizeof(*index));
    batch->index = index != NULL ? index : batch->index;
    if (range == NULL || index == NULL)
        return false;
    batch->room = batch->enough;
    return true;
}

static bool is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

/* Takes ranges until there are enough. Returns the next event. */
static uint32_t fill(struct adding *a, uint32_t thread, uint32_t i)
{
    struct batch *batch = &a->batch;
    size_t n_events = 0;
    const struct rf_event *event = rf_thread_events(a->rec, thread, &n_events);
    for (; i < n_events && batch->n < batch->enough; i++) {
        if (!is_range(&event[i]))
            continue;
        struct rf_event *range = &batch->range[batch->n];
        batch->index[batch->n++] = i;
        *range = event[i];
        range->payload_type = RF_TYPE_NONE; /* what payloads say is known by now */
        rf_path_walk_begin(range);
        if (rf_ends_elsewhere(a->rec, thread, &event[i]))
            (void)rf_path_walk_elsewhere(range);
    }
    return i;
}

/* Forgets what was added. */
static void take_added(struct adding *a, uint32_t *path, int64_t until_ns)
{
    struct batch *batch = &a->batch;
    size_t n = 0;
    for (size_t i = 0; i < batch->n; i++) {
        if (!rf_path_walk_adds(&batch->range[i], until_ns)) {
            batch->index[n] = batch->index[i];
            batch->range[n++] = batch->range[i];
        } else if (path != NULL) {
            path[batch->index[i]] = a->walk.path[i];
        }
    }
    batch->n = n;
    batch->enough = 2 * n > MANY_EVENTS ? 2 * n : MANY_EVENTS;
}

static int add_thread(struct adding *a, uint32_t thread, uint32_t *path)
{
    const struct rf_thread *of = rf_thread_at(a->rec, thread);
    const struct rf_piece_info *piece = rf_get_piece(a->rec);
    struct batch *batch = &a->batch;
    struct rf_path_thread walked = {.until_ns = RF_NO_TIME,
                                    .first = {.process = thread}, /* in the order of threads */
                                    .owner = {of->process, of->tid, of->serial},
                                    .goes_on = piece != NULL && piece->goes_on != 0};
    size_t n_events = 0;
    const struct rf_event *event = rf_thread_events(a->rec, thread, &n_events);
    batch->n = 0;
    batch->enough = MANY_EVENTS;
    for (uint32_t i = 0; i < n_events;) {
        walked.n_kept = batch->n;
        walked.settled_ns = walked.until_ns;
        if (!reserve(batch))
            return RF_ERR_NO_MEMORY;
        i = fill(a, thread, i);
        walked.event = batch->range;
        walked.n = batch->n;
        walked.until_ns = i < n_events ? event[i].start_ns : INT64_MAX;
        enum rf_path_step step = rf_path_walk(&a->walk, &walked, &a->out->sums);
        if (step == RF_PATHS_NO_MEMORY)
            return RF_ERR_NO_MEMORY;
        if (step == RF_PATHS_CROSS || a->out->sums.n > MANY_PATHS)
            return RF_ERR_UNSUPPORTED;
        take_added(a, path, walked.until_ns);
    }
    return RF_OK;
}

static uint32_t *new_paths(struct rf_path_sums *out, const rf_recording *rec, uint32_t thread)
{
    size_t n = 0;
    (void)rf_thread_events(rec, thread, &n);
    return out->path[thread] = malloc((n + 1) * sizeof(**out->path));
}

int rf_path_sums_init(struct rf_path_sums *out, const rf_recording *rec, bool with_paths)
{
    struct adding a = {.out = out, .rec = rec};
    int status = RF_OK;
    *out = (struct rf_path_sums){.n_threads = rf_n_threads(rec)};
    if (with_paths && (out->path = calloc(out->n_threads + 1, sizeof(*out->path))) == NULL)
        status = RF_ERR_NO_MEMORY;
    for (uint32_t t = 0; t < out->n_threads && status == RF_OK; t++) {
        uint32_t *path = with_paths ? new_paths(out, rec, t) : NULL;
        status = with_paths && path == NULL ? RF_ERR_NO_MEMORY : add_thread(&a, t, path);
    }
    rf_path_walk_release(&a.walk);
    free(a.batch.range);
    free(a.batch.index);
    return status;
}

void rf_path_sums_release(struct rf_path_sums *out)
{
    for (uint32_t t = 0; t < out->n_threads && out->path != NULL; t++)
        free(out->path[t]);
    free(out->path);
    rf_sums_release(&out->sums);
}
