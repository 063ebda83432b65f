/* SPDX-License-Identifier: Apache-2.0 */
/* Focused recordings (docs/format.md, section 8): the windows of the captures, and the events that
 * belong to one. */
#ifndef RF_MODEL_LOAD_CAPTURE_WINDOWS_H
#define RF_MODEL_LOAD_CAPTURE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "log/layout.h"

struct rf_event;
struct rf_load;

/* The kind of an event that lies in no capture, until it is removed. */
#define RF_EVENT_LEFT_OUT 0

struct rf_window {
    int64_t begin_ns, end_ns; /* both inside; INT64_MAX: it is open */
    uint32_t number;          /* of the capture in the run, from 1 */
};

/* What of a focused recording is shown. */
struct rf_capture_windows {
    bool is_focused;
    bool keeps_open;     /* ranges that began outside of captures are known */
    int64_t last_end_ns; /* of the last window; INT64_MIN: there is none */
    uint32_t n;
    struct rf_window window[RF_MAX_WINDOWS]; /* by time */
};

/* Takes the windows from the control page; the timeline must be there. */
void rf_load_capture_windows(struct rf_load *load);

/* Whether a time lies in a window. */
bool rf_windows_contain(const struct rf_capture_windows *windows, int64_t ns);

/* Whether a stretch of time lies in a window, partly at least. */
bool rf_windows_overlap(const struct rf_capture_windows *windows, int64_t from_ns, int64_t to_ns);

/* The first time behind ns where a window begins, or one has ended that ns lies in; INT64_MAX:
 * there is none. */
int64_t rf_windows_next_change(const struct rf_capture_windows *windows, int64_t ns);

/* The number among them of a window that ends then. */
uint32_t rf_windows_ending(const struct rf_capture_windows *windows, int64_t ns);

/* Whether an event belongs to a window, by its kind, its times and its cut. */
bool rf_windows_have(const struct rf_capture_windows *windows, const struct rf_event *event);

/* What becomes of an event; ranges have their ends. Once more is the same. */
enum rf_window_fit {
    RF_WINDOW_LEAVES_OUT, /* it belongs to no window */
    RF_WINDOW_HAS,
    RF_WINDOW_CUTS /* likewise, but its end was cut */
};
enum rf_window_fit rf_windows_fit(const struct rf_capture_windows *windows, struct rf_event *event);

/* Whether an end at that time that belongs to no range is a mistake of the program. It may not be
 * one outside of captures, and if ranges that were open before a capture are not known. */
bool rf_windows_know_ends(const struct rf_capture_windows *windows, int64_t ns);

/* A thread has been read up to ns: ranges that are still open and are in a capture will end there
 * or later. RF_NO_TIME: there was no capture yet. */
int64_t rf_windows_settled(const struct rf_capture_windows *windows, int64_t ns);

/* Whether a window began or ended between two times. *cut_ns: where what was open at the first one
 * stops being known. */
bool rf_windows_change(const struct rf_capture_windows *windows, int64_t from_ns, int64_t to_ns,
                       int64_t *cut_ns);

/* Gives events that lie in no window the kind RF_EVENT_LEFT_OUT, and cuts the others to fit. All
 * ranges have their ends. */
void rf_load_mark_left_out(struct rf_load *load);

/* Removes what was left out; events have other places then. */
void rf_load_remove_left_out(struct rf_load *load);

#endif
