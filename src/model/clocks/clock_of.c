/* SPDX-License-Identifier: Apache-2.0 */
/* rf_clock_of(): what a recording says of its clock. */
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "model/recording.h"
#include "rangefinder/clocks.h"

int rf_clock_of(const rf_recording *rec, struct rf_clock *out, struct rf_err *err)
{
    if (rec == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_clock_of: rec or out is NULL");
    const uint32_t kind = rec->control.clock_kind;
    struct rf_clock clock = {
        .is_counter = kind == RF_CLOCK_TSC || kind == RF_CLOCK_CNTVCT,
        .ticks = rec->epoch_ticks,
        .hz = rec->info.clock_hz,
        .mono_ns = rec->info.epoch_mono_ns,
        .utc_ns = rec->info.epoch_utc_ns,
        .utc_error_ns = -1,
    };
    memcpy(clock.boot_id, rec->control.boot_id, sizeof(clock.boot_id));
    return rf_sized_write(out, sizeof(*out), &clock) == RF_SIZED_OK
               ? RF_OK
               : rf_fail(err, RF_ERR_USAGE, "rf_clock_of: out->size is not set");
}
