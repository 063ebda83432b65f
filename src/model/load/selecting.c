/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/selecting.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sorting.h"
#include "model/filter/filter_event.h"
#include "model/filter/filter_parse.h"
#include "model/filter/filter_windows.h"
#include "model/filter/selected.h"
#include "model/load/load.h"
#include "model/load/payload_tests.h"
#include "model/private_access.h"
#include "model/ranks.h"

#define MANY_FOUND ((size_t)1 << 16)
#define MOST_CUT   ((size_t)1 << 20) /* ranges: beyond that they are not looked for */

/* What is known of a name: KNOWN with FITS or FAILS, or with the ways in which it is looked for. */
enum { FITS = 1, FAILS = 2, KNOWN = 0x80 };

static uint8_t ways_of(const struct rf_wanted_range *wanted, const char *text, size_t size)
{
    uint8_t ways = KNOWN;
    for (int way = 0; way < RF_WAYS_TO_READ; way++)
        if (wanted[way].message != NULL && strlen(wanted[way].message) == size &&
            memcmp(wanted[way].message, text, size) == 0)
            ways |= (uint8_t)(1 << way);
    return ways;
}

static uint8_t classify(const struct rf_selection *selection, const struct rf_name_pattern *pattern,
                        const struct rf_string_entry *name)
{
    struct rf_err err;
    if (selection->of->wanted != NULL)
        return ways_of(selection->of->wanted, name->text, name->size);
    const int fits = rf_name_search(pattern, name->text, name->size, &err);
    return KNOWN | (fits > 0 ? FITS : fits < 0 ? FAILS : 0);
}

static bool asks_for_names(const struct rf_selection *selection)
{
    return selection->of->wanted != NULL || selection->filter.name.text != NULL;
}

/* ---- Before records are read ---- */

/* Those of the options that are known by now. The threads and the windows were found before. */
static int parse(struct rf_load *load)
{
    struct rf_selection *selection = &load->selection;
    struct rf_selecting *of = selection->of;
    struct rf_filter *filter = &selection->filter;
    struct rf_filter_options options = *of->options;
    struct rf_err err;
    options.threads = options.nvtx = options.time = options.gpus = NULL;
    if (options.ranks != NULL)
        rf_find_ranks(load->rec);
    int status = rf_filter_init(filter, load->rec, &options, &err);
    if (of->window != NULL)
        filter->has_windows = true;
    for (size_t i = 0; i < of->n_windows && status == RF_OK; i++)
        status = rf_filter_add_window(filter, of->window[i].begin_ns, of->window[i].end_ns, &err);
    if (status == RF_OK && of->options->time != NULL && of->wanted == NULL)
        status = rf_filter_set_time(filter, of->options->time, &err);
    if (status == RF_OK && of->options->gpus != NULL)
        status = rf_filter_set_gpus(filter, NULL, of->options->gpus, &err);
    if (status == RF_ERR_NO_MEMORY)
        return status;
    if (status != RF_OK) {
        filter->activities = 0;
        filter->name.text = filter->kernel.text = NULL;
    }
    of->is_wrong = status != RF_OK;
    return RF_OK;
}

static int keep_windows(struct rf_load *load)
{
    const struct rf_selecting *of = load->selection.of;
    struct rf_selected *selected = load->rec->selected;
    if (of->window == NULL)
        return RF_OK;
    selected->window = malloc((of->n_windows + 1) * sizeof(*selected->window));
    if (selected->window == NULL)
        return RF_ERR_NO_MEMORY;
    memcpy(selected->window, of->window, of->n_windows * sizeof(*selected->window));
    selected->n_windows = of->n_windows;
    selected->has_windows = true;
    return RF_OK;
}

/* The names that decoders share. */
static int classify_known(struct rf_load *load)
{
    struct rf_selection *selection = &load->selection;
    const struct rf_strings *strings = &load->rec->strings;
    selection->n_known = strings->n;
    selection->known = calloc((size_t)strings->n + 1, 1);
    for (uint32_t i = 0; i < strings->n && selection->known != NULL; i++)
        selection->known[i] = classify(selection, &selection->filter.name, &strings->entry[i]);
    return selection->known != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

int rf_select_begin(struct rf_load *load)
{
    load->selection.load = load;
    if (load->selection.of == NULL)
        return RF_OK;
    load->rec->selected = rf_selected_new(load->selection.of->options);
    int status = load->rec->selected != NULL ? parse(load) : RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        status = keep_windows(load);
    return status == RF_OK && asks_for_names(&load->selection) ? classify_known(load) : status;
}

void rf_selection_release(struct rf_selection *selection)
{
    if (selection->of != NULL)
        rf_filter_release(&selection->filter);
    free(selection->known);
    free(selection->found);
}

bool rf_select_thread(const struct rf_load *load, uint32_t process, uint32_t serial, uint32_t tid)
{
    const struct rf_selection *selection = &load->selection;
    if (selection->of == NULL)
        return true;
    const uint8_t *keeps = selection->filter.keeps_process;
    const struct rf_map *threads = selection->of->threads;
    return (keeps == NULL || keeps[process]) &&
           (threads == NULL ||
            rf_map_find(threads, (uint64_t)process << 32 | serial, tid) != RF_MAP_NONE);
}

/* ---- A decoder ---- */

static bool tests_payloads(const struct rf_selection *selection)
{
    return selection->of != NULL && !selection->of->is_wrong &&
           rf_load_reads_payloads(selection->load);
}

void rf_selector_init(struct rf_selector *selector, struct rf_load *load,
                      struct rf_strings *strings, uint32_t name_base)
{
    struct rf_err err;
    *selector = (struct rf_selector){.selection = &load->selection,
                                     .strings = strings,
                                     .name_base = name_base,
                                     .enough = MANY_FOUND};
    if (tests_payloads(&load->selection)) {
        selector->tests = rf_payload_tests_new(load, strings, name_base, false);
        selector->is_out_of_memory = selector->tests == NULL;
    }
    const char *names = load->selection.of != NULL ? load->selection.filter.name.text : NULL;
    if (names != NULL) /* searches of one pattern use one memory */
        selector->is_out_of_memory |=
            rf_name_pattern_init(&selector->pattern, load->rec, names, &err) != RF_OK;
}

int rf_selector_init_final(struct rf_selector *selector, struct rf_load *load)
{
    rf_selector_init(selector, load, &load->rec->strings, 0);
    if (selector->tests == NULL)
        return RF_OK;
    rf_payload_tests_free(selector->tests);
    selector->tests = rf_payload_tests_new(load, &load->rec->strings, 0, true);
    return selector->tests != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

void rf_selector_release(struct rf_selector *selector)
{
    rf_payload_tests_free(selector->tests);
    free(selector->pattern.known);
    rf_expression_free(selector->pattern.expression);
    free(selector->known);
    free(selector->found);
    *selector = (struct rf_selector){.selection = NULL};
}

static uint8_t *place_of(struct rf_selector *selector, uint32_t i)
{
    if (i >= selector->room) {
        const size_t room = 2 * (size_t)i + 256;
        uint8_t *known = realloc(selector->known, room);
        if (known == NULL) {
            selector->is_out_of_memory = true;
            return NULL;
        }
        memset(known + selector->room, 0, room - selector->room);
        selector->known = known;
        selector->room = room;
    }
    return &selector->known[i];
}

static uint8_t class_of(struct rf_selector *selector, uint32_t name)
{
    const struct rf_selection *selection = selector->selection;
    if (name == RF_NO_STRING)
        return KNOWN;
    if (name < selection->n_known)
        return selection->known[name];
    uint8_t *known = place_of(selector, name - selection->n_known);
    if (known == NULL)
        return KNOWN;
    if (*known == 0)
        *known = classify(selection, &selector->pattern,
                          &selector->strings->entry[name - selector->name_base]);
    return *known;
}

bool rf_select_name(struct rf_selector *selector, const struct rf_event *event)
{
    if (selector->tests != NULL && !rf_payload_tests_fit(selector->tests, event))
        return false;
    if (selector->selection->filter.name.text == NULL || !rf_filter_is_annotation(event))
        return true;
    const uint8_t known = class_of(selector, event->name);
    if (known & FAILS)
        rf_select_fail(selector->selection);
    return (known & FITS) != 0;
}

bool rf_select_times(const struct rf_selector *selector, const struct rf_event *event)
{
    return rf_filter_has_event(&selector->selection->filter, event);
}

bool rf_select_event(struct rf_selector *selector, const struct rf_event *event)
{
    return rf_select_times(selector, event) && rf_select_name(selector, event);
}

int rf_select_find_cut(struct rf_load *load, uint32_t process, uint32_t serial, uint32_t tid,
                       const struct rf_event *range)
{
    struct rf_map *cut = load->selection.of->cut;
    if (!load->selection.of->finds_cut || !rf_is_cut(range) || cut->n > MOST_CUT)
        return RF_OK;
    (void)pthread_mutex_lock(&load->mutex);
    const int status =
        rf_map_set(cut, (uint64_t)process << 32 | serial, (uint64_t)range->start_ns, tid);
    (void)pthread_mutex_unlock(&load->mutex);
    return status;
}

bool rf_select_is_cut(const struct rf_load *load, const struct rf_load_thread *thread,
                      int64_t start_ns)
{
    const struct rf_map *cut = load->selection.of->cut;
    return cut != NULL && rf_map_find(cut, (uint64_t)thread->process << 32 | thread->serial,
                                      (uint64_t)start_ns) == thread->tid;
}

/* By way, domain and time. */
static int compare_found(const void *left, const void *right)
{
    const struct rf_found_event *a = left, *b = right;
    if (a->way != b->way)
        return a->way < b->way ? -1 : 1;
    if (a->domain != b->domain)
        return a->domain < b->domain ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* Of ranges of one way and domain whose number is wanted, those that come behind it do not matter;
 * of others only the time that they cover. */
static void leave_out(struct rf_selector *selector)
{
    const struct rf_wanted_range *wanted = selector->selection->of->wanted;
    struct rf_found_event *found = selector->found;
    size_t n = 0, n_alike = 0;
    rf_sort_unordered(found, selector->n_found, sizeof(*found), compare_found);
    for (size_t i = 0; i < selector->n_found; i++) {
        struct rf_found_event *last = n > 0 ? &found[n - 1] : NULL;
        const bool is_alike =
            last != NULL && last->way == found[i].way && last->domain == found[i].domain;
        n_alike = is_alike ? n_alike + 1 : 0;
        if (wanted[found[i].way].has_index && n_alike > wanted[found[i].way].index)
            continue;
        if (is_alike && !wanted[found[i].way].has_index && found[i].start_ns <= last->end_ns) {
            last->end_ns = found[i].end_ns > last->end_ns ? found[i].end_ns : last->end_ns;
            continue;
        }
        found[n++] = found[i];
    }
    selector->n_found = n;
    selector->enough = 2 * n > MANY_FOUND ? 2 * n : MANY_FOUND;
}

static void add_found(struct rf_selector *selector, const struct rf_event *event, uint32_t way)
{
    if (selector->n_found >= selector->enough)
        leave_out(selector);
    if (rf_grow_array(&selector->found, selector->n_found, &selector->found_room,
                      sizeof(*selector->found)) != RF_OK) {
        selector->is_out_of_memory = true;
        return;
    }
    selector->found[selector->n_found++] =
        (struct rf_found_event){event->start_ns, event->end_ns, event->domain, way};
}

void rf_select_find(struct rf_selector *selector, const struct rf_event *event)
{
    const uint32_t ways = class_of(selector, event->name);
    for (uint32_t way = 0; way < RF_WAYS_TO_READ; way++)
        if ((ways & 1u << way) != 0)
            add_found(selector, event, way);
}

int rf_selector_join(struct rf_load *load, struct rf_selector *selector)
{
    struct rf_selection *to = &load->selection;
    if (selector->is_out_of_memory ||
        rf_reserve_array(&to->found, to->n_found + selector->n_found, &to->found_room,
                         sizeof(*to->found)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (selector->n_found > 0)
        memcpy(to->found + to->n_found, selector->found, selector->n_found * sizeof(*to->found));
    to->n_found += selector->n_found;
    selector->n_found = 0;
    return selector->tests != NULL ? rf_payload_tests_join(selector->tests, &to->filter) : RF_OK;
}

/* A value that no payload has is an error, which is said where all can be looked at. Values of
 * events that were submitted later are not looked at before. */
void rf_select_check_payloads(struct rf_load *load)
{
    const struct rf_selection *selection = &load->selection;
    if (!tests_payloads(selection))
        return;
    for (size_t i = 0; i < selection->filter.n_payloads; i++)
        if (!selection->filter.payload[i].lookup.has_found)
            rf_select_fail(&load->selection);
    if (load->nvtx.n_submitted > 0 && !load->keeps_events)
        rf_select_fail(&load->selection);
}

bool rf_select_has_failed(const struct rf_load *load)
{
    return __atomic_load_n(&load->selection.has_failed, __ATOMIC_RELAXED);
}

/* ---- When all is decoded ---- */

bool rf_select_kept(struct rf_selector *selector, const rf_recording *rec, uint32_t thread,
                    const struct rf_event *event)
{
    const uint8_t *keeps = selector->selection->filter.keeps_process;
    const struct rf_thread *of = &rec->thread[thread];
    return rf_select_thread(selector->selection->load, of->process, of->serial, of->tid) &&
           (keeps == NULL || keeps[rec->domain[event->domain].process]) &&
           rf_select_event(selector, event);
}

int rf_select_domains(const struct rf_load *load, uint32_t *same_domain)
{
    const rf_recording *rec = load->rec;
    const uint8_t *keeps = load->selection.filter.keeps_process;
    if (keeps == NULL)
        return RF_OK;
    uint32_t *first = malloc(((size_t)rec->n_domains + 1) * sizeof(*first));
    if (first == NULL)
        return RF_ERR_NO_MEMORY;
    memset(first, 0xff, ((size_t)rec->n_domains + 1) * sizeof(*first)); /* RF_NO_INDEX */
    for (uint32_t i = 0; i < rec->n_domains; i++)
        if (keeps[rec->domain[i].process] && first[same_domain[i]] == RF_NO_INDEX)
            first[same_domain[i]] = i;
    for (uint32_t i = 0; i < rec->n_domains; i++)
        if (keeps[rec->domain[i].process])
            same_domain[i] = first[same_domain[i]];
    free(first);
    return RF_OK;
}

static void add_event(struct rf_selected_thread *thread, int64_t first_ns, uint64_t n)
{
    if (n > 0 && (thread->n_events == 0 || first_ns < thread->first_ns))
        thread->first_ns = first_ns;
    thread->n_events += n;
}

static void count(struct rf_selected *selected, const struct rf_event *event)
{
    if (!rf_filter_is_annotation(event))
        return;
    selected->of_domain[event->domain]++;
    selected->n_cut_at_start += (event->flags & RF_EVENT_CUT_AT_START) != 0;
    selected->n_marks += event->kind == RF_EVENT_MARK;
    selected->n_ranges += event->kind != RF_EVENT_MARK;
    if (event->kind == RF_EVENT_MARK || event->cut == RF_CUT_NONE)
        return;
    selected->n_cut++;
    selected->n_cut_by[event->cut % RF_CUT_REASONS]++;
}

static void add_decoded(const struct rf_load *load, struct rf_selected *selected)
{
    const struct rf_summed *n = &load->n_selected;
    for (uint32_t i = 0; i < load->n_threads; i++) {
        const struct rf_load_thread *thread = load->thread[i];
        if (thread->n_selected > 0)
            add_event(&selected->thread[thread->place], thread->first_selected_ns,
                      thread->n_selected);
    }
    for (uint32_t i = 0; i < load->rec->n_domains && i < n->n_domains; i++)
        selected->of_domain[i] += n->of_domain[i];
    selected->n_ranges = n->n_ranges;
    selected->n_marks = n->n_marks;
    selected->n_cut = n->n_cut;
    selected->n_cut_at_start = n->n_cut_at_start;
    memcpy(selected->n_cut_by, n->n_cut_by, sizeof(selected->n_cut_by));
}

int rf_select_finish(struct rf_load *load, struct rf_selector *selector)
{
    rf_recording *rec = load->rec;
    struct rf_selected *selected = rec->selected;
    selected->thread = calloc((size_t)rec->n_threads + 1, sizeof(*selected->thread));
    selected->of_domain = calloc((size_t)rec->n_domains + 1, sizeof(*selected->of_domain));
    if (selected->thread == NULL || selected->of_domain == NULL)
        return RF_ERR_NO_MEMORY;
    add_decoded(load, selected);
    for (uint32_t t = 0; t < rec->n_threads; t++) {
        const struct rf_thread_events *events = &rec->events[t];
        for (size_t i = 0; i < events->n; i++) {
            if (!rf_select_kept(selector, rec, t, &events->event[i]))
                continue;
            add_event(&selected->thread[t], events->event[i].start_ns, 1);
            count(selected, &events->event[i]);
        }
    }
    return selector->is_out_of_memory ? RF_ERR_NO_MEMORY : RF_OK;
}
