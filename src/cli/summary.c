/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/summary.h"

#include <stdio.h>
#include <string.h>

#include "cli/say.h"
#include "log/cuda.h"
#include "log/layout.h"

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

uint64_t cli_summary_n_cuda(const struct cli_summary *summary)
{
    uint64_t n = 0;
    for (size_t i = 0; i < RF_COUNTS_N_CUDA; i++)
        n += summary->packed.counts.n_cuda[i];
    return n;
}

/* Only where all that was recorded is known to be there. */
static int is_whole(const struct rf_packed *packed)
{
    return packed->n_lost_records + packed->n_lost_defs + packed->n_failed_processes +
                   packed->counts.n_cuda_dropped + packed->n_lost_parts + packed->n_damaged_bytes ==
               0 &&
           packed->salvaged == 0;
}

/* What `recover` could not read. */
static void say_damage(const struct rf_packed *packed)
{
    char count[32], size[32];
    if (packed->n_lost_parts > 0)
        cli_say("%s block%s of events %s damaged or missing",
                cli_format_count(count, sizeof(count), packed->n_lost_parts),
                plural(packed->n_lost_parts), packed->n_lost_parts == 1 ? "is" : "are");
    if (packed->n_damaged_bytes > 0)
        cli_say("%s could not be read",
                cli_format_size(size, sizeof(size), packed->n_damaged_bytes));
    if (packed->salvaged & RF_SALVAGED_NO_END)
        cli_say("the end is missing, and nothing says how much it held");
    if (packed->salvaged & RF_SALVAGED_NO_CONTROL)
        cli_say("when and where it was recorded is not known: what said so is damaged or missing");
}

void cli_summary_say_losses(const struct cli_summary *summary)
{
    const struct rf_packed *packed = &summary->packed;
    char count[32], size[32];
    if (packed->n_lost_records > 0)
        cli_say("LOST %s%s event%s (%s)", packed->n_lost_about > 0 ? "about " : "",
                cli_format_count(count, sizeof(count), packed->n_lost_records),
                plural(packed->n_lost_records),
                cli_format_size(size, sizeof(size), packed->lost_bytes));
    if (packed->n_lost_defs > 0)
        cli_say("LOST %s name%s and registered string%s",
                cli_format_count(count, sizeof(count), packed->n_lost_defs),
                plural(packed->n_lost_defs), plural(packed->n_lost_defs));
    if (packed->counts.n_cuda_dropped > 0)
        cli_say("LOST %s record%s of CUDA: CUPTI had no room for them; a shorter "
                "--cuda-flush-interval helps",
                cli_format_count(count, sizeof(count), packed->counts.n_cuda_dropped),
                plural(packed->counts.n_cuda_dropped));
    if (packed->n_failed_processes > 0)
        cli_say("LOST %s whole process%s: no files could be made for them",
                cli_format_count(count, sizeof(count), packed->n_failed_processes),
                packed->n_failed_processes == 1 ? "" : "es");
    say_damage(packed);
}

/* "CUDA: 300 calls, 100 kernels, 2 memcpys" */
static void say_cuda(const struct cli_summary *summary)
{
    static const struct {
        int kind;
        const char *one;
    } kinds[] = {
        {RF_CUDA_API, "call"},
        {RF_CUDA_KERNEL, "kernel"},
        {RF_CUDA_GRAPH, "graph launch"},
        {RF_CUDA_MEMCPY, "memcpy"},
        {RF_CUDA_MEMSET, "memset"},
        {RF_CUDA_MEMORY, "allocation"},
        {RF_CUDA_SYNC, "synchronization"},
        {RF_CUDA_EVENT, "event"},
    };
    char line[512] = "", count[32];
    size_t at = 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        uint64_t n = summary->packed.counts.n_cuda[kinds[i].kind];
        const char *s = n == 1 ? "" : kinds[i].kind == RF_CUDA_GRAPH ? "es" : "s";
        if (n > 0)
            at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s %s%s", at > 0 ? ", " : "",
                                   cli_format_count(count, sizeof(count), n), kinds[i].one, s);
    }
    if (at > 0)
        cli_say("CUDA: %s%s", summary->is_estimate ? "about " : "", line);
    if (summary->packed.counts.n_cuda_untimed > 0)
        cli_say("CUDA: %s of them without a true time; 'rangefinder info' says more",
                cli_format_count(count, sizeof(count), summary->packed.counts.n_cuda_untimed));
}

void cli_summary_say(const struct cli_summary *summary, const char *path)
{
    const struct rf_packed *packed = &summary->packed;
    const uint64_t n_ranges = packed->counts.n_ranges, n_marks = packed->counts.n_marks;
    char size[32], ranges[32], marks[32];
    cli_say("wrote '%s': %s, %s%s range%s and %s mark%s of %u process%s%s", path,
            cli_format_size(size, sizeof(size), packed->size_bytes),
            summary->is_estimate ? "about " : "",
            cli_format_count(ranges, sizeof(ranges), n_ranges), plural(n_ranges),
            cli_format_count(marks, sizeof(marks), n_marks), plural(n_marks), packed->n_processes,
            packed->n_processes == 1 ? "" : "es", is_whole(packed) ? ", nothing lost" : "");
    say_cuda(summary);
    cli_summary_say_losses(summary);
}
