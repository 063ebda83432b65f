/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "shared_recording.h"
#include "kind.h"
#include "references.h"
#include "views.h"

struct places *places_new(void)
{
    struct places *places = calloc(1, sizeof(*places));
    if (places != NULL)
        atomic_init(&places->n_references, 1);
    return places;
}

struct places *places_retain(struct places *places)
{
    if (places != NULL)
        add_reference(&places->n_references);
    return places;
}

void places_release(struct places *places)
{
    if (places == NULL || !drop_reference(&places->n_references))
        return;
    free(places->at);
    free(places);
}

int places_add(struct places *places, uint32_t run, uint32_t index)
{
    if (rf_grow_array(&places->at, places->n, &places->room, sizeof(*places->at)) != RF_OK)
        return -1;
    places->at[places->n++] = (struct place){run, index};
    return 0;
}

/* ---- Runs ---- */

/* The rows of a run that are still to come, from one of the kind on. */
struct feed {
    const char *at;
    size_t left;
    uint32_t run, index;
};

/* Goes on to the next row of the kind; returns false at the end. */
static bool feed_step(struct feed *feed, const struct kind *kind)
{
    do {
        feed->at += kind->size;
        feed->left--;
        feed->index++;
    } while (feed->left > 0 && kind->keeps != NULL && !kind->keeps(feed->at));
    return feed->left > 0;
}

/* From the first row of the kind to the last one. Returns how many there are. */
static size_t feed_init(struct feed *feed, const struct kind *kind, const struct run *run,
                        uint32_t run_index)
{
    size_t n = 0, first = 0, end = 0;
    if (kind->keeps == NULL)
        n = end = run->n;
    for (size_t i = 0; i < run->n && kind->keeps != NULL; i++) {
        if (!kind->keeps((const char *)run->base + i * kind->size))
            continue;
        first = n++ == 0 ? i : first;
        end = i + 1;
    }
    *feed = (struct feed){(const char *)run->base + first * kind->size, end - first, run_index,
                          (uint32_t)first};
    return n;
}

/* ---- All runs ---- */

struct feeds {
    struct feed *feed; /* those that have rows of the kind */
    size_t n;
    size_t n_rows;
};

static int feeds_init(struct feeds *feeds, const struct recording *recording,
                      const struct kind *kind, int64_t only)
{
    struct run run;
    uint32_t n_runs = (uint32_t)kind_count_runs(recording, kind);
    feeds->feed = calloc((size_t)n_runs + 1, sizeof(*feeds->feed));
    if (feeds->feed == NULL)
        return -1;
    for (uint32_t i = 0; i < n_runs; i++) {
        if ((only >= 0 && i != only) || !kind->run(recording, i, &run))
            continue;
        size_t n = feed_init(&feeds->feed[feeds->n], kind, &run, i);
        feeds->n_rows += n;
        feeds->n += n > 0;
    }
    return 0;
}

static void concatenate(struct feeds *feeds, const struct kind *kind, struct places *places)
{
    for (size_t i = 0; i < feeds->n; i++) {
        struct feed *feed = &feeds->feed[i];
        do
            places->at[places->n++] = (struct place){feed->run, feed->index};
        while (feed_step(feed, kind));
    }
}

/* ---- Merging by start ---- */

static int64_t start_of(const struct feed *feed)
{
    int64_t start;
    memcpy(&start, feed->at, sizeof(start));
    return start;
}

static bool is_before(const struct feed *a, const struct feed *b)
{
    int64_t x = start_of(a), y = start_of(b);
    return x != y ? x < y : a->run < b->run;
}

static void sift_down(struct feed *heap, size_t n, size_t i)
{
    struct feed moving = heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n)
            break;
        if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &moving))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moving;
}

static void merge(struct feeds *feeds, const struct kind *kind, struct places *places)
{
    struct feed *heap = feeds->feed;
    size_t n = feeds->n;
    for (size_t i = n; i-- > 0;)
        sift_down(heap, n, i);
    while (n > 0) {
        places->at[places->n++] = (struct place){heap[0].run, heap[0].index};
        if (!feed_step(&heap[0], kind))
            heap[0] = heap[--n];
        if (n > 0)
            sift_down(heap, n, 0);
    }
}

static struct places *find_places(struct feeds *feeds, const struct kind *kind)
{
    struct places *places = places_new();
    if (places == NULL)
        return NULL;
    places->room = feeds->n_rows;
    places->at = malloc((feeds->n_rows + 1) * sizeof(*places->at));
    if (places->at == NULL) {
        places_release(places);
        return NULL;
    }
    if (kind->is_timed && feeds->n > 1)
        merge(feeds, kind, places);
    else
        concatenate(feeds, kind, places);
    return places;
}

int places_find(const struct recording *recording, const struct kind *kind, int64_t run,
                struct view *out)
{
    struct feeds feeds = {NULL, 0, 0};
    int status = feeds_init(&feeds, recording, kind, run);
    *out = (struct view){.kind = kind, .step = 1, .n = (Py_ssize_t)feeds.n_rows};
    if (status == 0 && feeds.n == 1 && feeds.feed[0].left == feeds.n_rows) {
        out->base = feeds.feed[0].at; /* they stand one behind the other */
        out->run = feeds.feed[0].run;
        out->index = feeds.feed[0].index;
    } else if (status == 0 && feeds.n > 0) {
        out->places = find_places(&feeds, kind);
        status = out->places != NULL ? 0 : -1;
    }
    free(feeds.feed);
    return status;
}
