/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/info_clocks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/amounts.h"
#include "base/sink.h"
#include "rangefinder/clocks.h"

static void add_boot_id(struct json_out *json, const uint8_t id[16])
{
    char text[2 * 16 + 1];
    unsigned any = 0;
    for (int i = 0; i < 16; i++) {
        (void)snprintf(text + 2 * (size_t)i, 3, "%02x", id[i]);
        any |= id[i];
    }
    json_text(json, "boot_id", any != 0 ? text : NULL);
}

/* -1: it is not known. */
static void add_known(struct json_out *json, const char *name, int64_t value)
{
    json_time(json, name, value >= 0 ? value : RF_NO_TIME);
}

static void add_moment(struct json_out *json, const struct rf_clock_moment *moment)
{
    json_begin_element(json);
    json_open(json, '{');
    json_u64(json, "ticks", moment->ticks);
    json_i64(json, "mono_ns", moment->mono_ns);
    json_i64(json, "boot_ns", moment->boot_ns);
    json_i64(json, "utc_ns", moment->utc_ns);
    add_known(json, "max_error_ns", moment->max_error_ns);
    add_known(json, "est_error_ns", moment->est_error_ns);
    if (moment->is_synchronised < 0)
        json_text(json, "is_synchronised", NULL);
    else
        json_bool(json, "is_synchronised", moment->is_synchronised > 0);
    json_close(json, '}');
}

void info_clocks_json(struct json_out *json, const rf_recording *rec)
{
    struct rf_clock clock = RF_CLOCK_INIT;
    struct rf_clock_moment moment = RF_CLOCK_MOMENT_INIT;
    (void)rf_clock_of(rec, &clock, NULL);
    json_begin_member(json, "clocks");
    json_open(json, '{');
    add_boot_id(json, clock.boot_id);
    json_u64(json, "time_namespace", clock.time_namespace);
    json_bool(json, "is_counter", clock.is_counter != 0);
    json_u64(json, "epoch_ticks", clock.ticks);
    add_known(json, "utc_error_ns", clock.utc_error_ns);
    json_bool(json, "is_mono_faked", clock.is_mono_faked != 0);
    json_bool(json, "is_utc_faked", clock.is_utc_faked != 0);
    json_u64(json, "n_steps", clock.n_steps);
    json_i64(json, "step_ns", clock.step_ns);
    json_begin_member(json, "pairs");
    json_open(json, '[');
    for (uint32_t i = 0; rf_clock_moment_at(rec, i, &moment) == RF_OK; i++)
        add_moment(json, &moment);
    json_close(json, ']');
    json_close(json, '}');
}

const char *info_clocks_note(const rf_recording *rec, char *text, size_t size)
{
    struct rf_clock clock = RF_CLOCK_INIT;
    char amount[32];
    text[0] = '\0';
    if (rf_clock_of(rec, &clock, NULL) != RF_OK)
        return text;
    if (clock.is_mono_faked && clock.is_counter)
        (void)snprintf(text, size,
                       "programs were told another time (libfaketime?): times here are the "
                       "kernel's, the date is what they were told");
    else if (clock.is_mono_faked)
        (void)snprintf(text, size,
                       "programs were told another time (libfaketime?): times here are what they "
                       "were told");
    else if (clock.is_utc_faked)
        (void)snprintf(text, size,
                       "programs were told another date (libfaketime?), which stands "
                       "here");
    else if (clock.n_steps > 0)
        (void)snprintf(text, size,
                       "CLOCK_MONOTONIC was set %u time%s, by %s%s in all; times here follow the "
                       "counter",
                       clock.n_steps, clock.n_steps == 1 ? "" : "s", clock.step_ns < 0 ? "-" : "",
                       rf_format_duration(amount, sizeof(amount), llabs(clock.step_ns)));
    return text;
}
