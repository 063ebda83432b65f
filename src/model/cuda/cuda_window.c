/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_window.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "rangefinder/rangefinder.h"

/* ---- Ids ---- */

static int init_ids(struct rf_held_ids *ids, uint64_t size)
{
    ids->size = size;
    ids->newest = calloc(size, sizeof(*ids->newest));
    ids->older = calloc(size, sizeof(*ids->older));
    return ids->newest != NULL && ids->older != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

static uint64_t *newest_of(const struct rf_held_ids *ids, uint64_t seed, uint32_t id)
{
    const uint32_t block = 10; /* ids that follow one another stand near each other */
    return &ids->newest[(rf_hash_mix(id >> block, seed) + id) & (ids->size - 1)];
}

/* Whether there is no room: the first item has to go. */
static bool is_full(const struct rf_held_ids *ids)
{
    return ids->end - ids->begin == ids->size;
}

/* The place of a new item. */
static size_t add_id(struct rf_held_ids *ids, uint64_t seed, uint32_t id)
{
    uint64_t *newest = newest_of(ids, seed, id);
    const size_t place = (size_t)(ids->end & (ids->size - 1));
    ids->older[place] = *newest;
    *newest = ++ids->end;
    return place;
}

/* Twice the room. The address of a pointer to the items is given, their size, and where in one its
 * id is. */
static int double_room(struct rf_held_ids *ids, uint64_t seed, void *array, size_t size,
                       size_t id_at)
{
    struct rf_held_ids more = {.begin = ids->begin, .end = ids->begin};
    char *items, *to = calloc(2 * ids->size, size);
    memcpy(&items, array, sizeof(items));
    if (to == NULL || init_ids(&more, 2 * ids->size) != RF_OK) {
        free(to);
        free(more.newest);
        free(more.older);
        return RF_ERR_NO_MEMORY;
    }
    while (more.end < ids->end) {
        const char *item = items + (size_t)(more.end & (ids->size - 1)) * size;
        uint32_t id;
        memcpy(&id, item + id_at, sizeof(id));
        memcpy(to + add_id(&more, seed, id) * size, item, size);
    }
    free(items);
    free(ids->newest);
    free(ids->older);
    memcpy(array, &to, sizeof(to));
    *ids = more;
    return RF_OK;
}

static bool is_held(const struct rf_held_ids *ids, uint64_t link)
{
    return link > ids->begin;
}

static size_t place_of(const struct rf_held_ids *ids, uint64_t link)
{
    return (size_t)((link - 1) & (ids->size - 1));
}

/* ---- What was given up ---- */

static void give_up(struct rf_given_up *lost, uint32_t id)
{
    if (!lost->has_one || id < lost->lowest)
        lost->lowest = id;
    if (!lost->has_one || id > lost->highest)
        lost->highest = id;
    lost->has_one = true;
}

static bool may_be_lost(const struct rf_given_up *lost, uint32_t id)
{
    return lost->has_one && id >= lost->lowest && id <= lost->highest;
}

/* ---- Beginning and end ---- */

int rf_cuda_window_init(struct rf_cuda_window *w, const struct rf_cuda_window_sizes *sizes,
                        int (*linked)(void *context, const struct rf_held_work *work,
                                      struct rf_held_call *call),
                        void *context)
{
    *w = (struct rf_cuda_window){
        .sizes = *sizes, .seed = rf_hash_seed(), .linked = linked, .context = context};
    w->call = calloc(sizes->calls, sizeof(*w->call));
    w->work = calloc(sizes->works, sizeof(*w->work));
    return w->call != NULL && w->work != NULL && init_ids(&w->calls, sizes->calls) == RF_OK &&
                   init_ids(&w->works, sizes->works) == RF_OK
               ? RF_OK
               : RF_ERR_NO_MEMORY;
}

void rf_cuda_window_release(struct rf_cuda_window *w)
{
    free(w->call);
    free(w->work);
    free(w->calls.newest);
    free(w->calls.older);
    free(w->works.newest);
    free(w->works.older);
    free(w->lost_start_ns);
    memset(w, 0, sizeof(*w));
}

/* ---- Matching ---- */

/* The call of an id; *n_later: calls that have come behind it. */
static struct rf_held_call *find_call(const struct rf_cuda_window *w, uint32_t id,
                                      uint64_t *n_later)
{
    for (uint64_t link = *newest_of(&w->calls, w->seed, id); is_held(&w->calls, link);
         link = w->calls.older[place_of(&w->calls, link)]) {
        struct rf_held_call *call = &w->call[place_of(&w->calls, link)];
        if (call->correlation != id)
            continue;
        *n_later = w->calls.end - link;
        return call;
    }
    return NULL;
}

static int match(struct rf_cuda_window *w, const struct rf_held_work *work,
                 struct rf_held_call *call)
{
    call->is_used = true;
    return w->linked(w->context, work, call);
}

/* The first piece of work has waited for long enough. */
static int drop_work(struct rf_cuda_window *w)
{
    const struct rf_held_work *work = &w->work[w->works.begin++ & (w->works.size - 1)];
    uint64_t n_later;
    if (work->correlation == 0)
        return RF_OK;
    w->n_waiting--;
    struct rf_held_call *call = find_call(w, work->correlation, &n_later);
    if (call != NULL)
        return match(w, work, call);
    give_up(&w->lost_work, work->correlation);
    return w->linked(w->context, work, NULL);
}

/* Where most of it waits for calls, these come late: it is held for longer. */
static int make_room_for_work(struct rf_cuda_window *w)
{
    struct rf_held_ids *works = &w->works;
    while (works->begin < works->end && w->work[works->begin & (works->size - 1)].correlation == 0)
        works->begin++;
    if (!is_full(works))
        return RF_OK;
    return works->size < w->sizes.most && w->n_waiting > works->size / 8 && w->calls.end > 0
               ? double_room(works, w->seed, &w->work, sizeof(*w->work),
                             offsetof(struct rf_held_work, correlation))
               : drop_work(w);
}

int rf_cuda_window_add_work(struct rf_cuda_window *w, const struct rf_held_work *work)
{
    uint64_t n_later = 0;
    if (work->correlation == 0)
        return w->linked(w->context, work, NULL);
    struct rf_held_call *call = find_call(w, work->correlation, &n_later);
    w->most_later = n_later > w->most_later ? n_later : w->most_later;
    if (call != NULL && n_later >= w->sizes.n_behind)
        return match(w, work, call);
    w->is_uncertain |= call == NULL && may_be_lost(&w->lost_calls, work->correlation);
    int status = is_full(&w->works) ? make_room_for_work(w) : RF_OK;
    if (status != RF_OK)
        return status;
    w->work[add_id(&w->works, w->seed, work->correlation)] = *work;
    w->n_waiting++;
    return RF_OK;
}

/* The work that waited for a call. */
static int match_waiting(struct rf_cuda_window *w, struct rf_held_call *call)
{
    int status = RF_OK;
    for (uint64_t link = *newest_of(&w->works, w->seed, call->correlation);
         is_held(&w->works, link) && status == RF_OK;
         link = w->works.older[place_of(&w->works, link)]) {
        struct rf_held_work *work = &w->work[place_of(&w->works, link)];
        if (work->correlation != call->correlation)
            continue;
        status = match(w, work, call);
        work->correlation = 0;
        w->n_waiting--;
    }
    return status;
}

static int compare_times(const struct rf_held_call *a, const struct rf_held_call *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns > b->end_ns ? -1 : a->end_ns < b->end_ns;
}

static void let_go(const struct rf_cuda_window *w, const struct rf_held_call *call)
{
    if (w->given_up != NULL)
        w->given_up(w->context, call);
}

/* Of two calls of one id the work is that of the outer one. */
static void join_calls(struct rf_cuda_window *w, struct rf_held_call *held,
                       const struct rf_held_call *call)
{
    const int order = compare_times(call, held);
    w->is_uncertain |= call->thread != held->thread || order == 0 || (order < 0 && held->is_used);
    let_go(w, order < 0 ? held : call);
    if (order < 0)
        *held = *call;
}

/* The first call has been held for long enough. */
static int drop_call(struct rf_cuda_window *w)
{
    const struct rf_held_call *call = &w->call[w->calls.begin++ & (w->calls.size - 1)];
    give_up(&w->lost_calls, call->correlation);
    let_go(w, call);
    while (w->n_lost_start <= call->thread) {
        if (rf_grow_array(&w->lost_start_ns, w->n_lost_start, &w->lost_start_room,
                          sizeof(*w->lost_start_ns)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        w->lost_start_ns[w->n_lost_start++] = INT64_MIN;
    }
    if (call->start_ns > w->lost_start_ns[call->thread])
        w->lost_start_ns[call->thread] = call->start_ns;
    return RF_OK;
}

/* Whether a call that is inside this one, and may have its id, was given up. */
static bool may_have_lost_inner(const struct rf_cuda_window *w, const struct rf_held_call *call)
{
    return may_be_lost(&w->lost_calls, call->correlation) && call->thread < w->n_lost_start &&
           w->lost_start_ns[call->thread] >= call->start_ns;
}

/* Calls are dropped, unless work has come about as late as that. */
static int make_room_for_call(struct rf_cuda_window *w)
{
    return w->most_later > w->calls.size / 2 && w->calls.size < w->sizes.most
               ? double_room(&w->calls, w->seed, &w->call, sizeof(*w->call),
                             offsetof(struct rf_held_call, correlation))
               : drop_call(w);
}

int rf_cuda_window_add_call(struct rf_cuda_window *w, const struct rf_held_call *call)
{
    const uint32_t id = call->correlation;
    uint64_t n_later;
    if (id == 0) {
        let_go(w, call);
        return RF_OK;
    }
    struct rf_held_call *held = find_call(w, id, &n_later);
    if (held != NULL) {
        join_calls(w, held, call);
        return RF_OK;
    }
    w->is_uncertain |= may_be_lost(&w->lost_work, id) || may_have_lost_inner(w, call);
    if (is_full(&w->calls) && make_room_for_call(w) != RF_OK)
        return RF_ERR_NO_MEMORY;
    w->call[add_id(&w->calls, w->seed, id)] = *call;
    return w->calls.end - w->calls.begin > w->sizes.n_behind
               ? match_waiting(
                     w, &w->call[(w->calls.end - w->sizes.n_behind - 1) & (w->calls.size - 1)])
               : RF_OK;
}

bool rf_cuda_window_drop_call(struct rf_cuda_window *w, int64_t ns, int *status)
{
    if (w->calls.end - w->calls.begin <=
        2 * w->sizes.n_behind) /* later ones were not yet matched */
        return false;
    if (w->call[w->calls.begin & (w->calls.size - 1)].end_ns > ns)
        return false;
    *status = drop_call(w);
    return *status == RF_OK;
}

int rf_cuda_window_end(struct rf_cuda_window *w)
{
    int status = RF_OK;
    while (w->works.begin < w->works.end && status == RF_OK)
        status = drop_work(w);
    while (w->calls.begin < w->calls.end)
        let_go(w, &w->call[w->calls.begin++ & (w->calls.size - 1)]); /* what is linked from newest[]
                                                                        is not held any more */
    w->n_lost_start = 0;
    w->lost_calls = w->lost_work = (struct rf_given_up){.has_one = false};
    return status;
}
