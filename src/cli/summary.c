/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/summary.h"

#include <stdio.h>
#include <string.h>

#include "cli/say.h"
#include "log/reader.h"

/* How much is looked at in full: a quarter of a second's worth. */
#define MAX_COUNTED_BYTES (512ULL << 20)

static uint64_t load(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof(word));
    return word;
}

static void count_part(struct cli_summary *summary, const struct rf_log_part *part)
{
    const uint8_t *p = part->data + RF_PART_RECORDS_OFFSET;
    const uint8_t *end = part->data + part->size;
    while (end - p >= 8) {
        uint64_t word = load(p);
        uint64_t type = word & ((1u << RF_WORD_TYPE_BITS) - 1);
        uint64_t words = word >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        if (words == 0 && end - p >= 16)
            words = load(p + 8) >> 32;
        if (type == 0 || words == 0 || words > (uint64_t)(end - p) / 8)
            return;
        summary->n_ranges += type == RF_REC_PUSH || type == RF_REC_START;
        summary->n_marks += type == RF_REC_MARK;
        p += words * 8;
    }
}

static void count_parts(struct cli_summary *summary, const struct rf_log *log)
{
    uint64_t all = 0, seen = 0;
    for (size_t i = 0; i < log->n_parts; i++)
        all += log->part[i].size;
    size_t step = (size_t)(1 + all / MAX_COUNTED_BYTES);
    for (size_t i = 0; i < log->n_parts; i += step) {
        count_part(summary, &log->part[i]);
        seen += log->part[i].size;
    }
    if (step > 1 && seen > 0) {
        double scale = (double)all / (double)seen;
        summary->is_estimate = 1;
        summary->n_ranges = (uint64_t)((double)summary->n_ranges * scale);
        summary->n_marks = (uint64_t)((double)summary->n_marks * scale);
    }
}

int cli_summary_read(struct cli_summary *summary, const char *path, struct rf_err *err)
{
    struct rf_log log;
    memset(summary, 0, sizeof(*summary));
    int status = rf_log_open(&log, path, 0, err);
    if (status != RF_OK)
        return status;
    summary->size_bytes = log.size_bytes;
    summary->n_processes = (uint32_t)log.n_processes;
    summary->n_lost_records = log.control.lost_records;
    summary->lost_bytes = log.control.lost_bytes;
    summary->n_lost_defs = log.control.lost_defs;
    summary->n_failed_processes = log.control.n_failed_processes;
    summary->n_stalls = log.control.n_stalls;
    summary->stall_ns = log.control.stall_ns;
    count_parts(summary, &log);
    rf_log_close(&log);
    return RF_OK;
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void cli_summary_say_losses(const struct cli_summary *summary)
{
    char count[32], size[32];
    if (summary->n_lost_records > 0)
        cli_say("LOST %s event%s (%s)",
                cli_format_count(count, sizeof(count), summary->n_lost_records),
                plural(summary->n_lost_records),
                cli_format_size(size, sizeof(size), summary->lost_bytes));
    if (summary->n_lost_defs > 0)
        cli_say("LOST %s name%s and registered string%s",
                cli_format_count(count, sizeof(count), summary->n_lost_defs),
                plural(summary->n_lost_defs), plural(summary->n_lost_defs));
    if (summary->n_failed_processes > 0)
        cli_say("LOST %s whole process%s: no files could be made for them",
                cli_format_count(count, sizeof(count), summary->n_failed_processes),
                summary->n_failed_processes == 1 ? "" : "es");
}

void cli_summary_say(const struct cli_summary *summary, const char *path)
{
    char size[32], ranges[32], marks[32];
    int is_whole =
        summary->n_lost_records + summary->n_lost_defs + summary->n_failed_processes == 0;
    cli_say("wrote '%s': %s, %s%s range%s and %s mark%s of %u process%s%s", path,
            cli_format_size(size, sizeof(size), summary->size_bytes),
            summary->is_estimate ? "about " : "",
            cli_format_count(ranges, sizeof(ranges), summary->n_ranges), plural(summary->n_ranges),
            cli_format_count(marks, sizeof(marks), summary->n_marks), plural(summary->n_marks),
            summary->n_processes, summary->n_processes == 1 ? "" : "es",
            is_whole ? ", nothing lost" : "");
    cli_summary_say_losses(summary);
}
