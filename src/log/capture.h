/* SPDX-License-Identifier: Apache-2.0 */
/* How captures begin and end: the steps that the recorder (a trigger in the program) and the
 * command line (time, key, command) take on the control page. Header-only, because both take them.
 *
 * What belongs to a capture is decided by the ticks in its window, not by when a thread saw the
 * word:
 *  - at a beginning the word is stored first and the clock is read some time later, so that
 *    whoever still saw the word before it had read its own clock before the window begins;
 *  - at an end the clock is read first and the word is stored last. A thread that sees the word
 *    after it, and whose own clock is not behind last_end_ticks, still records. */
#ifndef RF_LOG_CAPTURE_H
#define RF_LOG_CAPTURE_H

#include <stdbool.h>

#include "log/layout.h"
#include "log/ticks.h"

static inline uint32_t rf_capture_n_open(uint64_t word)
{
    return (uint32_t)word;
}

static inline uint32_t rf_capture_phase(uint64_t word)
{
    return (uint32_t)(word >> RF_CAPTURE_PHASE_SHIFT) & RF_CAPTURE_PHASE_MASK;
}

static inline bool rf_capture_is_on(uint64_t word)
{
    return (word & RF_CAPTURE_ON) != 0;
}

static inline uint64_t rf_capture_word(const struct rf_control *control)
{
    return __atomic_load_n(&control->capture.word, __ATOMIC_ACQUIRE);
}

/* The window of the capture that is on, or of the last one. */
static inline struct rf_capture_window *rf_capture_window_of(struct rf_control *control,
                                                             uint64_t word)
{
    return &control->window[(rf_capture_phase(word) - 1) / 2 % RF_MAX_WINDOWS];
}

/* Waits until no other processor can still act on the word before the last store to it (which is
 * sequentially consistent) with a clock that it reads after this. A processor may read its clock
 * late by what it has in flight. */
static inline uint64_t rf_capture_settle(uint32_t clock_kind)
{
    enum { IN_FLIGHT_NS = 300 };
    int64_t until = rf_clock_ns(CLOCK_MONOTONIC) + IN_FLIGHT_NS;
    while (rf_clock_ns(CLOCK_MONOTONIC) < until) {
    }
    return rf_ticks(clock_kind);
}

enum rf_capture_step {
    RF_CAPTURE_NO_STEP = 0,
    RF_CAPTURE_BEGAN = 1,
    RF_CAPTURE_ENDED = 2,
};

/* Begins a capture, unless one is on, or there may be no other. is_trigger: a trigger opens, which
 * is counted in any case, and begins a capture only if it is the first and triggers are armed.
 * begin_ticks: when, if that is yet to come; 0: now. */
static inline enum rf_capture_step rf_capture_begin(struct rf_control *control, bool is_trigger,
                                                    uint64_t begin_ticks)
{
    struct rf_capture *capture = &control->capture;
    uint64_t word = rf_capture_word(control), next, former_end;
    struct rf_capture_window *window;
    bool begins, has_room;
    do {
        uint32_t n_begun = (rf_capture_phase(word) + 1) / 2;
        has_room = n_begun - __atomic_load_n(&capture->n_saved, __ATOMIC_ACQUIRE) < RF_MAX_WINDOWS;
        begins = (word & (RF_CAPTURE_ON | RF_CAPTURE_OVER)) == 0 &&
                 (!is_trigger || ((word & RF_CAPTURE_ARMED) && rf_capture_n_open(word) == 0));
        next = word + is_trigger + (begins && has_room ? RF_CAPTURE_ON : 0);
        window = rf_capture_window_of(control, next);
        former_end = __atomic_load_n(&window->end_ticks, __ATOMIC_RELAXED);
    } while (next != word && !__atomic_compare_exchange_n(&capture->word, &word, next, false,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
    if (!begins)
        return RF_CAPTURE_NO_STEP;
    if (!has_room) {
        (void)__atomic_fetch_add(&capture->n_missed, 1, __ATOMIC_RELAXED);
        return RF_CAPTURE_NO_STEP;
    }
    uint64_t now = rf_capture_settle(control->clock_kind);
    /* another thread may have ended the capture since: its end stays, although it may lie before
     * the begin */
    (void)__atomic_compare_exchange_n(&window->end_ticks, &former_end, 0, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED);
    __atomic_store_n(&window->begin_ticks, begin_ticks > now ? begin_ticks : now, __ATOMIC_RELEASE);
    __atomic_store_n(&control->n_windows, (rf_capture_phase(next) + 1) / 2, __ATOMIC_RELEASE);
    return RF_CAPTURE_BEGAN;
}

/* Ends the capture that is on. is_trigger: a trigger closes, which is counted in any case, and ends
 * the capture only if it is the last and captures end with their triggers. end_ticks: when; 0: now.
 * Not after now. phase: of the word that the caller decided by, so that it does not end the capture
 * after that one; 0: whichever is on. */
static inline enum rf_capture_step rf_capture_end(struct rf_control *control, bool is_trigger,
                                                  uint64_t end_ticks, uint32_t phase)
{
    struct rf_capture *capture = &control->capture;
    uint64_t word = rf_capture_word(control), next;
    bool ends;
    if (end_ticks == 0)
        end_ticks = rf_ticks(control->clock_kind);
    do {
        ends = rf_capture_is_on(word) && (phase == 0 || phase == rf_capture_phase(word)) &&
               (!is_trigger || (rf_capture_n_open(word) == 1 && capture->ends_with_trigger));
        next = word - (is_trigger && rf_capture_n_open(word) > 0);
        if (ends) {
            uint32_t n_ended = (rf_capture_phase(word) + 1) / 2;
            next += RF_CAPTURE_ON;
            if (capture->max_windows != 0 && n_ended >= capture->max_windows)
                next |= RF_CAPTURE_OVER;
            /* no other thread ends the capture meanwhile: the trigger is still counted, or the
             * caller is the command line */
            __atomic_store_n(&rf_capture_window_of(control, word)->end_ticks, end_ticks,
                             __ATOMIC_RELAXED);
            __atomic_store_n(&capture->last_end_ticks, end_ticks, __ATOMIC_RELAXED);
        }
    } while (next != word && !__atomic_compare_exchange_n(&capture->word, &word, next, false,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
    return ends ? RF_CAPTURE_ENDED : RF_CAPTURE_NO_STEP;
}

#endif
