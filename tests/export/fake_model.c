/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An array that grows: items, how many, room for how many. */
struct list {
    void *items;
    size_t n;
    size_t capacity;
};

struct category_name {
    uint32_t domain;
    uint32_t category;
    uint32_t name;
};

struct rf_recording {
    struct rf_info info;
    struct list strings;    /* char * */
    struct list processes;  /* struct rf_process */
    struct list threads;    /* struct rf_thread */
    struct list events;     /* struct list of struct rf_event, by thread */
    struct list domains;    /* struct rf_domain */
    struct list start_ends; /* struct rf_start_end */
    struct list categories; /* struct category_name */
    struct list messages;   /* char * */
    struct list captures;   /* struct rf_capture_info */
};

static void *list_add(struct list *list, size_t item_size)
{
    if (list->n == list->capacity) {
        list->capacity = list->capacity * 2 + 8;
        list->items = realloc(list->items, list->capacity * item_size);
        if (list->items == NULL)
            abort();
    }
    void *item = (char *)list->items + list->n++ * item_size;
    memset(item, 0, item_size);
    return item;
}

static char *copy(const char *text)
{
    char *made = strdup(text);
    if (made == NULL)
        abort();
    return made;
}

/* ---- Building ---- */

rf_recording *fake_new(void)
{
    rf_recording *rec = calloc(1, sizeof(*rec));
    if (rec == NULL)
        abort();
    rec->info.path = "sample.rf";
    rec->info.product = "Rangefinder test";
    rec->info.host = "testhost";
    rec->info.clock_name = "tsc";
    rec->info.clock_hz = 2.5e9;
    rec->info.epoch_utc_ns = 1700000000123456789;
    rec->info.epoch_mono_ns = 5000000000;
    rec->info.utc_offset_s = 3600;
    rec->info.is_finished = 1;
    rec->info.root_pid = 100;
    (void)fake_process(rec, 100, "app");
    (void)fake_thread(rec, 0, 100, "app");
    return rec;
}

void fake_capture(rf_recording *rec, int64_t begin_ns, int64_t end_ns, int is_open)
{
    struct rf_capture_info *capture = list_add(&rec->captures, sizeof(*capture));
    *capture = (struct rf_capture_info){begin_ns, end_ns, (uint32_t)rec->captures.n, is_open};
    rec->info.is_focused = 1;
}

struct rf_info *fake_info(rf_recording *rec)
{
    return &rec->info;
}

uint32_t fake_string(rf_recording *rec, const char *text)
{
    char **strings = rec->strings.items;
    if (text == NULL)
        return RF_NO_STRING;
    for (size_t i = 0; i < rec->strings.n && i < 1000; i++)
        if (strcmp(strings[i], text) == 0)
            return (uint32_t)i;
    *(char **)list_add(&rec->strings, sizeof(char *)) = copy(text);
    return (uint32_t)rec->strings.n - 1;
}

uint32_t fake_process(rf_recording *rec, uint32_t pid, const char *name)
{
    char path[128];
    char command[128];
    struct rf_process *process = list_add(&rec->processes, sizeof(*process));
    uint32_t index = (uint32_t)rec->processes.n - 1;
    (void)snprintf(path, sizeof(path), "/usr/bin/%s", name);
    (void)snprintf(command, sizeof(command), "%s --fast", name);
    process->pid = pid;
    process->ppid = 1;
    process->parent = RF_NO_INDEX;
    process->name = fake_string(rec, name);
    process->exe = fake_string(rec, path);
    process->command = fake_string(rec, command);
    process->cwd = fake_string(rec, "/home/me");
    process->exit_ns = RF_NO_TIME;
    (void)fake_domain(rec, index, 0, NULL);
    return index;
}

uint32_t fake_thread(rf_recording *rec, uint32_t process, uint32_t tid, const char *name)
{
    struct rf_thread *thread = list_add(&rec->threads, sizeof(*thread));
    (void)list_add(&rec->events, sizeof(struct list));
    thread->process = process;
    thread->tid = tid;
    thread->serial = (uint32_t)rec->threads.n;
    thread->name = fake_string(rec, name);
    thread->end_ns = RF_NO_TIME;
    return (uint32_t)rec->threads.n - 1;
}

uint32_t fake_domain(rf_recording *rec, uint32_t process, uint32_t id, const char *name)
{
    struct rf_domain *domain = list_add(&rec->domains, sizeof(*domain));
    domain->process = process;
    domain->id = id;
    domain->name = fake_string(rec, name);
    domain->is_valid = 1;
    return (uint32_t)rec->domains.n - 1;
}

struct rf_process *fake_process_at(rf_recording *rec, uint32_t i)
{
    return (struct rf_process *)rec->processes.items + i;
}

struct rf_thread *fake_thread_at(rf_recording *rec, uint32_t i)
{
    return (struct rf_thread *)rec->threads.items + i;
}

struct rf_domain *fake_domain_at(rf_recording *rec, uint32_t i)
{
    return (struct rf_domain *)rec->domains.items + i;
}

void fake_category_name(rf_recording *rec, uint32_t domain, uint32_t category, const char *name)
{
    struct category_name *made = list_add(&rec->categories, sizeof(*made));
    made->domain = domain;
    made->category = category;
    made->name = fake_string(rec, name);
}

void fake_message(rf_recording *rec, const char *message)
{
    *(char **)list_add(&rec->messages, sizeof(char *)) = copy(message);
}

struct rf_event *fake_event(rf_recording *rec, uint32_t thread, int kind, int64_t start_ns,
                            int64_t end_ns, uint32_t domain, const char *name)
{
    struct list *events = (struct list *)rec->events.items + thread;
    struct rf_event *event = list_add(events, sizeof(*event));
    event->kind = (uint8_t)kind;
    event->start_ns = start_ns;
    event->end_ns = end_ns;
    event->domain = domain;
    event->name = fake_string(rec, name);
    fake_thread_at(rec, thread)->n_events++;
    rec->info.n_events++;
    rec->info.n_ranges += kind == RF_EVENT_PUSH_POP || kind == RF_EVENT_START_END;
    rec->info.n_marks += kind == RF_EVENT_MARK;
    return event;
}

struct rf_event *fake_start_end(rf_recording *rec, uint32_t thread, int64_t start_ns,
                                int64_t end_ns, uint32_t end_thread, const char *name)
{
    struct rf_start_end *link = list_add(&rec->start_ends, sizeof(*link));
    link->number = rec->start_ends.n;
    link->id = 0x10000000000u + link->number;
    link->end_thread = end_thread;
    struct rf_event *event = fake_event(rec, thread, RF_EVENT_START_END, start_ns, end_ns, 0, name);
    event->link = (uint32_t)rec->start_ends.n - 1;
    return event;
}

static void free_texts(struct list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(((char **)list->items)[i]);
    free(list->items);
}

void fake_free(rf_recording *rec)
{
    for (size_t i = 0; i < rec->threads.n; i++)
        free(((struct list *)rec->events.items)[i].items);
    free_texts(&rec->strings);
    free_texts(&rec->messages);
    free(rec->processes.items);
    free(rec->threads.items);
    free(rec->events.items);
    free(rec->domains.items);
    free(rec->start_ends.items);
    free(rec->categories.items);
    free(rec->captures.items);
    free(rec);
}

/* ---- The reader's functions ---- */

const struct rf_info *rf_get_info(const rf_recording *rec)
{
    return &rec->info;
}

uint32_t rf_n_captures(const rf_recording *rec)
{
    return (uint32_t)rec->captures.n;
}

const struct rf_capture_info *rf_capture_at(const rf_recording *rec, uint32_t i)
{
    return i < rec->captures.n ? (struct rf_capture_info *)rec->captures.items + i : NULL;
}

const char *rf_message_at(const rf_recording *rec, size_t i)
{
    return i < rec->messages.n ? ((char **)rec->messages.items)[i] : NULL;
}

const char *rf_string(const rf_recording *rec, uint32_t id, size_t *size)
{
    const char *text = id < rec->strings.n ? ((char **)rec->strings.items)[id] : NULL;
    if (size != NULL)
        *size = text != NULL ? strlen(text) : 0;
    return text;
}

uint32_t rf_n_strings(const rf_recording *rec)
{
    return (uint32_t)rec->strings.n;
}

uint32_t rf_n_processes(const rf_recording *rec)
{
    return (uint32_t)rec->processes.n;
}

const struct rf_process *rf_process_at(const rf_recording *rec, uint32_t i)
{
    return (const struct rf_process *)rec->processes.items + i;
}

uint32_t rf_n_threads(const rf_recording *rec)
{
    return (uint32_t)rec->threads.n;
}

const struct rf_thread *rf_thread_at(const rf_recording *rec, uint32_t i)
{
    return (const struct rf_thread *)rec->threads.items + i;
}

uint32_t rf_n_domains(const rf_recording *rec)
{
    return (uint32_t)rec->domains.n;
}

const struct rf_domain *rf_domain_at(const rf_recording *rec, uint32_t i)
{
    return (const struct rf_domain *)rec->domains.items + i;
}

uint32_t rf_category_name(const rf_recording *rec, uint32_t domain, uint32_t category)
{
    const struct category_name *names = rec->categories.items;
    for (size_t i = rec->categories.n; i-- > 0;)
        if (names[i].domain == domain && names[i].category == category)
            return names[i].name;
    return RF_NO_STRING;
}

const struct rf_event *rf_thread_events(const rf_recording *rec, uint32_t thread, size_t *n)
{
    const struct list *events = (const struct list *)rec->events.items + thread;
    *n = events->n;
    return events->n > 0 ? events->items : NULL;
}

const struct rf_start_end *rf_start_end_at(const rf_recording *rec, uint32_t link)
{
    return (const struct rf_start_end *)rec->start_ends.items + link;
}

const char *rf_cut_name(int cut)
{
    static const char *const names[] = {
        "",     "thread ended",  "process ended",    "killed",
        "exec", "capture ended", "domain destroyed", "still open",
        "lost",
    };
    return names[cut];
}

/* ---- The cursor: everything sorted beforehand ---- */

struct rf_cursor {
    struct rf_event_at *all;
    size_t n;
    size_t next;
};

static int compare_events(const void *a, const void *b)
{
    const struct rf_event_at *x = a;
    const struct rf_event_at *y = b;
    if (x->event->start_ns != y->event->start_ns)
        return x->event->start_ns < y->event->start_ns ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

int rf_cursor_new(const rf_recording *rec, struct rf_cursor **out, struct rf_err *err)
{
    struct rf_cursor *cursor = calloc(1, sizeof(*cursor));
    (void)err;
    if (cursor == NULL)
        abort();
    cursor->all = calloc(rec->info.n_events + 1, sizeof(*cursor->all));
    if (cursor->all == NULL)
        abort();
    for (uint32_t t = 0; t < rec->threads.n; t++) {
        size_t n;
        const struct rf_event *events = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            cursor->all[cursor->n++] = (struct rf_event_at){&events[i], t};
    }
    if (rec->threads.n > 1)
        qsort(cursor->all, cursor->n, sizeof(*cursor->all), compare_events);
    *out = cursor;
    return RF_OK;
}

int rf_cursor_next(struct rf_cursor *cursor, struct rf_event_at *at)
{
    if (cursor->next == cursor->n)
        return 0;
    *at = cursor->all[cursor->next++];
    return 1;
}

void rf_cursor_free(struct rf_cursor *cursor)
{
    if (cursor == NULL)
        return;
    free(cursor->all);
    free(cursor);
}
