/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/sized.h"
#include "model/clocks/align_data.h"
#include "model/clocks/anchors.h"

const char *rf_align_method_name(int method)
{
    static const char *const names[] = {
        [RF_ALIGN_NONE] = "none",           [RF_ALIGN_FIRST] = "first input",
        [RF_ALIGN_MONOTONIC] = "monotonic", [RF_ALIGN_COUNTER] = "counter",
        [RF_ALIGN_REALTIME] = "realtime",   [RF_ALIGN_ANCHORS] = "anchors",
    };
    return method >= 0 && method < (int)(sizeof(names) / sizeof(names[0])) ? names[method] : NULL;
}

int rf_align_new(rf_align **out, struct rf_err *err)
{
    if (out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_align_new: out is NULL");
    *out = calloc(1, sizeof(**out));
    return *out != NULL ? RF_OK : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

static void drop_solution(rf_align *align)
{
    free(align->machine);
    free(align->meeting);
    align->machine = NULL;
    align->meeting = NULL;
    align->n_machines = align->machine_room = align->n_meetings = 0;
    align->is_solved = false;
}

void rf_align_free(rf_align *align)
{
    if (align == NULL)
        return;
    drop_solution(align);
    for (size_t i = 0; i < align->n; i++)
        free(align->input[i].anchor);
    free(align->input);
    free(align);
}

int rf_align_add(rf_align *align, const struct rf_clock *clock, const struct rf_anchor *anchor,
                 size_t n, struct rf_err *err)
{
    struct rf_align_input input = {.n_anchors = n};
    if (align == NULL || clock == NULL || (anchor == NULL && n > 0))
        return rf_fail(err, RF_ERR_USAGE, "rf_align_add: an argument is NULL");
    int status = rf_sized_options(&input.clock, sizeof(input.clock), clock, "rf_clock", err);
    if (status != RF_OK)
        return status;
    input.anchor = n < SIZE_MAX / sizeof(*anchor) ? malloc((n + 1) * sizeof(*anchor)) : NULL;
    if (input.anchor == NULL ||
        rf_grow_array(&align->input, align->n, &align->room, sizeof(input)) != RF_OK) {
        free(input.anchor);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    if (n > 0)
        memcpy(input.anchor, anchor, n * sizeof(*anchor));
    align->input[align->n++] = input;
    align->is_solved = false;
    return RF_OK;
}

int rf_align_add_recording(rf_align *align, const rf_recording *rec, const char *range,
                           struct rf_err *err)
{
    struct rf_clock clock = RF_CLOCK_INIT;
    struct rf_anchors anchors = {.n = 0};
    if (align == NULL || rec == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_align_add_recording: align or rec is NULL");
    int status = rf_clock_of(rec, &clock, err);
    align->trusts_anchors |= range != NULL;
    if (status == RF_OK)
        status = rf_anchors_find(rec, range, &anchors, err);
    if (status == RF_OK)
        status = rf_align_add(align, &clock, anchors.item, anchors.n, err);
    rf_anchors_release(&anchors);
    return status;
}

/* ---- Results ---- */

/* The method of a recording: that of its machine, unless it shares the clock of an earlier one. */
static void set_result(rf_align *align, struct rf_align_input *input)
{
    const struct rf_machine *machine = &align->machine[input->machine];
    const struct rf_clock *first = &align->input[0].clock, *clock = &input->clock;
    struct rf_alignment *to = &input->result;
    int64_t by_day_ns;
    *to = (struct rf_alignment)RF_ALIGNMENT_INIT;
    to->method = input->method == RF_ALIGN_FIRST ? machine->method : input->method;
    to->machine = machine->first;
    to->offset_ns = rf_machine_ns(machine, input->offset_ns);
    to->drift = machine->drift;
    to->uncertainty_ns =
        machine->uncertainty_ns < 0 ? -1 : machine->uncertainty_ns + input->uncertainty_ns;
    to->n_anchors = machine->n_anchors;
    to->residual_ns = machine->residual_ns;
    to->n_violations = machine->n_violations;
    to->n_left = machine->n_left;
    to->violation_ns = machine->violation_ns;
    to->moved_ns = machine->moved_ns;
    to->is_bent = machine->is_bent;
    if (first->utc_ns > 0 && clock->utc_ns > 0 &&
        !__builtin_sub_overflow(clock->utc_ns, first->utc_ns, &by_day_ns) &&
        !__builtin_sub_overflow(by_day_ns, to->offset_ns, &by_day_ns))
        to->utc_disagrees_ns = by_day_ns;
}

int rf_align_solve(rf_align *align, struct rf_err *err)
{
    if (align == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_align_solve: align is NULL");
    drop_solution(align);
    int status = rf_align_find_machines(align);
    if (status == RF_OK)
        status = rf_align_find_meetings(align);
    if (status == RF_OK)
        status = rf_align_place(align);
    if (status == RF_OK)
        status = rf_align_keep_order(align);
    if (status == RF_OK)
        status = rf_align_bound(align);
    if (status == RF_OK)
        rf_align_add_roots(align);
    for (size_t i = 0; i < align->n && status == RF_OK; i++)
        set_result(align, &align->input[i]);
    align->is_solved = status == RF_OK;
    return status == RF_OK ? RF_OK : rf_fail(err, status, "out of memory");
}

int rf_align_at(const rf_align *align, uint32_t i, struct rf_alignment *out)
{
    if (align == NULL || out == NULL || !align->is_solved || i >= align->n)
        return RF_ERR_USAGE;
    return rf_sized_write(out, sizeof(*out), &align->input[i].result) == RF_SIZED_OK ? RF_OK
                                                                                     : RF_ERR_USAGE;
}

int64_t rf_aligned_ns(const struct rf_alignment *alignment, int64_t at_ns)
{
    struct rf_alignment read;
    int64_t sum_ns;
    if (alignment == NULL || rf_sized_read(&read, sizeof(read), alignment) != RF_SIZED_OK ||
        __builtin_add_overflow(at_ns, read.offset_ns, &sum_ns))
        return at_ns;
    const double more = read.drift * (double)at_ns;
    const bool is_sane = more > -(double)RF_ALIGN_MAX_NS && more < (double)RF_ALIGN_MAX_NS;
    return is_sane && !__builtin_add_overflow(sum_ns, (int64_t)more, &at_ns) ? at_ns : sum_ns;
}
