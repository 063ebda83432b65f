/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_events.h"

#include "base/grow.h"
#include "import/kineto_places.h"
#include "import/nsys_nvtx.h"

/* ---- One event ---- */

/* The name of its domain: a string. */
static int read_domain(struct kineto_load *load, const struct kineto_item *item, uint32_t *name)
{
    const struct kineto_text *text = item->role == KINETO_ANNOTATIONS ? &item->domain
                                     : item->category.size > 0        ? &item->category
                                                                      : &item->domain;
    *name = kineto_string(load, text);
    return nsys_memory_status(&load->model, text->at == NULL || *name != RF_NO_STRING);
}

/* Reads what events have in common. *tid: index of its thread. */
static int read_event(struct kineto_load *load, const struct kineto_item *item, uint8_t kind,
                      uint32_t *tid, struct rf_event *event)
{
    uint32_t domain;
    *event = (struct rf_event){.start_ns = item->start_ns,
                               .end_ns = RF_NO_TIME,
                               .name = kineto_string(load, &item->name),
                               .link = RF_NO_INDEX,
                               .kind = kind};
    *tid = kineto_find_tid(load, item);
    if (*tid == RF_NO_INDEX || kineto_thread(load, *tid) == RF_NO_INDEX ||
        (item->name.at != NULL && event->name == RF_NO_STRING))
        return nsys_no_memory(&load->model);
    int status = read_domain(load, item, &domain);
    if (status != RF_OK)
        return status;
    event->domain = kineto_domain(load, load->tid[*tid].pid, domain);
    if (item->payload.at != NULL) {
        event->payload = kineto_string(load, &item->payload);
        event->payload_type = RF_TYPE_JSON;
    }
    return nsys_memory_status(
        &load->model, event->domain != RF_NO_INDEX &&
                          (event->payload_type == RF_TYPE_NONE || event->payload != RF_NO_STRING));
}

static int add(struct kineto_load *load, uint32_t tid, const struct rf_event *event)
{
    kineto_see_time(load, event->start_ns);
    if (event->end_ns != RF_NO_TIME)
        kineto_see_time(load, event->end_ns);
    return nsys_add_event(&load->model, load->tid[tid].thread, event);
}

/* A range without an end is cut where everything ends. */
static void set_end(struct kineto_load *load, const struct kineto_item *item,
                    struct rf_event *event)
{
    event->cut = RF_CUT_CAPTURE_ENDED;
    if ((item->flags & KINETO_HAS_END) == 0) {
        kineto_skip(load, item, "no duration: taken as no end");
        return;
    }
    if (item->end_ns >= KINETO_LAST_NS) {
        kineto_skip(load, item, "ends at no possible time: taken as no end");
        return;
    }
    event->cut = RF_CUT_NONE;
    event->end_ns = item->end_ns;
    if ((item->flags & KINETO_NEGATIVE) != 0) {
        kineto_skip(load, item, "negative duration: taken as empty");
        event->flags |= RF_EVENT_CLAMPED;
    }
}

int kineto_take_range(struct kineto_load *load, const struct kineto_item *item)
{
    struct rf_event event;
    uint32_t tid;
    int status = read_event(load, item, RF_EVENT_PUSH_POP, &tid, &event);
    if (status != RF_OK)
        return status;
    set_end(load, item, &event);
    return add(load, tid, &event);
}

int kineto_take_mark(struct kineto_load *load, const struct kineto_item *item)
{
    struct rf_event event;
    uint32_t tid;
    int status = read_event(load, item, RF_EVENT_MARK, &tid, &event);
    return status == RF_OK ? add(load, tid, &event) : status;
}

/* ---- Begins and ends ---- */

int kineto_take_begin(struct kineto_load *load, const struct kineto_item *item)
{
    struct rf_event event;
    uint32_t tid;
    int status = read_event(load, item, RF_EVENT_PUSH_POP, &tid, &event);
    if (status != RF_OK)
        return status;
    struct kineto_tid *of = &load->tid[tid];
    struct nsys_thread *thread = &load->model.thread[of->thread];
    if (rf_grow_array(&of->open, of->n_open, &of->open_room, sizeof(*of->open)) != RF_OK ||
        thread->n_events >= RF_NO_INDEX)
        return nsys_no_memory(&load->model);
    of->open[of->n_open++] = (uint32_t)thread->n_events;
    event.cut = RF_CUT_CAPTURE_ENDED;
    thread->is_unsorted = true;
    return add(load, tid, &event);
}

static void close_range(struct kineto_load *load, const struct kineto_item *item,
                        struct rf_event *event)
{
    kineto_see_time(load, item->start_ns);
    event->cut = RF_CUT_NONE;
    event->end_ns = item->start_ns;
    if (event->end_ns < event->start_ns) {
        kineto_skip(load, item, "ends before it starts: taken as empty");
        event->end_ns = event->start_ns;
        event->flags |= RF_EVENT_CLAMPED;
    }
}

int kineto_take_end(struct kineto_load *load, const struct kineto_item *item)
{
    const uint32_t tid = kineto_find_tid(load, item);
    if (tid == RF_NO_INDEX)
        return nsys_no_memory(&load->model);
    struct kineto_tid *of = &load->tid[tid];
    if (of->n_open == 0) {
        load->model.rec->info.n_unmatched_ends++;
        return RF_OK;
    }
    close_range(load, item, &load->model.thread[of->thread].event[of->open[--of->n_open]]);
    return RF_OK;
}

/* ---- Ranges with an id ---- */

/* What belongs together has these two numbers: of its process and category, and its id. */
static int read_key(struct kineto_load *load, const struct kineto_item *item, uint64_t key[2])
{
    const uint32_t pid = kineto_find_pid(load, &item->pid);
    const uint32_t category = kineto_string(load, &item->category);
    const uint32_t text = kineto_string(load, &item->id.text);
    key[0] = (uint64_t)pid << 32 | category;
    key[1] = item->id.text.at != NULL ? UINT64_C(1) << 63 | text : (uint64_t)item->id.number;
    return nsys_memory_status(&load->model,
                              pid != RF_NO_INDEX &&
                                  (item->category.at == NULL || category != RF_NO_STRING) &&
                                  (item->id.text.at == NULL || text != RF_NO_STRING));
}

static int add_link(struct kineto_load *load, const struct kineto_item *item, uint32_t thread,
                    struct rf_event *event)
{
    rf_recording *rec = load->model.rec;
    if (rf_grow_array(&rec->start_end, rec->n_start_end, &load->model.start_end_room,
                      sizeof(*rec->start_end)) != RF_OK)
        return nsys_no_memory(&load->model);
    const uint64_t number = (uint64_t)rec->n_start_end + 1;
    event->link = rec->n_start_end;
    rec->start_end[rec->n_start_end++] =
        (struct rf_start_end){.id = item->id.number > 0 ? (uint64_t)item->id.number : number,
                              .number = number,
                              .end_thread = thread};
    return RF_OK;
}

static int add_open(struct kineto_load *load, const uint64_t key[2], uint32_t thread)
{
    const uint32_t outer = rf_map_find(&load->open_of, key[0], key[1]);
    if (load->model.thread[thread].n_events >= RF_NO_INDEX ||
        rf_grow_array(&load->open, load->n_open, &load->open_room, sizeof(*load->open)) != RF_OK ||
        rf_map_set(&load->open_of, key[0], key[1], load->n_open) != RF_OK)
        return nsys_no_memory(&load->model);
    load->open[load->n_open++] =
        (struct kineto_open){thread, (uint32_t)load->model.thread[thread].n_events, outer};
    return RF_OK;
}

int kineto_take_start(struct kineto_load *load, const struct kineto_item *item)
{
    struct rf_event event;
    uint64_t key[2];
    uint32_t tid;
    int status = read_event(load, item, RF_EVENT_START_END, &tid, &event);
    if (status == RF_OK)
        status = read_key(load, item, key);
    if (status != RF_OK)
        return status;
    const uint32_t thread = load->tid[tid].thread;
    event.cut = RF_CUT_CAPTURE_ENDED;
    load->model.thread[thread].is_unsorted = true;
    status = add_link(load, item, thread, &event);
    if (status == RF_OK)
        status = add_open(load, key, thread);
    return status == RF_OK ? add(load, tid, &event) : status;
}

int kineto_take_stop(struct kineto_load *load, const struct kineto_item *item)
{
    uint64_t key[2];
    const uint32_t tid = kineto_find_tid(load, item);
    int status = read_key(load, item, key);
    if (status != RF_OK || tid == RF_NO_INDEX)
        return nsys_no_memory(&load->model);
    const uint32_t i = rf_map_find(&load->open_of, key[0], key[1]);
    if (i == RF_MAP_NONE || load->open[i].thread == RF_NO_INDEX) {
        load->model.rec->info.n_unmatched_ends++;
        return RF_OK;
    }
    struct kineto_open *open = &load->open[i];
    struct rf_event *event = &load->model.thread[open->thread].event[open->event];
    if (kineto_thread(load, tid) == RF_NO_INDEX)
        return nsys_no_memory(&load->model);
    event = &load->model.thread[open->thread].event[open->event];
    load->model.rec->start_end[event->link].end_thread = load->tid[tid].thread;
    close_range(load, item, event);
    open->thread = RF_NO_INDEX;
    if (open->outer != RF_MAP_NONE &&
        rf_map_set(&load->open_of, key[0], key[1], open->outer) != RF_OK)
        return nsys_no_memory(&load->model);
    return RF_OK;
}
