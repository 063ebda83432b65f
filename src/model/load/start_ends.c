/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/start_ends.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/load/capture_windows.h"
#include "model/load/load.h"

static int add_start_end(struct rf_load *load, const struct rf_start_end *range)
{
    rf_recording *rec = load->rec;
    if (load->start_end_room < rec->n_start_end)
        load->start_end_room = rec->n_start_end;
    if (rf_grow_array(&rec->start_end, rec->n_start_end, &load->start_end_room,
                      sizeof(*rec->start_end)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    rec->start_end[rec->n_start_end++] = *range;
    return RF_OK;
}

int rf_load_make_start_end(struct rf_load *load, uint32_t thread, uint32_t event, uint64_t id)
{
    const struct rf_start_end range = {.id = id, .end_thread = thread};
    struct rf_event *made = &load->thread[thread]->event[event];
    if (rf_grow_array(&load->made_start, load->n_made_starts, &load->made_start_room,
                      sizeof(*load->made_start)) != RF_OK ||
        add_start_end(load, &range) != RF_OK)
        return RF_ERR_NO_MEMORY;
    made->kind = RF_EVENT_START_END;
    made->link = load->rec->n_start_end - 1;
    load->thread[thread]->has_starts = true;
    load->made_start[load->n_made_starts++] =
        (struct rf_load_start){.thread = thread, .event = event};
    return RF_OK;
}

/* ---- Numbers ---- */

struct number_key {
    int64_t ns;
    uint32_t process, link;
};

static int compare_keys(const void *left, const void *right)
{
    const struct number_key *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return a->link < b->link ? -1 : a->link > b->link;
}

/* Returns how many keys there are behind a further range. */
static size_t add_key(const struct rf_load *load, const struct rf_load_start *start,
                      struct number_key *key, size_t n)
{
    const struct rf_load_thread *thread = load->thread[start->thread];
    const struct rf_event *event = &thread->event[start->event];
    if (event->kind == RF_EVENT_LEFT_OUT)
        return n;
    key[n] = (struct number_key){event->start_ns, thread->process, event->link};
    return n + 1;
}

/* Numbers the start/end ranges of each process in the order of their starts. */
static int number_starts(struct rf_load *load)
{
    struct number_key *key =
        calloc((size_t)load->rec->n_start_end + 1, sizeof(*key)); /* one per range */
    size_t n = 0;
    bool is_sorted = true;
    if (key == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < load->n_streams; i++)
        for (size_t k = 0; k < load->stream[i].n_starts; k++)
            n = add_key(load, &load->stream[i].start[k], key, n);
    for (size_t i = 0; i < load->n_made_starts; i++)
        n = add_key(load, &load->made_start[i], key, n);
    for (size_t i = 1; i < n; i++)
        is_sorted &= compare_keys(&key[i - 1], &key[i]) < 0;
    if (!is_sorted)
        qsort(key, n, sizeof(*key), compare_keys);
    uint64_t number = 0;
    for (size_t i = 0; i < n; i++) {
        number = i > 0 && key[i].process == key[i - 1].process ? number + 1 : 1;
        load->rec->start_end[key[i].link].number = number;
    }
    free(key);
    return RF_OK;
}

static void number_parents(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rec->n_start_end; i++) {
        struct rf_start_end *range = &rec->start_end[i];
        if (range->parent != 0)
            range->parent_number = (uint32_t)rec->start_end[range->parent - 1].number;
    }
}

int rf_load_number(struct rf_load *load)
{
    if (load->windows.is_focused)
        rf_load_mark_left_out(load);
    int status = number_starts(load);
    if (status != RF_OK)
        return status;
    number_parents(load->rec);
    if (load->windows.is_focused)
        rf_load_remove_left_out(load);
    return RF_OK;
}
