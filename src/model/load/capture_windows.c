/* SPDX-License-Identifier: Apache-2.0 */
/* Focused recordings (docs/format.md, section 8): the windows of the captures, and the choice of
 * the events that belong to one. */
#include "model/load/capture_windows.h"

#include <stdbool.h>
#include <stdlib.h>

#include "model/load/load.h"
#include "model/load/path_walk.h"
#include "model/load/timeline.h"

/* ---- Windows ---- */

static int compare_windows(const void *left, const void *right)
{
    const struct rf_window *a = left, *b = right;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void add_window(struct rf_load *load, const struct rf_capture_window *window,
                       uint32_t number)
{
    struct rf_capture_windows *windows = &load->windows;
    size_t line = 0;
    struct rf_window w = {.number = number, .end_ns = INT64_MAX};
    if (window->begin_ticks == 0)
        return; /* it is just beginning */
    w.begin_ns = rf_timeline_ns(&load->timeline, &line, window->begin_ticks);
    if (window->end_ticks != 0)
        w.end_ns = rf_timeline_ns(&load->timeline, &line, window->end_ticks);
    if (w.end_ns >= w.begin_ns)
        windows->window[windows->n++] = w;
}

/* Makes windows follow one another, even if the file is damaged: the searches rely on it. */
static void separate(struct rf_capture_windows *windows)
{
    uint32_t n = 0;
    if (windows->n > 0)
        qsort(windows->window, windows->n, sizeof(windows->window[0]), compare_windows);
    for (uint32_t i = 0; i < windows->n; i++) {
        struct rf_window window = windows->window[i];
        if (n > 0 && window.begin_ns < windows->window[n - 1].end_ns)
            window.begin_ns = windows->window[n - 1].end_ns;
        if (window.begin_ns <= window.end_ns && window.begin_ns != INT64_MAX)
            windows->window[n++] = window;
    }
    windows->n = n;
    windows->last_end_ns = n > 0 ? windows->window[n - 1].end_ns : INT64_MIN;
}

void rf_load_capture_windows(struct rf_load *load)
{
    const struct rf_control *control = &load->rec->control;
    const uint64_t phase = control->capture.word >> RF_CAPTURE_PHASE_SHIFT & RF_CAPTURE_PHASE_MASK;
    const uint32_t begun = (uint32_t)(phase + 1) / 2;
    uint32_t n = control->n_windows, first;
    if (control->magic[0] == 0 || control->records_all != 0)
        return;
    load->windows.is_focused = true;
    load->windows.keeps_open = control->capture.keeps_open != 0;
    /* the place of the oldest one may be that of one that begins just now */
    first = n > RF_MAX_WINDOWS ? n - RF_MAX_WINDOWS : 0;
    if (n >= RF_MAX_WINDOWS && begun > n && begun - n <= RF_MAX_WINDOWS)
        first = begun - RF_MAX_WINDOWS;
    for (uint32_t i = first; i < n; i++)
        add_window(load, &control->window[i % RF_MAX_WINDOWS], control->n_left_out + i + 1);
    separate(&load->windows);
}

/* The first window that ends at ns or later; windows->n: there is none. */
static uint32_t window_until(const struct rf_capture_windows *windows, int64_t ns)
{
    uint32_t low = 0, high = windows->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (windows->window[middle].end_ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool rf_windows_contain(const struct rf_capture_windows *windows, int64_t ns)
{
    uint32_t i = window_until(windows, ns);
    return i < windows->n && windows->window[i].begin_ns <= ns;
}

bool rf_windows_overlap(const struct rf_capture_windows *windows, int64_t from_ns, int64_t to_ns)
{
    uint32_t i = window_until(windows, from_ns);
    return i < windows->n && windows->window[i].begin_ns <= to_ns;
}

int64_t rf_windows_next_change(const struct rf_capture_windows *windows, int64_t ns)
{
    const uint32_t i = window_until(windows, ns);
    const struct rf_window *window = &windows->window[i];
    if (i == windows->n)
        return INT64_MAX;
    if (window->begin_ns > ns)
        return window->begin_ns;
    return window->end_ns < INT64_MAX ? window->end_ns + 1 : INT64_MAX;
}

uint32_t rf_windows_ending(const struct rf_capture_windows *windows, int64_t ns)
{
    return window_until(windows, ns);
}

bool rf_windows_know_ends(const struct rf_capture_windows *windows, int64_t ns)
{
    return !windows->is_focused || (windows->keeps_open && rf_windows_contain(windows, ns));
}

int64_t rf_windows_settled(const struct rf_capture_windows *windows, int64_t ns)
{
    const uint32_t i = window_until(windows, ns);
    if (i < windows->n && windows->window[i].begin_ns <= ns)
        return ns;
    return i > 0 ? windows->window[i - 1].end_ns : RF_NO_TIME;
}

bool rf_windows_change(const struct rf_capture_windows *windows, int64_t from_ns, int64_t to_ns,
                       int64_t *cut_ns)
{
    uint32_t i = window_until(windows, from_ns), k = window_until(windows, to_ns);
    bool was_inside = i < windows->n && windows->window[i].begin_ns <= from_ns;
    bool is_inside = k < windows->n && windows->window[k].begin_ns <= to_ns;
    *cut_ns = was_inside && windows->window[i].end_ns < INT64_MAX ? windows->window[i].end_ns
                                                                  : from_ns; /* time went back */
    return i != k || was_inside != is_inside;
}

/* ---- Events ---- */

static void cut_end(struct rf_event *event, int64_t ns)
{
    event->end_ns = ns > event->start_ns ? ns : event->start_ns;
    event->cut = RF_CUT_CAPTURE_ENDED;
    if (event->payload_type == RF_PATH_ELSEWHERE)
        event->payload_type = RF_TYPE_NONE; /* it is as if its own thread had ended it there */
}

static bool is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

/* An end outside of captures was not recorded. */
static bool has_lost_end(const struct rf_capture_windows *windows, const struct rf_event *event)
{
    return !windows->keeps_open && event->cut != RF_CUT_NONE;
}

/* The first window that an event belongs to; NULL: it belongs to none. */
static const struct rf_window *window_of(const struct rf_capture_windows *windows,
                                         const struct rf_event *event)
{
    const uint32_t first = window_until(windows, event->start_ns);
    const struct rf_window *window = &windows->window[first];
    if (first == windows->n ||
        window->begin_ns > (is_range(event) ? event->end_ns : event->start_ns))
        return NULL;
    if (is_range(event) && has_lost_end(windows, event) && event->start_ns < window->begin_ns &&
        (event->flags & RF_EVENT_CUT_AT_START) == 0 /* else it was cut to fit before */)
        return NULL;
    return window;
}

bool rf_windows_have(const struct rf_capture_windows *windows, const struct rf_event *event)
{
    return window_of(windows, event) != NULL;
}

enum rf_window_fit rf_windows_fit(const struct rf_capture_windows *windows, struct rf_event *event)
{
    const struct rf_window *window = window_of(windows, event);
    enum rf_window_fit fit = window != NULL ? RF_WINDOW_HAS : RF_WINDOW_LEAVES_OUT;
    uint32_t last;
    if (window == NULL || !is_range(event))
        return fit;
    if (has_lost_end(windows, event) && event->end_ns > window->end_ns) {
        cut_end(event, window->end_ns);
        fit = RF_WINDOW_CUTS;
    }
    if (event->start_ns < window->begin_ns)
        event->flags |= RF_EVENT_CUT_AT_START;
    last = window_until(windows, event->end_ns);
    if (last == windows->n || windows->window[last].begin_ns > event->end_ns)
        last--;
    if (event->end_ns > windows->window[last].end_ns) {
        cut_end(event, windows->window[last].end_ns);
        fit = RF_WINDOW_CUTS;
    }
    return fit;
}

void rf_load_mark_left_out(struct rf_load *load)
{
    for (uint32_t i = 0; i < load->n_threads; i++) {
        struct rf_load_thread *thread = load->thread[i];
        for (size_t k = 0; k < thread->n; k++) {
            struct rf_event *event = &thread->event[k];
            const enum rf_window_fit fit = rf_windows_fit(&load->windows, event);
            if (fit == RF_WINDOW_LEAVES_OUT)
                event->kind = RF_EVENT_LEFT_OUT;
            else if (event->kind == RF_EVENT_START_END && event->cut == RF_CUT_CAPTURE_ENDED)
                load->rec->start_end[event->link].end_thread = i;
        }
    }
}

void rf_load_remove_left_out(struct rf_load *load)
{
    for (uint32_t i = 0; i < load->n_threads; i++) {
        struct rf_load_thread *thread = load->thread[i];
        size_t n = 0, n_kept = 0;
        for (size_t k = 0; k < thread->n; k++) {
            const struct rf_event *event = &thread->event[k];
            if (event->kind == RF_EVENT_LEFT_OUT)
                continue;
            n_kept += k < thread->n_kept;
            if (event->kind == RF_EVENT_START_END)
                load->thread[load->rec->start_end[event->link].end_thread]->is_needed = true;
            thread->event[n++] = *event;
        }
        thread->n = n;
        thread->n_kept = n_kept;
    }
}
