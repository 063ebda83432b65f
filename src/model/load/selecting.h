/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of a recording that is summed up as it is read: of the ranges that end, those that the
 * filter keeps are added to the sums. rf_filter() makes the filtered recording of what is left.
 * Before that a reading may only look for the ranges whose time the filter means. */
#ifndef RF_MODEL_LOAD_SELECTING_H
#define RF_MODEL_LOAD_SELECTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "model/filter/filter.h"
#include "model/filter/range_search.h"
#include "model/strings.h"
#include "rangefinder/rangefinder.h"

struct rf_load;
struct rf_load_thread;
struct rf_payload_tests;

/* What a reading selects; all zero: all. */
struct rf_selecting {
    const struct rf_filter_options *options; /* NULL: all */
    const struct rf_map *threads; /* (process << 32 | serial, tid): those of options->threads */
    const struct rf_filter_window *window; /* those of options->nvtx */
    size_t n_windows;
    const struct rf_wanted_range *wanted; /* RF_WAYS_TO_READ; ranges are looked for, and not
                                           * selected; NULL: they are not */
    struct rf_map *cut; /* (process << 32 | serial, start) to the tid of ranges that were cut: with
                         * finds_cut those that were found; NULL: they are not known */
    bool finds_cut;
    struct rf_found_event *found; /* those, when it is done; the caller frees it */
    size_t n_found;
    bool is_wrong; /* set where the options are: nothing is selected, and rf_filter() says why */
};

/* A range that was looked for. */
struct rf_found_event {
    int64_t start_ns, end_ns;
    uint32_t domain;
    uint32_t way;
};

/* Of a load; decoders read it. */
struct rf_selection {
    struct rf_selecting *of; /* NULL: all is selected */
    struct rf_load *load;
    struct rf_filter filter;
    uint8_t *known; /* by string: of those that there are before records are read */
    uint32_t n_known;
    bool has_failed; /* a name cannot be compared, or a time is not known (atomic) */
    struct rf_found_event *found;
    size_t n_found, found_room;
};

/* Of a decoder: what it knows of names, and what it found. */
struct rf_selector {
    struct rf_selection *selection; /* NULL: not begun */
    const struct rf_strings *strings;
    uint32_t name_base; /* see struct rf_decoder */
    struct rf_name_pattern pattern;
    struct rf_payload_tests *tests; /* NULL: there are none */
    uint8_t *known;                 /* by string, behind selection->n_known */
    size_t room;
    struct rf_found_event *found;
    size_t n_found, found_room, enough; /* enough: to leave out what cannot matter */
    bool is_out_of_memory;
};

/* The step behind the definitions. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_select_begin(struct rf_load *load);
void rf_selection_release(struct rf_selection *selection);

/* Whether a thread is selected, which is about to be added. */
bool rf_select_thread(const struct rf_load *load, uint32_t process, uint32_t serial, uint32_t tid);

void rf_selector_init(struct rf_selector *selector, struct rf_load *load,
                      struct rf_strings *strings, uint32_t name_base);
void rf_selector_release(struct rf_selector *selector);

/* The selector of events whose payloads are the recording's. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_selector_init_final(struct rf_selector *selector, struct rf_load *load);

/* Whether an event of a thread that is selected is selected, as far as its name and its payloads
 * say it; likewise its times. */
bool rf_select_name(struct rf_selector *selector, const struct rf_event *event);
bool rf_select_times(const struct rf_selector *selector, const struct rf_event *event);

/* Whether an event of a thread that is selected is selected. */
bool rf_select_event(struct rf_selector *selector, const struct rf_event *event);

/* Notes a range that was cut, if these are looked for. Returns RF_OK or RF_ERR_NO_MEMORY. Any
 * thread that decodes. */
int rf_select_find_cut(struct rf_load *load, uint32_t process, uint32_t serial, uint32_t tid,
                       const struct rf_event *range);

/* Whether a range that begins then is cut, or one that begins at the same time. */
bool rf_select_is_cut(const struct rf_load *load, const struct rf_load_thread *thread,
                      int64_t start_ns);

/* Notes a range of a thread that is selected, if it is looked for. */
void rf_select_find(struct rf_selector *selector, const struct rf_event *event);

/* Adds what a decoder found to what all did. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_selector_join(struct rf_load *load, struct rf_selector *selector);

/* When all that was found is there: whether each value that payloads are to have was in some. */
void rf_select_check_payloads(struct rf_load *load);

/* Says that it is not known of something if it is selected. Any thread. */
static inline void rf_select_fail(struct rf_selection *selection)
{
    __atomic_store_n(&selection->has_failed, true, __ATOMIC_RELAXED);
}

/* Whether it is not known of something if it is selected: all has to be read again, and kept. */
bool rf_select_has_failed(const struct rf_load *load);

/* Whether an event that is still in memory is selected, now that threads are in their order. */
bool rf_select_kept(struct rf_selector *selector, const rf_recording *rec, uint32_t thread,
                    const struct rf_event *event);

/* Of domains of one name (same_domains.h): the first that is selected stands for them. Returns
 * RF_OK or RF_ERR_NO_MEMORY. */
int rf_select_domains(const struct rf_load *load, uint32_t *same_domain);

/* Then: gives the recording the numbers of what was selected while it was decoded, and of what is
 * still in memory. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_select_finish(struct rf_load *load, struct rf_selector *selector);

#endif
