/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording says of its clocks: rf_clock_of(), and the moments at which they were read. */
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "model/private_access.h"
#include "model/recording.h"
#include "rangefinder/clocks.h"

#define US 1000 /* ns */

static const struct rf_clock_quality *quality_of(const struct rf_control *control, uint32_t place)
{
    static const struct rf_clock_quality unknown;
    return place < RF_N_QUALITIES ? &control->quality[place] : &unknown;
}

/* The entry of clock[] at which i others have fewer ticks; RF_NO_INDEX: there is none. */
static uint32_t place_of(const struct rf_control *control, uint32_t i)
{
    uint32_t place = RF_NO_INDEX;
    for (uint32_t k = 0; k <= i; k++) {
        uint32_t next = RF_NO_INDEX;
        for (uint32_t p = 0; p < RF_MAX_CLOCKS; p++) {
            const uint64_t ticks = control->clock[p].ticks;
            bool is_behind = place == RF_NO_INDEX || ticks > control->clock[place].ticks ||
                             (ticks == control->clock[place].ticks && p > place);
            if (control->clock[p].real_ns != 0 && is_behind &&
                (next == RF_NO_INDEX || ticks < control->clock[next].ticks))
                next = p;
        }
        if (next == RF_NO_INDEX)
            return RF_NO_INDEX;
        place = next;
    }
    return place;
}

uint32_t rf_n_clock_moments(const rf_recording *rec)
{
    uint32_t n = 0;
    for (uint32_t p = 0; rec != NULL && p < RF_MAX_CLOCKS; p++)
        n += rec->control.clock[p].real_ns != 0;
    return n;
}

/* The kernel's word counts for its own clock alone. */
static bool is_told(const struct rf_clock_quality *quality)
{
    return (quality->status & RF_CLOCK_TAKEN) != 0 &&
           (quality->status & (RF_CLOCK_NOT_ASKED | RF_CLOCK_FAKED_REAL)) == 0;
}

int rf_clock_moment_at(const rf_recording *rec, uint32_t i, struct rf_clock_moment *out)
{
    const uint32_t place = rec != NULL ? place_of(&rec->control, i) : RF_NO_INDEX;
    if (out == NULL || place == RF_NO_INDEX)
        return RF_ERR_USAGE;
    const struct rf_clock_pair *pair = &rec->control.clock[place];
    const struct rf_clock_quality *quality = quality_of(&rec->control, place);
    const bool has_quality = is_told(quality);
    const struct rf_clock_moment moment = {
        .ticks = pair->ticks,
        .mono_ns = pair->mono_ns,
        .boot_ns = pair->boot_ns,
        .utc_ns = pair->real_ns,
        .max_error_ns = has_quality ? quality->max_error_us * (int64_t)US : -1,
        .est_error_ns = has_quality ? quality->est_error_us * (int64_t)US : -1,
        .is_synchronised = has_quality ? (quality->status & RF_CLOCK_UNSYNC) == 0 : -1,
    };
    return rf_sized_write(out, sizeof(*out), &moment) == RF_SIZED_OK ? RF_OK : RF_ERR_USAGE;
}

/* The kernel's bound is good for nothing where no time source corrects the clock. */
static int64_t utc_error_ns(const rf_recording *rec)
{
    struct rf_clock_moment first = RF_CLOCK_MOMENT_INIT;
    struct rf_recording_origin origin;
    int64_t sum_ns;
    rf_recording_origin(rec, &origin);
    if (rf_clock_moment_at(rec, 0, &first) != RF_OK || first.is_synchronised != 1 ||
        origin.clock_spread_ns < 0 ||
        __builtin_add_overflow(first.max_error_ns, origin.clock_spread_ns, &sum_ns))
        return -1;
    return sum_ns;
}

static int has_status(const struct rf_control *control, uint16_t bit)
{
    for (uint32_t p = 0; p < RF_N_QUALITIES; p++)
        if (control->clock[p].real_ns != 0 && (control->quality[p].status & bit) != 0)
            return 1;
    return 0;
}

int rf_clock_of(const rf_recording *rec, struct rf_clock *out, struct rf_err *err)
{
    if (rec == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_clock_of: rec or out is NULL");
    const uint32_t kind = rec->control.clock_kind;
    struct rf_clock clock = {
        .time_namespace = rec->control.time_namespace,
        .is_counter = kind == RF_CLOCK_TSC || kind == RF_CLOCK_CNTVCT,
        .ticks = rec->epoch_ticks,
        .hz = rec->info.clock_hz,
        .mono_ns = rec->info.epoch_mono_ns,
        .utc_ns = rec->info.epoch_utc_ns,
        .utc_error_ns = utc_error_ns(rec),
        .is_mono_faked = has_status(&rec->control, RF_CLOCK_FAKED_MONO),
        .is_utc_faked = has_status(&rec->control, RF_CLOCK_FAKED_REAL),
        .n_steps = rec->n_clock_steps,
        .step_ns = rec->clock_step_ns,
    };
    memcpy(clock.boot_id, rec->control.boot_id, sizeof(clock.boot_id));
    return rf_sized_write(out, sizeof(*out), &clock) == RF_SIZED_OK
               ? RF_OK
               : rf_fail(err, RF_ERR_USAGE, "rf_clock_of: out->size is not set");
}

double rf_opened_drift(const rf_recording *rec)
{
    return rec != NULL ? rec->drift : 0;
}
