/* SPDX-License-Identifier: Apache-2.0 */
#include "record/standby/standby_gate.h"

#include "log/capture.h"
#include "record/local.h"

#define PATIENCE_US  2000000
#define STEP_US      100
#define IN_FLIGHT_US 1000 /* far longer than a processor keeps a store to itself */

bool rf_standby_is_on(void)
{
    return rf_capture_is_on(rf_capture_word(rf_recorder.control));
}

/* Is this still the set of writers? A forked child gets its own with its first session. */
static bool is_current(const struct rf_local *local)
{
    return __atomic_load_n(&rf_recorder.local, __ATOMIC_SEQ_CST) == local;
}

struct rf_local *rf_standby_enter(void)
{
    for (;;) {
        struct rf_local *local = __atomic_load_n(&rf_recorder.local, __ATOMIC_ACQUIRE);
        /* before the word is read: either this thread sees that the session ends, or whoever
         * ends it sees this thread */
        (void)__atomic_fetch_add(&local->n_inside, 1, __ATOMIC_SEQ_CST);
        bool is_ours = is_current(local);
        if (is_ours && rf_standby_is_on())
            return local;
        rf_standby_leave(local);
        if (is_ours)
            return NULL;
    }
}

void rf_standby_leave(struct rf_local *local)
{
    (void)__atomic_fetch_sub(&local->n_inside, 1, __ATOMIC_RELEASE);
}

/* ---- Definitions ---- */

struct rf_local *rf_standby_begin_naming(void)
{
    for (int i = 0; i < PATIENCE_US / STEP_US; i++) {
        struct rf_local *local = __atomic_load_n(&rf_recorder.local, __ATOMIC_ACQUIRE);
        (void)__atomic_fetch_add(&local->n_naming, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&local->is_renamed, __ATOMIC_SEQ_CST) == 0 && is_current(local))
            return local;
        rf_standby_end_naming(local);
        rf_sys_sleep_us(STEP_US);
    }
    return NULL; /* a signal handler on the thread that all others wait for */
}

void rf_standby_end_naming(struct rf_local *local)
{
    (void)__atomic_fetch_sub(&local->n_naming, 1, __ATOMIC_RELEASE);
}

bool rf_standby_wait_for_naming(const struct rf_local *local)
{
    for (int i = 0; i < PATIENCE_US / STEP_US; i++) {
        if (__atomic_load_n(&local->n_naming, __ATOMIC_SEQ_CST) == 0)
            return true;
        rf_sys_sleep_us(STEP_US);
    }
    return false;
}

bool rf_standby_block_naming(void)
{
    struct rf_local *local = rf_recorder.local;
    __atomic_store_n(&local->is_renamed, 1, __ATOMIC_SEQ_CST);
    if (rf_standby_wait_for_naming(local))
        return true;
    rf_standby_unblock_naming();
    return false;
}

void rf_standby_unblock_naming(void)
{
    __atomic_store_n(&rf_recorder.local->is_renamed, 0, __ATOMIC_RELEASE);
}

/* ---- Waiting until all have left ---- */

static bool is_free(const struct rf_local *local, uint32_t slot)
{
    return (__atomic_load_n(&local->free_slots[slot / 64], __ATOMIC_ACQUIRE) >> slot % 64) & 1;
}

static bool is_busy(const struct rf_local *local, uint32_t slot)
{
    return !is_free(local, slot) && rf_writer_is_in_record(&local->writers[slot]);
}

static bool is_quiet(const struct rf_local *local)
{
    if (__atomic_load_n(&local->n_inside, __ATOMIC_SEQ_CST) != 0)
        return false;
    for (uint32_t i = 0; i < rf_local_n_slots(local); i++)
        if (is_busy(local, i))
            return false;
    return true;
}

bool rf_standby_wait_until_quiet(const struct rf_local *local)
{
    rf_sys_sleep_us(IN_FLIGHT_US);
    for (int i = 0; i < PATIENCE_US / STEP_US; i++) {
        if (is_quiet(local))
            return true;
        rf_sys_sleep_us(STEP_US);
    }
    return false;
}
