/* SPDX-License-Identifier: Apache-2.0 */
/* Which recordings have one clock, and where they are on it. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/clocks/align_data.h"

/* CLOCK_MONOTONIC and the counter of one machine agree about a distance to this, and to a
 * thousandth of it: the kernel steers the one against the other by half of that at most. */
#define AGREE_NS    1000000
#define AGREE_SHARE 0.001

static bool is_set(const uint8_t id[16])
{
    static const uint8_t none[16];
    return memcmp(id, none, sizeof(none)) != 0;
}

static bool is_sane(int64_t ns)
{
    return ns > -RF_ALIGN_MAX_NS && ns < RF_ALIGN_MAX_NS;
}

/* From time 0 of one recording to that of another by the counter; false: it cannot tell. Rates that
 * do not agree were not measured: one of the recordings is too short. */
static bool counter_distance(const struct rf_clock *from, const struct rf_clock *to, double *ns)
{
    if (!from->is_counter || !to->is_counter || !(from->hz > 0) || from->ticks == 0 ||
        to->ticks == 0 || !(fabs(to->hz - from->hz) <= AGREE_SHARE * from->hz))
        return false;
    *ns = (double)(int64_t)(to->ticks - from->ticks) / from->hz * 1e9;
    return fabs(*ns) < (double)RF_ALIGN_MAX_NS;
}

static void by_counter(struct rf_align_input *input, const struct rf_clock *from, double ns)
{
    double off = input->clock.hz > 0 ? fabs(input->clock.hz - from->hz) / from->hz : 0;
    input->method = RF_ALIGN_COUNTER;
    input->offset_ns = llrint(ns);
    input->uncertainty_ns = llrint(fabs(ns) * off);
}

/* Puts a recording on the clock of the first one of its machine; false: that has another clock. */
static bool put_on(struct rf_align_input *input, const struct rf_clock *from)
{
    const struct rf_clock *clock = &input->clock;
    double ns = 0;
    const bool has_counter = counter_distance(from, clock, &ns);
    const bool has_both = clock->time_namespace != 0 && from->time_namespace != 0;
    const bool is_elsewhere = has_both && clock->time_namespace != from->time_namespace;
    const bool is_here = has_both && !is_elsewhere && !clock->is_mono_faked && !from->is_mono_faked;
    int64_t mono_ns;
    const bool has_mono = !is_elsewhere &&
                          !__builtin_sub_overflow(clock->mono_ns, from->mono_ns, &mono_ns) &&
                          is_sane(mono_ns);
    if (has_mono && (is_here || !has_counter ||
                     fabs((double)mono_ns - ns) <= AGREE_NS + AGREE_SHARE * fabs(ns))) {
        input->method = RF_ALIGN_MONOTONIC;
        input->offset_ns = mono_ns;
        input->uncertainty_ns = 0;
        return true;
    }
    if (has_counter)
        by_counter(input, from, ns);
    return has_counter;
}

static int add_machine(struct rf_align *align, struct rf_align_input *input)
{
    if (rf_grow_array(&align->machine, align->n_machines, &align->machine_room,
                      sizeof(*align->machine)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    input->machine = (uint32_t)align->n_machines;
    input->method = RF_ALIGN_FIRST;
    input->offset_ns = input->uncertainty_ns = 0;
    align->machine[align->n_machines++] = (struct rf_machine){
        .first = (uint32_t)(input - align->input), .uncertainty_ns = -1, .residual_ns = -1};
    return RF_OK;
}

int rf_align_find_machines(struct rf_align *align)
{
    int status = RF_OK;
    for (size_t i = 0; i < align->n && status == RF_OK; i++) {
        struct rf_align_input *input = &align->input[i];
        bool is_found = false;
        for (uint32_t m = 0; is_set(input->clock.boot_id) && m < align->n_machines && !is_found;
             m++) {
            const struct rf_clock *first = &align->input[align->machine[m].first].clock;
            is_found =
                memcmp(first->boot_id, input->clock.boot_id, 16) == 0 && put_on(input, first);
            if (is_found)
                input->machine = m;
        }
        if (!is_found)
            status = add_machine(align, input);
    }
    return status;
}
