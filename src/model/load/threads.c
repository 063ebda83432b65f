/* SPDX-License-Identifier: Apache-2.0 */
/* The list of threads as the library shows it: their order, their names, and the calls that name
 * things as events. */
#include "model/load/threads.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/map.h"
#include "model/load/namings.h"
#include "model/load/new_thread.h"
#include "model/load/thread_of_tid.h"
#include "model/sort.h"

struct lister {
    struct rf_load *load;
    struct rf_tid_list tids;
    uint32_t *order; /* place in the final list to index in load->thread */
    uint32_t *place; /* the reverse */
    uint32_t
        *listed; /* by index in load->thread: of its tid, that is listed where it has no content */
};

/* A thread that no record mentions is added if it named something, was named, or called CUDA. */
static int ensure_thread(struct rf_load *load, struct rf_map *seen, uint32_t process, uint32_t tid)
{
    if (rf_map_find(seen, process, tid) != RF_MAP_NONE)
        return RF_OK;
    if (rf_load_add_thread(load, process, tid, 0) == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    return rf_map_set(seen, process, tid, 1);
}

static int add_missing_threads(struct rf_load *load)
{
    struct rf_map seen = {.entry = NULL};
    int status = RF_OK;
    for (uint32_t i = 0; i < load->n_threads && status == RF_OK; i++)
        status = rf_map_set(&seen, load->thread[i]->process, load->thread[i]->tid, 1);
    for (uint32_t i = 0; i < load->n_namings && status == RF_OK; i++)
        status = ensure_thread(load, &seen, load->naming[i].process, load->naming[i].tid);
    for (uint32_t i = 0; i < load->n_thread_names && status == RF_OK; i++)
        status = ensure_thread(load, &seen, load->thread_name[i].process, load->thread_name[i].tid);
    for (uint32_t i = 0; i < load->cuda.n_callers && status == RF_OK; i++)
        if (load->cuda.caller[i].n > 0 || load->cuda.caller[i].is_object)
            status =
                ensure_thread(load, &seen, load->cuda.caller[i].process, load->cuda.caller[i].tid);
    rf_map_release(&seen);
    return status;
}

static uint32_t thread_at(const struct lister *l, uint32_t process, uint32_t tid, int64_t ns)
{
    return rf_tid_list_at(&l->tids, process, tid, ns);
}

/* ---- Calls of CUDA ---- */

/* Gives a thread the calls that it made. */
static int copy_calls(struct rf_load_thread *thread, const struct rf_call *call, size_t n)
{
    thread->call = malloc(n * sizeof(*call));
    if (thread->call == NULL)
        return RF_ERR_NO_MEMORY;
    memcpy(thread->call, call, n * sizeof(*call));
    thread->n_calls = n;
    return RF_OK;
}

/* The calls of a tid, which are sorted: those of one thread after those of another. */
static int place_calls(const struct lister *l, struct rf_cuda_caller *caller)
{
    uint32_t first, last;
    int status = RF_OK;
    rf_tid_list_find(&l->tids, caller->process, caller->tid, &first, &last);
    if (last - first == 1) {
        struct rf_load_thread *thread = l->load->thread[l->tids.entry[first].index];
        thread->call = caller->call;
        thread->n_calls = caller->n;
        thread->is_needed = true;
        caller->call = NULL;
        return RF_OK;
    }
    for (size_t i = 0, end; i < caller->n && status == RF_OK; i = end) {
        uint32_t at = thread_at(l, caller->process, caller->tid, caller->call[i].start_ns);
        for (end = i + 1; end < caller->n && thread_at(l, caller->process, caller->tid,
                                                       caller->call[end].start_ns) == at;)
            end++;
        status = copy_calls(l->load->thread[at], caller->call + i, end - i);
        l->load->thread[at]->is_needed = true;
    }
    return status;
}

/* Rows of overhead name a thread: load->cuda.caller[] until now, load->thread[] from here on. */
static void place_extras(const struct lister *l)
{
    rf_recording *rec = l->load->rec;
    for (size_t i = 0; i < rec->n_extras; i++) {
        struct rf_extra *extra = &rec->extra[i];
        if (extra->thread == RF_NO_INDEX)
            continue;
        const struct rf_cuda_caller *caller = &l->load->cuda.caller[extra->thread];
        extra->thread = thread_at(l, caller->process, caller->tid, extra->start_ns);
        l->load->thread[extra->thread]->is_needed = true;
    }
}

static int place_cuda(const struct lister *l)
{
    struct rf_cuda_load *cuda = &l->load->cuda;
    int status = RF_OK;
    place_extras(l);
    for (uint32_t i = 0; i < cuda->n_callers && status == RF_OK; i++)
        if (cuda->caller[i].n > 0)
            status = place_calls(l, &cuda->caller[i]);
    return status;
}

/* ---- Namings as events ---- */

/* Merges k sorted namings into the thread's sorted events; events of the same time come first. */
static int insert_namings(struct rf_load_thread *thread, struct rf_event *naming, uint32_t k)
{
    if (k > thread->n_head) { /* there is not enough room in front */
        struct rf_event *memory = malloc((k + thread->n) * sizeof(*memory));
        if (memory == NULL)
            return RF_ERR_NO_MEMORY;
        if (thread->n > 0)
            memcpy(memory + k, thread->event, thread->n * sizeof(*memory));
        free(thread->memory);
        thread->memory = memory;
        thread->event = memory + k;
        thread->n_head = k;
    } else if (thread->memory == NULL) {
        thread->memory = malloc(thread->n_head * sizeof(*thread->memory));
        if (thread->memory == NULL)
            return RF_ERR_NO_MEMORY;
        thread->event = thread->memory + thread->n_head;
    }
    struct rf_event *to = thread->event - k, *from = thread->event;
    const struct rf_event *end = thread->event + thread->n;
    for (uint32_t i = 0; i < k;) {
        if (from < end && from->start_ns <= naming[i].start_ns)
            *to++ = *from++;
        else
            *to++ = naming[i++];
    }
    thread->event -= k;
    thread->n += k;
    thread->n_head -= k;
    return RF_OK;
}

/* The domains of the events of a focused recording; NULL: out of memory. */
static uint8_t *find_used_domains(const struct rf_load *load)
{
    uint8_t *is_used = calloc((size_t)load->rec->n_domains + 1, 1);
    for (uint32_t i = 0; i < load->n_threads && is_used != NULL; i++)
        for (size_t k = 0; k < load->thread[i]->n; k++)
            is_used[load->thread[i]->event[k].domain] = 1;
    for (uint32_t i = 0; i < load->rec->n_domains && i < load->n_summed.n_domains; i++)
        if (is_used != NULL && load->n_summed.of_domain[i] > 0)
            is_used[i] = 1;
    for (uint32_t i = 0; i < load->n_namings && is_used != NULL; i++)
        is_used[load->naming[i].event.domain] = 1;
    return is_used;
}

/* As threads were numbered in their process; those without a number last. Threads stand in
 * load->thread[] as they are met, which depends on what is read. */
static int compare_numbers(const struct rf_load_thread *a, const struct rf_load_thread *b)
{
    const uint32_t x = a->serial - 1u, y = b->serial - 1u;
    if (x != y)
        return x < y ? -1 : 1;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* The first thread of each process; NULL: out of memory. */
static const struct rf_load_thread **find_first_threads(const struct rf_load *load)
{
    const struct rf_load_thread **first =
        calloc((size_t)load->rec->n_processes + 1, sizeof(*first));
    for (uint32_t i = 0; i < load->n_threads && first != NULL; i++) {
        const struct rf_load_thread *thread = load->thread[i], **of = &first[thread->process];
        if (*of == NULL || compare_numbers(thread, *of) < 0)
            *of = thread;
    }
    return first;
}

/* A forked process that uses a domain of its parent also shows the creation of that domain, at its
 * beginning, so that the events of each process create its domains. */
static int add_inherited(struct rf_load *load)
{
    const rf_recording *rec = load->rec;
    const struct rf_load_thread **first_thread = find_first_threads(load);
    uint8_t *is_used = load->windows.is_focused ? find_used_domains(load) : NULL;
    int status = first_thread != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (load->windows.is_focused && is_used == NULL)
        status = RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < load->n_inherited && status == RF_OK; i++) {
        const struct rf_domain *domain = &rec->domain[load->inherited[i]];
        if (is_used != NULL && !is_used[load->inherited[i]])
            continue;
        struct rf_event event = {.start_ns = rec->process[domain->process].first_ns,
                                 .end_ns = RF_NO_TIME,
                                 .name = domain->name,
                                 .domain = load->inherited[i],
                                 .link = RF_NO_INDEX,
                                 .kind = RF_EVENT_DOMAIN_CREATE};
        const struct rf_load_thread *thread = first_thread[domain->process];
        status = rf_grow_array(&load->naming, load->n_namings, &load->naming_room,
                               sizeof(*load->naming));
        if (status == RF_OK)
            load->naming[load->n_namings++] =
                (struct rf_load_naming){event, domain->process, thread != NULL ? thread->tid : 0};
    }
    free(first_thread);
    free(is_used);
    rf_load_sort_namings(load);
    return status;
}

/* Namings are sorted by process, tid and time: those of one thread follow one another. */
static int place_namings(struct lister *l)
{
    struct rf_load *load = l->load;
    int status = RF_OK;
    struct rf_event *event = calloc((size_t)load->n_namings + 1, sizeof(*event));
    if (event == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0, end; i < load->n_namings && status == RF_OK; i = end) {
        const struct rf_load_naming *first = &load->naming[i];
        uint32_t thread = thread_at(l, first->process, first->tid, first->event.start_ns);
        for (end = i; end < load->n_namings; end++) {
            const struct rf_load_naming *naming = &load->naming[end];
            if (naming->process != first->process || naming->tid != first->tid ||
                thread_at(l, naming->process, naming->tid, naming->event.start_ns) != thread)
                break;
            event[end - i] = naming->event;
        }
        status = insert_namings(load->thread[thread], event, end - i);
    }
    free(event);
    return status;
}

/* ---- Order and names ---- */

/* Sorts a thread's events; of those that start together an enclosing start/end range goes first.
 * Pushes do so by the order in which they were recorded. */
static int sort_thread(struct rf_load_thread *thread)
{
    int status = thread->is_unsorted ? rf_sort_events(thread->event, thread->n) : RF_OK;
    if (!thread->has_ties || !(thread->has_starts || thread->has_dated))
        return status;
    for (size_t i = 0, end; i < thread->n && status == RF_OK; i = end) {
        bool has_start_end = false;
        for (end = i; end < thread->n && thread->event[end].start_ns == thread->event[i].start_ns;
             end++)
            has_start_end |= thread->has_dated || thread->event[end].kind == RF_EVENT_START_END;
        if (has_start_end && end - i > 1)
            status = rf_sort_enclosing(thread->event + i, end - i);
    }
    return status;
}

/* By process, then as the threads were numbered; those without a number last. */
static int compare_order(const void *left, const void *right, void *context)
{
    struct rf_load_thread *const *all = context;
    const struct rf_load_thread *a = all[*(const uint32_t *)left];
    const struct rf_load_thread *b = all[*(const uint32_t *)right];
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return compare_numbers(a, b);
}

static bool has_content(const struct rf_load_thread *thread)
{
    return thread->n > 0 || thread->n_summed > 0 || thread->is_needed;
}

/* The entries of one tid follow one another. */
static uint32_t end_of_tid(const struct rf_tid_list *tids, uint32_t first)
{
    const struct rf_tid_entry *entry = tids->entry;
    uint32_t end = first + 1;
    while (end < tids->n && entry[end].process == entry[first].process &&
           entry[end].tid == entry[first].tid)
        end++;
    return end;
}

/* One entry of each tid is listed for all that have no content: a signal handler in a thread's
 * first event gets a number of its own. */
static void find_listed(struct lister *l)
{
    for (uint32_t first = 0, end; first < l->tids.n; first = end) {
        uint32_t at = first;
        end = end_of_tid(&l->tids, first);
        while (at < end && !has_content(l->load->thread[l->tids.entry[at].index]))
            at++;
        for (uint32_t i = first; i < end; i++)
            l->listed[l->tids.entry[i].index] = l->tids.entry[at < end ? at : first].index;
    }
}

static bool is_listed_already(const struct lister *l, uint32_t index)
{
    return l->load->thread[index]->n_ends == 0 /* else ranges name it */ &&
           l->listed[index] != index;
}

/* Leaves out threads without content: in a focused recording those without events that it does not
 * name and that ended no range; in any recording the recorder's own, which write CUPTI's records,
 * and second entries of a thread. Returns how many remain. */
static uint32_t keep_needed(struct lister *l, uint32_t n)
{
    struct rf_load *load = l->load;
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < load->n_thread_names; i++) {
        const struct rf_load_thread_name *name = &load->thread_name[i];
        load->thread[thread_at(l, name->process, name->tid, name->ns)]->is_needed = true;
    }
    find_listed(l);
    for (uint32_t i = 0; i < n; i++) {
        const struct rf_load_thread *thread = load->thread[l->order[i]];
        bool is_plain = !load->windows.is_focused && (!thread->wrote_cuda || thread->n_ends > 0);
        if (has_content(thread) || (is_plain && !is_listed_already(l, l->order[i])))
            l->order[n_kept++] = l->order[i];
    }
    return n_kept;
}

static int64_t first_event_ns(const struct rf_load_thread *thread)
{
    int64_t first_ns = thread->n > 0 ? thread->event[0].start_ns : RF_NO_TIME;
    return thread->n_summed > 0 && (thread->n == 0 || thread->first_event_ns < first_ns)
               ? thread->first_event_ns
               : first_ns;
}

static bool is_placed(const struct lister *l, uint32_t index)
{
    const uint32_t place = l->place[index];
    return place < l->load->rec->n_threads && l->order[place] == index;
}

/* The places of entries that were left out: that of another entry of their thread. */
static void place_others(struct lister *l)
{
    for (uint32_t first = 0, end; first < l->tids.n; first = end) {
        uint32_t at = first;
        end = end_of_tid(&l->tids, first);
        while (at < end && !is_placed(l, l->tids.entry[at].index))
            at++;
        const uint32_t place = at < end ? l->place[l->tids.entry[at].index] : RF_NO_INDEX;
        for (uint32_t i = first; i < end; i++)
            if (!is_placed(l, l->tids.entry[i].index))
                l->place[l->tids.entry[i].index] = place;
    }
}

static int list_threads(struct lister *l)
{
    struct rf_load *load = l->load;
    rf_recording *rec = load->rec;
    uint32_t n = load->n_threads;
    l->order = calloc((size_t)n + 1, sizeof(*l->order));
    l->place = calloc((size_t)n + 1, sizeof(*l->place));
    l->listed = calloc((size_t)n + 1, sizeof(*l->listed));
    rec->thread = calloc((size_t)n + 1, sizeof(*rec->thread));
    rec->events = calloc((size_t)n + 1, sizeof(*rec->events));
    if (load->cuda.has_records)
        rec->calls = calloc((size_t)n + 1, sizeof(*rec->calls));
    if (l->order == NULL || l->place == NULL || l->listed == NULL || rec->thread == NULL ||
        rec->events == NULL || (load->cuda.has_records && rec->calls == NULL))
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        l->order[i] = i;
    qsort_r(l->order, n, sizeof(*l->order), compare_order, load->thread);
    n = keep_needed(l, n);
    for (uint32_t i = 0; i < n; i++) {
        struct rf_load_thread *from = load->thread[l->order[i]];
        l->place[l->order[i]] = from->place = i;
        rec->thread[i] = (struct rf_thread){.process = from->process,
                                            .tid = from->tid,
                                            .serial = from->serial,
                                            .name = from->system_name,
                                            .first_ns = first_event_ns(from),
                                            .end_ns = from->end_ns,
                                            .n_events = from->n + from->n_summed,
                                            .kept_from_ns = from->kept_from_ns};
        if (from->system_name == RF_NO_STRING && from->tid == rec->process[from->process].pid)
            rec->thread[i].name = rec->process[from->process].name;
        rec->events[i] = (struct rf_thread_events){from->event, from->n, from->memory};
        from->memory = from->event = NULL;
        if (load->cuda.has_records)
            rec->calls[i] = (struct rf_thread_calls){from->call, from->n_calls};
        from->call = NULL;
    }
    rec->n_threads = n;
    for (uint32_t i = 0; i < rec->n_start_end; i++)
        rec->start_end[i].end_thread = l->place[rec->start_end[i].end_thread];
    for (size_t i = 0; i < rec->n_extras; i++)
        if (rec->extra[i].thread != RF_NO_INDEX)
            rec->extra[i].thread = l->place[rec->extra[i].thread];
    if (load->nvtx.memory.n_regions > 0)
        place_others(l);
    for (size_t i = 0; i < load->nvtx.memory.n_regions; i++)
        if (load->nvtx.memory.region[i].thread != RF_NO_INDEX)
            load->nvtx.memory.region[i].thread = l->place[load->nvtx.memory.region[i].thread];
    for (uint32_t i = 0; i < load->nvtx.n_tracks; i++)
        if (load->nvtx.track[i].thread != RF_NO_INDEX)
            load->nvtx.track[i].thread = l->place[load->nvtx.track[i].thread];
    return RF_OK;
}

/* nvtxNameOsThread: the last name that a thread was given. They stand in the order of processes'
 * streams, which is the order of calls. */
static void name_threads(const struct lister *l)
{
    const struct rf_load *load = l->load;
    for (uint32_t i = 0; i < load->n_thread_names; i++) {
        const struct rf_load_thread_name *name = &load->thread_name[i];
        struct rf_thread *thread =
            &load->rec->thread[l->place[thread_at(l, name->process, name->tid, name->ns)]];
        if (name->name == RF_NO_STRING)
            continue;
        thread->name = name->name;
        thread->is_named = 1;
    }
}

int rf_load_threads(struct rf_load *load)
{
    struct lister l = {.load = load};
    int status = RF_OK;
    for (uint32_t i = 0; i < load->n_threads && status == RF_OK; i++)
        status = sort_thread(load->thread[i]);
    if (status == RF_OK)
        status = add_inherited(load);
    if (status == RF_OK)
        status = add_missing_threads(load);
    if (status == RF_OK)
        status = rf_tid_list_init(&l.tids, load);
    if (status == RF_OK)
        status = place_namings(&l);
    if (status == RF_OK)
        status = place_cuda(&l);
    if (status == RF_OK)
        status = list_threads(&l);
    if (status == RF_OK)
        name_threads(&l);
    rf_tid_list_release(&l.tids);
    free(l.order);
    free(l.place);
    free(l.listed);
    return status;
}
