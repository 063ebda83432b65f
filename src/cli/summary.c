/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/summary.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/amounts.h"
#include "cli/say.h"
#include "log/layout.h"
#include "session/session_summary.h"

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Whether nothing was lost, as far as is known. */
static bool is_whole(const struct rf_packed *packed)
{
    return packed->n_lost_records + packed->n_lost_defs + packed->n_failed_processes +
                   packed->counts.n_cuda_dropped + packed->n_lost_parts + packed->n_damaged_bytes ==
               0 &&
           packed->salvaged == 0;
}

/* Prints what `recover` could not read. */
static void say_damage(const struct rf_packed *packed)
{
    char count[32], size[32];
    if (packed->n_lost_parts > 0)
        cli_say("%s block%s of events %s damaged or missing",
                rf_format_count(count, sizeof(count), packed->n_lost_parts),
                plural(packed->n_lost_parts), packed->n_lost_parts == 1 ? "is" : "are");
    if (packed->n_damaged_bytes > 0)
        cli_say("%s could not be read",
                rf_format_size(size, sizeof(size), packed->n_damaged_bytes));
    if (packed->salvaged & RF_SALVAGED_NO_END)
        cli_say("the end is missing; how much it held is unknown");
    if (packed->salvaged & RF_SALVAGED_NO_CONTROL)
        cli_say("when and where it was recorded is unknown: that part is damaged or missing");
}

void cli_summary_say_losses(const struct cli_summary *summary)
{
    const struct rf_packed *packed = &summary->packed;
    char count[32], size[32];
    if (packed->n_lost_records > 0)
        cli_say("LOST %s%s event%s (%s)", packed->n_lost_about > 0 ? "about " : "",
                rf_format_count(count, sizeof(count), packed->n_lost_records),
                plural(packed->n_lost_records),
                rf_format_size(size, sizeof(size), packed->lost_bytes));
    if (packed->n_lost_defs > 0)
        cli_say("LOST %s name%s or registered string%s",
                rf_format_count(count, sizeof(count), packed->n_lost_defs),
                plural(packed->n_lost_defs), plural(packed->n_lost_defs));
    if (packed->counts.n_cuda_dropped > 0)
        cli_say("LOST %s record%s of CUDA: CUPTI had no room for them, or they are not "
                "complete; a shorter --cuda-flush-interval helps",
                rf_format_count(count, sizeof(count), packed->counts.n_cuda_dropped),
                plural(packed->counts.n_cuda_dropped));
    if (packed->n_failed_processes > 0)
        cli_say("LOST %s whole process%s: no files could be made for them",
                rf_format_count(count, sizeof(count), packed->n_failed_processes),
                packed->n_failed_processes == 1 ? "" : "es");
    say_damage(packed);
}

static void say_cuda(const struct cli_summary *summary)
{
    const struct rf_counts *counts = &summary->packed.counts;
    char text[512], count[32];
    if (session_summary_cuda(text, sizeof(text), counts)[0] != '\0')
        cli_say("CUDA: %s%s", summary->is_estimate ? "about " : "", text);
    if (counts->n_cuda_untimed > 0)
        cli_say("CUDA: %s of them without a true time; 'rangefinder info' says more",
                rf_format_count(count, sizeof(count), counts->n_cuda_untimed));
}

/* Calls of NVTX that have no place in a recording. */
static void say_ignored(const struct rf_packed *packed)
{
    char count[32];
    if (packed->n_memory_calls > 0)
        cli_say("%s call%s of NVTX's memory extension outside of captures are not recorded",
                rf_format_count(count, sizeof(count), packed->n_memory_calls),
                plural(packed->n_memory_calls));
    if (packed->n_time_calls > 0)
        cli_say("%s call%s for NVTX's time domains are not recorded",
                rf_format_count(count, sizeof(count), packed->n_time_calls),
                plural(packed->n_time_calls));
}

void cli_summary_say(const struct cli_summary *summary, const char *path)
{
    const struct rf_packed *packed = &summary->packed;
    const uint64_t n_ranges = packed->counts.n_ranges, n_marks = packed->counts.n_marks;
    char size[32], from[64] = "", expanded[32], ranges[32], marks[32];
    if (packed->expanded_bytes > packed->compressed_bytes)
        (void)snprintf(
            from, sizeof(from), ", compressed from %s",
            rf_format_size(expanded, sizeof(expanded),
                           packed->size_bytes - packed->compressed_bytes + packed->expanded_bytes));
    cli_say("wrote '%s': %s%s, %s%s range%s and %s mark%s of %u process%s%s", path,
            rf_format_size(size, sizeof(size), packed->size_bytes), from,
            summary->is_estimate ? "about " : "", rf_format_count(ranges, sizeof(ranges), n_ranges),
            plural(n_ranges), rf_format_count(marks, sizeof(marks), n_marks), plural(n_marks),
            packed->n_processes, packed->n_processes == 1 ? "" : "es",
            is_whole(packed) ? ", nothing lost" : "");
    say_cuda(summary);
    say_ignored(packed);
    cli_summary_say_losses(summary);
}
