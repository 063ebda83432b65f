/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/overlaps.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cli/say.h"

struct snapshot {
    int64_t of[3]; /* the run: its start by both clocks, and its first process */
    uint32_t number;
    int64_t begin_ns, end_ns; /* all events of some thread in between are there */
    char *path;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct snapshot *all;
static size_t n_all, room;

static int64_t begin_of(const rf_recording *rec)
{
    int64_t begin_ns = rf_get_ring(rec)->kept_from_ns;
    for (uint32_t i = 0; i < rf_n_threads(rec); i++) {
        const struct rf_thread *thread = rf_thread_at(rec, i);
        if (thread->n_events > 0 && thread->kept_from_ns < begin_ns)
            begin_ns = thread->kept_from_ns;
    }
    return begin_ns;
}

static int compare_runs(const struct snapshot *a, const struct snapshot *b)
{
    for (size_t i = 0; i < sizeof(a->of) / sizeof(a->of[0]); i++)
        if (a->of[i] != b->of[i])
            return a->of[i] < b->of[i] ? -1 : 1;
    return 0;
}

/* In the order of runs and numbers, whichever came first. */
static int compare(const struct snapshot *a, const struct snapshot *b)
{
    const int order = compare_runs(a, b);
    return order != 0 ? order : a->number < b->number ? -1 : a->number > b->number;
}

static void add(struct snapshot *snapshot, const char *path)
{
    size_t at = 0;
    while (at < n_all && compare(&all[at], snapshot) < 0)
        at++;
    if (at < n_all && compare(&all[at], snapshot) == 0)
        return; /* a copy, or the same one opened again */
    snapshot->path = strdup(path);
    if (snapshot->path == NULL || rf_grow_array(&all, n_all, &room, sizeof(*all)) != RF_OK) {
        free(snapshot->path);
        return;
    }
    memmove(&all[at + 1], &all[at], (n_all - at) * sizeof(*all));
    all[at] = *snapshot;
    n_all++;
}

void cli_overlaps_note(const rf_recording *rec, const char *path)
{
    const struct rf_ring_info *ring = rf_get_ring(rec);
    const struct rf_info *info = rf_get_info(rec);
    if (ring == NULL)
        return;
    struct snapshot snapshot = {.of = {info->epoch_utc_ns, info->epoch_mono_ns, info->root_pid},
                                .number = ring->snapshot != 0 ? ring->snapshot : UINT32_MAX,
                                .begin_ns = begin_of(rec),
                                .end_ns = info->end_ns};
    (void)pthread_mutex_lock(&lock);
    add(&snapshot, path);
    (void)pthread_mutex_unlock(&lock);
}

/* What overlaps any is seen where it overlaps the one before: snapshots are taken in their order.
 */
void cli_overlaps_say(void)
{
    size_t n = 0, first = 0;
    for (size_t i = 1; i < n_all; i++) {
        if (compare_runs(&all[i], &all[i - 1]) != 0 || all[i].begin_ns >= all[i - 1].end_ns)
            continue;
        first = n == 0 ? i : first;
        n++;
    }
    if (n > 0)
        cli_say("'%s' and '%s' are of one flight recorder, and overlap%s: what is in both counts "
                "twice where they are added up",
                all[first - 1].path, all[first].path, n > 1 ? ", as others do" : "");
    for (size_t i = 0; i < n_all; i++)
        free(all[i].path);
    free(all);
    all = NULL;
    n_all = room = 0;
}
