/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input_alignment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/amounts.h"
#include "cli/command.h"
#include "cli/input_part.h"
#include "cli/say.h"

#define MAX_MACHINES 8 /* for which there is a line */

/* Clocks alone, or anchors too. */
#define FLAGS_CLOCKS (RF_OPEN_COUNTS | RF_OPEN_NO_DETAILS | RF_OPEN_NO_SAMPLES)
#define FLAGS_EVENTS (RF_OPEN_NO_DETAILS | RF_OPEN_NO_SAMPLES)

struct reading {
    struct cli_alignment *alignment;
    const struct cli_merged_output *merged;
    bool has_anchors;
    size_t n_without;  /* inputs that do not have the range */
    struct rf_err err; /* of the first one of them */
};

static int add(struct reading *reading, const rf_recording *rec, struct rf_err *err)
{
    const char *range = reading->merged->anchor;
    rf_align *align = reading->alignment->align;
    if (!reading->has_anchors) {
        struct rf_clock clock = RF_CLOCK_INIT;
        int status = rf_clock_of(rec, &clock, err);
        return status == RF_OK ? rf_align_add(align, &clock, NULL, 0, err) : status;
    }
    int status = rf_align_add_recording(align, rec, range, err);
    if (status != RF_ERR_NOT_FOUND || range == NULL)
        return status;
    if (reading->n_without++ == 0)
        reading->err = *err;
    return rf_align_add_recording(align, rec, NULL, err);
}

static int read_input(struct reading *reading, size_t i)
{
    static const struct rf_alignment as_it_is = RF_ALIGNMENT_INIT;
    const struct cli_merged_output *of = reading->merged;
    const struct cli_part_request request = {
        .path = of->inputs->input[i].path,
        .place = i,
        .flags = reading->has_anchors ? FLAGS_EVENTS : FLAGS_CLOCKS,
        .filter = of->filter,
        .rank_source = of->rank_source,
        .alignment = reading->has_anchors ? &as_it_is : NULL,
    };
    struct cli_part part;
    struct rf_err err;
    int status = cli_input_part_open(&part, &request, NULL);
    if (status != CLI_OK || part.shown == NULL)
        return status;
    if (add(reading, part.whole, &err) != RF_OK) {
        cli_say("'%s': %s", request.path, err.text);
        status = CLI_FAILED;
    } else {
        reading->alignment->path[reading->alignment->n++] = request.path;
    }
    cli_part_close(&part);
    return status;
}

static int read_all(struct reading *reading)
{
    struct cli_alignment *to = reading->alignment;
    const size_t n = reading->merged->inputs->n;
    struct rf_err err;
    int status = CLI_OK;
    cli_alignment_release(to);
    to->path = calloc(n + 1, sizeof(*to->path));
    if (to->path == NULL || rf_align_new(&to->align, &err) != RF_OK) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    for (size_t i = 0; i < n && status == CLI_OK; i++)
        status = read_input(reading, i);
    if (status == CLI_OK && reading->n_without > 0 && reading->n_without == to->n) {
        cli_say("--anchor: none of the inputs has it: %s", reading->err.text);
        return CLI_FAILED;
    }
    if (status == CLI_OK && rf_align_solve(to->align, &err) != RF_OK) {
        cli_say("%s", err.text);
        status = CLI_FAILED;
    }
    return status;
}

static bool has_machines(const struct cli_alignment *alignment)
{
    struct rf_alignment one = RF_ALIGNMENT_INIT;
    for (uint32_t i = 0; rf_align_at(alignment->align, i, &one) == RF_OK; i++)
        if (one.machine != 0)
            return true;
    return false;
}

int cli_align_inputs(struct cli_alignment *alignment, const struct cli_merged_output *merged)
{
    struct reading reading = {.alignment = alignment, .merged = merged};
    *alignment = (struct cli_alignment){.n = 0};
    int status = read_all(&reading);
    if (status != CLI_OK || !(has_machines(alignment) || merged->anchor != NULL))
        return status;
    reading.has_anchors = true;
    return read_all(&reading);
}

/* ---- What is said ---- */

static const char *plus_minus(char *text, size_t size, int64_t ns)
{
    char width[32];
    if (ns < 0)
        (void)snprintf(text, size, "how exactly is not known");
    else
        (void)snprintf(text, size, "to +-%s", rf_format_duration(width, sizeof(width), ns));
    return text;
}

static void say_anchors(const char *path, const struct rf_alignment *one, const char *width)
{
    char scatter[64] = "", days[64] = "", amount[32];
    if (one->residual_ns >= 0)
        (void)snprintf(scatter, sizeof(scatter), ", which scatter by %s",
                       rf_format_duration(amount, sizeof(amount), one->residual_ns));
    if (one->utc_disagrees_ns != RF_NO_TIME)
        (void)snprintf(days, sizeof(days), "; the time of day is off by %s%s",
                       one->utc_disagrees_ns < 0 ? "-" : "",
                       rf_format_duration(amount, sizeof(amount), llabs(one->utc_disagrees_ns)));
    cli_say("'%s' by %" PRIu64 " anchor%s%s, %s, drift %.3f ppm%s", path, one->n_anchors,
            one->n_anchors == 1 ? "" : "s", scatter, width, 1e6 * one->drift, days);
    if (one->n_left > 0)
        cli_say("'%s': %" PRIu64 " of these ended before the last one had begun, by up to %s: they "
                "do not synchronise, or are not the same",
                path, one->n_left, rf_format_duration(amount, sizeof(amount), one->violation_ns));
    if (one->is_bent)
        cli_say("'%s': its anchors do not lie on one line: a clock was set, or they are not the "
                "same",
                path);
}

static void say_machine(const char *path, const struct rf_alignment *one)
{
    char width[64];
    (void)plus_minus(width, sizeof(width), one->uncertainty_ns);
    if (one->method == RF_ALIGN_ANCHORS)
        say_anchors(path, one, width);
    else if (one->method == RF_ALIGN_REALTIME)
        cli_say("'%s' by the time of day of its machine, %s", path, width);
}

void cli_say_alignment(const struct cli_alignment *alignment)
{
    struct rf_alignment one = RF_ALIGNMENT_INIT;
    uint32_t n_machines = 0;
    if (!has_machines(alignment)) {
        cli_say("%zu recordings of one machine, on its clock: exact", alignment->n);
        return;
    }
    cli_say("%zu recordings on the clock of '%s'", alignment->n, alignment->path[0]);
    for (uint32_t i = 0; rf_align_at(alignment->align, i, &one) == RF_OK; i++) {
        if (one.machine != i || i == 0)
            continue;
        if (n_machines++ < MAX_MACHINES)
            say_machine(alignment->path[i], &one);
    }
    if (n_machines > MAX_MACHINES)
        cli_say("and %u more machines; the file has them all", n_machines - MAX_MACHINES);
}

void cli_alignment_release(struct cli_alignment *alignment)
{
    rf_align_free(alignment->align);
    free(alignment->path);
    *alignment = (struct cli_alignment){.n = 0};
}
