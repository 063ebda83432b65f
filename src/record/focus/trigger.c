/* SPDX-License-Identifier: Apache-2.0 */
/* What begins and ends captures inside the program: ranges with the trigger's message, and the
 * calls of cudaProfilerStart and Stop.
 *
 * An open trigger is listed in one place: that of its thread (pushes) or that of the process
 * (started ranges, profiler). Whoever clears the place closes the trigger. So exit() can close
 * the triggers that threads still have open, and no trigger is closed twice.
 *
 * Where only some ranges of the name are to be captured, they are counted per process, and one more
 * trigger, the hold, is open from the begin of the first one until all of them have ended. */
#include "record/focus/trigger.h"

#include "record/focus/emit_nontrigger.h"
#include "record/hooks.h"
#include "record/local.h"
#include "record/process/process.h"
#include "record/stream/part.h"

/* Ids of triggers that are not recorded have this slot, which does not exist. */
#define UNRECORDED_SLOT (RF_MAX_SLOTS + 100)

static struct rf_capture *capture_of(void)
{
    return &rf_recorder.control->capture;
}

static void call_capture_changed(void)
{
    const struct rf_hooks *hooks = __atomic_load_n(&rf_hooks, __ATOMIC_ACQUIRE);
    if (RF_UNLIKELY(hooks != NULL))
        hooks->capture_changed();
}

static void open_trigger(void)
{
    struct rf_capture *capture = capture_of();
    (void)__atomic_fetch_add(&rf_pool_header()->n_open_triggers, 1, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&capture->n_trigger_hits, 1, __ATOMIC_RELAXED);
    (void)rf_capture_begin(rf_recorder.control, true, 0);
    call_capture_changed();
}

static void close_trigger(void)
{
    (void)rf_capture_end(rf_recorder.control, true, 0, 0);
    (void)__atomic_fetch_sub(&rf_pool_header()->n_open_triggers, 1, __ATOMIC_RELAXED);
    call_capture_changed();
}

static void count_lost_trigger(void)
{
    (void)__atomic_fetch_add(&capture_of()->n_lost_triggers, 1, __ATOMIC_RELAXED);
}

/* ---- Some ranges of the name, by number ---- */

static void note_most(uint32_t n)
{
    uint32_t *most = &capture_of()->most_steps;
    uint32_t seen = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (seen < n &&
           !__atomic_compare_exchange_n(most, &seen, n, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Whichever trigger comes first opens it: the thread of the first range may be late. It is open
 * before it is listed, so that whoever finds it listed can close it. */
static void ensure_hold(void)
{
    uint32_t *hold = &rf_pool_header()->step_hold;
    uint32_t seen = RF_STEP_HOLD_NONE;
    if (__atomic_load_n(hold, __ATOMIC_ACQUIRE) != RF_STEP_HOLD_NONE)
        return;
    open_trigger();
    if (!__atomic_compare_exchange_n(hold, &seen, RF_STEP_HOLD_OPEN, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        close_trigger(); /* another thread was faster, or the process exits */
}

static void close_hold(void)
{
    if (__atomic_exchange_n(&rf_pool_header()->step_hold, RF_STEP_HOLD_CLOSED, __ATOMIC_ACQ_REL) ==
        RF_STEP_HOLD_OPEN)
        close_trigger();
}

/* Counts a range of the trigger's name. Is it a trigger? */
static bool begin_step(void)
{
    const struct rf_capture *capture = capture_of();
    if (capture->n_steps == 0)
        return true;
    const uint32_t i = __atomic_fetch_add(&rf_pool_header()->n_steps_begun, 1, __ATOMIC_RELAXED);
    note_most(i + 1);
    if (i < capture->first_step || i - capture->first_step >= capture->n_steps)
        return false;
    ensure_hold();
    return true;
}

static void end_step(void)
{
    const uint32_t n = capture_of()->n_steps;
    if (n != 0 && __atomic_add_fetch(&rf_pool_header()->n_steps_ended, 1, __ATOMIC_ACQ_REL) == n)
        close_hold();
}

/* The trigger of a range closes. */
static void close_range_trigger(void)
{
    close_trigger();
    end_step();
}

/* ---- Pushes ---- */

/* The thread's own writer, also in a signal handler that interrupted it. */
static struct rf_writer *own_writer(void)
{
    if (rf_tls_writer->part == NULL)
        (void)rf_writer_prepare();
    return rf_tls_writer->part != NULL ? rf_tls_writer : NULL;
}

static bool add_push(struct rf_writer *writer, uint64_t domain)
{
    uint64_t value = 1ULL << RF_TRIGGER_DEPTH_SHIFT | rf_domain_number(domain);
    for (uint32_t i = 0; i < RF_MAX_THREAD_TRIGGERS; i++) {
        uint64_t seen = 0;
        if (__atomic_compare_exchange_n(&writer->focus->trigger[i], &seen, value, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            writer->n_triggers++;
            return true;
        }
    }
    return false;
}

/* The trigger is opened before it is listed: a handler that comes in between must not find it
 * listed and not open. */
static void open_push(struct rf_writer *writer, uint64_t domain)
{
    if (writer == NULL) {
        count_lost_trigger();
        return;
    }
    if (writer->n_triggers >= RF_MAX_THREAD_TRIGGERS) {
        count_lost_trigger();
        end_step();
        return;
    }
    open_trigger();
    if (!add_push(writer, domain)) { /* handlers used the last places, and left them in use */
        close_range_trigger();
        count_lost_trigger();
    }
}

uint64_t rf_trigger_push(const struct rf_attributes *a)
{
    struct rf_writer *writer = own_writer();
    uint64_t *place = writer != NULL ? rf_trigger_find_push(writer, a->domain) : NULL;
    const bool is_trigger = writer == NULL || begin_step();
    if (place != NULL)
        rf_trigger_change_depth(place, 1);
    else if (is_trigger)
        open_push(writer, a->domain);
    if (place != NULL && is_trigger)
        end_step(); /* it ends within the one around it */
    return rf_emit_nontrigger(RF_REC_PUSH, a);
}

void rf_trigger_pop(uint64_t domain, uint64_t *place, const struct rf_payloads *payloads)
{
    uint64_t value = 1ULL << RF_TRIGGER_DEPTH_SHIFT | rf_domain_number(domain);
    rf_emit_nontrigger_pop(domain, rf_capture_word(rf_recorder.control), payloads);
    /* exit() may have closed it meanwhile */
    if (__atomic_compare_exchange_n(place, &value, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        rf_tls_writer->n_triggers--;
        close_range_trigger();
    }
}

/* ---- Started ranges ---- */

static uint64_t *find_start(uint64_t id)
{
    struct rf_local *local = rf_recorder.local;
    for (uint32_t i = 0; i < RF_MAX_START_TRIGGERS; i++) {
        uint64_t *place = &local->start_trigger[(id + i) % RF_MAX_START_TRIGGERS];
        if (__atomic_load_n(place, __ATOMIC_RELAXED) == id)
            return place;
    }
    return NULL;
}

static bool add_start(uint64_t id)
{
    struct rf_local *local = rf_recorder.local;
    /* counted before it is listed: whoever looks for it must not be told that there is none */
    (void)__atomic_fetch_add(&local->n_start_triggers, 1, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < RF_MAX_START_TRIGGERS; i++) {
        uint64_t seen = 0;
        if (__atomic_compare_exchange_n(&local->start_trigger[(id + i) % RF_MAX_START_TRIGGERS],
                                        &seen, id, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return true;
    }
    (void)__atomic_fetch_sub(&local->n_start_triggers, 1, __ATOMIC_RELAXED);
    return false;
}

uint64_t rf_trigger_start(const struct rf_attributes *a)
{
    if (own_writer() == NULL) { /* no id could be given out */
        count_lost_trigger();
        return 0;
    }
    if (!begin_step())
        return rf_emit_nontrigger(RF_REC_START, a);
    open_trigger();
    uint64_t id = rf_emit_nontrigger(RF_REC_START, a);
    if (id == 0)
        id = rf_range_id(
            rf_recorder.process, UNRECORDED_SLOT,
            __atomic_add_fetch(&rf_recorder.local->n_unrecorded_ids, 1, __ATOMIC_RELAXED));
    if (!add_start(id)) {
        close_range_trigger();
        count_lost_trigger();
    }
    return id;
}

__attribute__((noinline)) void rf_trigger_end(uint64_t id, const struct rf_payloads *payloads)
{
    uint64_t *place = find_start(id);
    uint64_t slot = id >> RF_ID_COUNTER_BITS & ((1u << RF_ID_SLOT_BITS) - 1);
    if (slot != UNRECORDED_SLOT + 1)
        rf_emit_nontrigger_end_slow(RF_REC_END, 2, id, payloads);
    if (place != NULL &&
        __atomic_compare_exchange_n(place, &id, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        (void)__atomic_fetch_sub(&rf_recorder.local->n_start_triggers, 1, __ATOMIC_RELAXED);
        close_range_trigger();
    }
}

/* ---- cudaProfilerStart and Stop ---- */

void rf_trigger_profiler(bool is_on)
{
    struct rf_recorder *r = &rf_recorder;
    uint32_t seen = !is_on;
    if (r->control == NULL || !r->is_focused ||
        (capture_of()->triggers & RF_TRIGGER_PROFILER) == 0 || !rf_process_ensure())
        return;
    if (!__atomic_compare_exchange_n(&r->local->is_profiler_on, &seen, is_on, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    if (is_on)
        open_trigger();
    else
        close_trigger();
}

/* ---- The end of a thread, and of the process ---- */

static void close_all(uint64_t *places, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (__atomic_load_n(&places[i], __ATOMIC_RELAXED) != 0 &&
            __atomic_exchange_n(&places[i], 0, __ATOMIC_ACQ_REL) != 0)
            close_range_trigger();
}

RF_COLD void rf_trigger_thread_exit(struct rf_writer *writer)
{
    close_all(writer->focus->trigger, RF_MAX_THREAD_TRIGGERS);
    writer->n_triggers = 0;
}

RF_COLD void rf_trigger_process_exit(void)
{
    struct rf_local *local = rf_recorder.local;
    if (!rf_recorder.is_focused)
        return;
    for (uint32_t i = 0; i < rf_local_n_slots(local); i++)
        close_all(local->focus[i].trigger, RF_MAX_THREAD_TRIGGERS);
    close_all(local->start_trigger, RF_MAX_START_TRIGGERS);
    close_hold();
    rf_trigger_profiler(false);
}
