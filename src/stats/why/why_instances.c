/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/why/why_instances.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/sorting.h"

/* Marks the folded names that were asked for. */
static int mark_names(struct rf_why_instances *instances, const rf_recording *rec, const char *text,
                      uint8_t **is_named, struct rf_err *err)
{
    struct rf_range_keys *keys = &instances->keys;
    struct rf_found_ranges found;
    int status = rf_find_ranges(rec, text, NULL, &found, err);
    for (size_t i = 0; i < found.n && status == RF_OK; i++)
        if (rf_range_keys_find(keys, rf_thread_event_at(rec, found.range[i].thread,
                                                        found.range[i].event)) == RF_NO_INDEX)
            status = RF_ERR_NO_MEMORY;
    *is_named = calloc(keys->n + 1, sizeof(**is_named));
    if (status == RF_OK && *is_named == NULL)
        status = RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < keys->n && status == RF_OK; i++)
        (*is_named)[keys->key[i].folded] = 1;
    if (status == RF_OK) /* there are at least so many */
        status = rf_reserve_array(&instances->range, found.n, &instances->room,
                                  sizeof(*instances->range));
    rf_found_ranges_release(&found);
    return status;
}

static int add_range(struct rf_why_instances *instances, const struct rf_event *event,
                     uint32_t thread, uint32_t i, uint32_t key)
{
    if (rf_grow_array(&instances->range, instances->n, &instances->room,
                      sizeof(*instances->range)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    instances->range[instances->n++] =
        (struct rf_why_range){{event->start_ns, event->end_ns, thread, i}, 0, key};
    return RF_OK;
}

/* All ranges of the names. Keys that were added later have no mark of their own. */
static int list_thread(struct rf_why_instances *instances, const rf_recording *rec, uint32_t thread,
                       const uint8_t *is_named, size_t n_marks)
{
    struct rf_range_keys *keys = &instances->keys;
    size_t n = 0;
    int status = RF_OK;
    const struct rf_event *event = rf_thread_events(rec, thread, &n);
    for (uint32_t i = 0; i < n && status == RF_OK; i++) {
        if (event[i].kind != RF_EVENT_PUSH_POP && event[i].kind != RF_EVENT_START_END)
            continue;
        uint32_t key = rf_range_keys_find(keys, &event[i]);
        if (key == RF_NO_INDEX)
            status = RF_ERR_NO_MEMORY;
        else if (keys->key[key].folded < n_marks && is_named[keys->key[key].folded])
            status = add_range(instances, &event[i], thread, i, key);
    }
    return status;
}

static int compare_places(const void *left, const void *right)
{
    const struct rf_why_range *a = left, *b = right;
    if (a->at.thread != b->at.thread)
        return a->at.thread < b->at.thread ? -1 : 1;
    return a->at.event < b->at.event ? -1 : a->at.event > b->at.event;
}

/* Of each key the first one of its name and domain: push/pop and start/end ranges have keys of
 * their own, and are counted together. NULL: out of memory. */
static uint32_t *first_keys(const struct rf_range_keys *keys)
{
    struct rf_map first = {.n = 0}; /* (domain, name) to key */
    uint32_t *same = malloc((keys->n + 1) * sizeof(*same));
    int status = same != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < keys->n && status == RF_OK; i++) {
        const struct rf_range_key *key = &keys->key[i];
        same[i] = rf_map_find(&first, key->domain, key->name);
        if (same[i] != RF_MAP_NONE)
            continue;
        same[i] = i;
        status = rf_map_set(&first, key->domain, key->name, i);
    }
    rf_map_release(&first);
    if (status == RF_OK)
        return same;
    free(same);
    return NULL;
}

static int number(struct rf_why_instances *instances)
{
    uint32_t *same = first_keys(&instances->keys);
    uint64_t *n_before = calloc(instances->keys.n + 1, sizeof(*n_before));
    const bool has_room = same != NULL && n_before != NULL;
    if (has_room) {
        rf_sort_unordered(instances->range, instances->n, sizeof(*instances->range),
                          rf_compare_found_ranges);
        for (size_t i = 0; i < instances->n; i++)
            instances->range[i].index = n_before[same[instances->range[i].key]]++;
        rf_sort_unordered(instances->range, instances->n, sizeof(*instances->range),
                          compare_places);
    }
    free(same);
    free(n_before);
    return has_room ? RF_OK : RF_ERR_NO_MEMORY;
}

/* Leaves out ranges inside another one of these, and those whose end was not recorded. */
static void choose(struct rf_why_instances *instances, const rf_recording *rec)
{
    size_t n = 0;
    int64_t covered_ns = INT64_MIN;
    for (size_t i = 0; i < instances->n; i++) {
        const struct rf_why_range range = instances->range[i];
        const struct rf_event *event = rf_thread_event_at(rec, range.at.thread, range.at.event);
        if (i == 0 || range.at.thread != instances->range[i - 1].at.thread)
            covered_ns = INT64_MIN;
        if (event->kind == RF_EVENT_PUSH_POP && range.at.end_ns <= covered_ns)
            continue;
        if (event->kind == RF_EVENT_PUSH_POP)
            covered_ns = range.at.end_ns;
        if (event->cut != RF_CUT_NONE)
            instances->n_cut++;
        else
            instances->range[n++] = range;
    }
    instances->n = n;
}

int rf_why_instances_find(struct rf_why_instances *instances, const rf_recording *rec,
                          const char *text, struct rf_err *err)
{
    uint8_t *is_named = NULL;
    *instances = (struct rf_why_instances){.n = 0};
    int status = rf_range_keys_init(&instances->keys, rec);
    if (status == RF_OK)
        status = mark_names(instances, rec, text, &is_named, err);
    const size_t n_marks = instances->keys.n;
    for (uint32_t t = 0; t < rf_n_threads(rec) && status == RF_OK; t++)
        status = list_thread(instances, rec, t, is_named, n_marks);
    if (status == RF_OK)
        status = number(instances);
    if (status == RF_OK)
        choose(instances, rec);
    if (status == RF_ERR_NO_MEMORY)
        status = rf_fail(err, status, "out of memory");
    free(is_named);
    return status;
}

void rf_why_instances_release(struct rf_why_instances *instances)
{
    rf_range_keys_release(&instances->keys);
    free(instances->range);
}
