/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/info_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/amounts.h"
#include "base/escape.h"
#include "base/sink.h"
#include "cli/text_out.h"
#include "cli/say.h"
#include "cli/verbs/info_clocks.h"

#define N_KINDS 256 /* in struct rf_work_counts */

#define LABEL_WIDTH 12
#define MAX_LINES   50 /* lines of a list; --json has all */

static void put_label(struct rf_sink *sink, const char *label)
{
    rf_sink_text(sink, label);
    rf_sink_pad(sink, LABEL_WIDTH - strlen(label));
}

__attribute__((format(printf, 3, 4))) static void put_line(struct rf_sink *sink, const char *label,
                                                           const char *format, ...)
{
    char text[1200];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    put_label(sink, label);
    if (n > 0)
        rf_sink_printable(sink, text, strlen(text));
    rf_sink_char(sink, '\n');
}

static void put_string(struct rf_sink *sink, const rf_recording *rec, uint32_t id,
                       const char *otherwise)
{
    size_t size;
    const char *text = rf_string(rec, id, &size);
    if (text == NULL)
        rf_sink_text(sink, otherwise);
    else
        rf_sink_printable(sink, text, size);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* The wall clock of the place where it was recorded. */
static void put_start(struct rf_sink *sink, const struct rf_info *info)
{
    char when[80] = "at an unknown time";
    struct tm tm;
    time_t local = (time_t)(info->epoch_utc_ns / 1000000000) + info->utc_offset_s;
    int offset = info->utc_offset_s < 0 ? -info->utc_offset_s : info->utc_offset_s;
    if (info->epoch_utc_ns != 0 && gmtime_r(&local, &tm) != NULL) {
        size_t n = strftime(when, sizeof(when) - 16, "%Y-%m-%d %H:%M:%S", &tm);
        (void)snprintf(when + n, sizeof(when) - n, " %c%02d:%02d",
                       info->utc_offset_s < 0 ? '-' : '+', offset / 3600, offset / 60 % 60);
    }
    put_line(sink, "started", "%s on %s, by %s", when,
             info->host[0] != '\0' ? info->host : "an unknown machine", info->product);
    if (info->epoch_utc_ns == 0 && info->is_import)
        put_line(sink, "",
                 strcmp(info->import_reader, "json") == 0
                     ? "(the trace has no baseTimeNanoseconds)"
                     : "(its table TARGET_INFO_SESSION_START_TIME is missing: to have it, export "
                       "the report with 'nsys export -t sqlite')");
}

/* "3 of 8, local rank 1" */
static void put_rank(struct rf_sink *sink, const struct rf_info *info)
{
    char size[24] = "", local[40] = "";
    if (info->world_size >= 0)
        (void)snprintf(size, sizeof(size), " of %d", info->world_size);
    if (info->local_rank >= 0)
        (void)snprintf(local, sizeof(local), ", local rank %d", info->local_rank);
    if (info->rank >= 0)
        put_line(sink, "rank", "%d%s%s", info->rank, size, local);
    else if (info->world_size >= 0)
        put_line(sink, "rank", "several%s", size);
}

static void put_ending(struct rf_sink *sink, const struct rf_info *info)
{
    if (info->is_live)
        put_line(sink, "state", "the program was still running at this moment");
    else if (!info->is_finished)
        put_line(sink, "state", "left behind: the command line did not see the end");
    else if (!info->is_root_ended && info->root_pid != 0 && info->was_live)
        put_line(sink, "state", "program %u was still running when this was written",
                 info->root_pid);
    else if (!info->is_root_ended && info->root_pid != 0)
        put_line(sink, "state", "program %u has ended; how is not known", info->root_pid);
    else if (info->root_signal != 0)
        put_line(sink, "state", "program %u was ended by signal %d (%s)", info->root_pid,
                 info->root_signal, strsignal(info->root_signal));
    else if (info->root_pid != 0)
        put_line(sink, "state", "program %u ended with status %d", info->root_pid,
                 info->root_status);
}

/* The captures of a focused recording. */
static void put_captures(struct rf_sink *sink, const rf_recording *rec)
{
    const uint32_t most = 10;
    uint32_t n = rf_n_captures(rec);
    char a[32], b[32];
    if (!rf_get_info(rec)->is_focused)
        return;
    if (n == 0)
        put_line(sink, "captures", "none has begun");
    for (uint32_t i = 0; i < n; i++) {
        const struct rf_capture_info *capture = rf_capture_at(rec, i);
        if (n > most && i == most - 1 && i + 1 < n) {
            put_line(sink, "", "... and %u more (--json lists all)", n - i);
            break;
        }
        put_line(sink, i == 0 ? "captures" : "", "%u: from %s, for %s%s", capture->number,
                 rf_format_duration(a, sizeof(a), capture->begin_ns),
                 rf_format_duration(b, sizeof(b), capture->end_ns - capture->begin_ns),
                 capture->is_open ? ", not ended" : "");
    }
}

static void put_events(struct rf_sink *sink, const struct rf_info *info)
{
    char a[32], b[32];
    put_line(sink, "events", "%s range%s, %s mark%s", rf_format_count(a, sizeof(a), info->n_ranges),
             plural(info->n_ranges), rf_format_count(b, sizeof(b), info->n_marks),
             plural(info->n_marks));
    for (int i = 1; i < RF_CUT_REASONS; i++)
        if (info->n_cut_by[i] > 0)
            put_line(sink, "cut", "%s range%s: %s",
                     rf_format_count(a, sizeof(a), info->n_cut_by[i]), plural(info->n_cut_by[i]),
                     rf_cut_name(i));
    if (info->n_cut_at_start > 0)
        put_line(sink, "cut", "%s range%s: open when a capture began",
                 rf_format_count(a, sizeof(a), info->n_cut_at_start), plural(info->n_cut_at_start));
    if (info->n_unmatched_ends > 0)
        put_line(sink, "unmatched", "%s end%s without a begin",
                 rf_format_count(a, sizeof(a), info->n_unmatched_ends),
                 plural(info->n_unmatched_ends));
    if (info->n_foreign_ends > 0)
        put_line(sink, "unmatched", "%s end%s of ranges of other processes",
                 rf_format_count(a, sizeof(a), info->n_foreign_ends), plural(info->n_foreign_ends));
}

/* "the last 2.1 s (64 MB asked for); 1,234,567 older events are gone" */
static void put_piece(struct rf_sink *sink, const rf_recording *rec)
{
    const struct rf_piece_info *piece = rf_get_piece(rec);
    char a[32], b[32];
    if (piece == NULL)
        return;
    put_line(sink, "file", "%u of the run, %s after its beginning; %s", piece->number,
             rf_format_duration(a, sizeof(a), piece->begin_ns),
             piece->goes_on ? "the next one goes on" : "the last");
    if (piece->n_removed > 0)
        put_line(sink, "removed", "%s older file%s with %s",
                 rf_format_count(a, sizeof(a), piece->n_removed), piece->n_removed == 1 ? "" : "s",
                 rf_format_size(b, sizeof(b), piece->removed_bytes));
}

static void put_ring(struct rf_sink *sink, const rf_recording *rec)
{
    const struct rf_ring_info *ring = rf_get_ring(rec);
    char a[32], b[32];
    if (ring == NULL)
        return;
    const int64_t kept_ns = rf_get_info(rec)->end_ns - ring->kept_from_ns;
    if (ring->n_recycled == 0 && ring->recycled_bytes > 0)
        put_line(sink, "ring", "%s asked for; %s of older samples of GPUs are gone",
                 rf_format_size(a, sizeof(a), ring->size_bytes),
                 rf_format_size(b, sizeof(b), ring->recycled_bytes));
    else if (ring->n_recycled == 0)
        put_line(sink, "ring", "%s asked for; nothing had to go",
                 rf_format_size(a, sizeof(a), ring->size_bytes));
    else
        put_line(sink, "ring", "the last %s of all threads; %s older record%s gone",
                 rf_format_duration(a, sizeof(a), kept_ns > 0 ? kept_ns : 0),
                 rf_format_count(b, sizeof(b), ring->n_recycled),
                 ring->n_recycled == 1 ? " is" : "s are");
    if (ring->snapshot > 0)
        put_line(sink, "snapshot", "%u: %s%s%s%s%s", ring->snapshot, ring->reason,
                 ring->rule[0] != '\0' ? ", by " : "", ring->rule,
                 ring->value_ns != RF_NO_TIME ? ": " : "",
                 ring->value_ns != RF_NO_TIME ? rf_format_duration(a, sizeof(a), ring->value_ns)
                                              : "");
}

static void put_losses(struct rf_sink *sink, const struct rf_info *info)
{
    char a[32], b[32];
    if (info->n_lost_records + info->n_lost_defs + info->n_failed_processes + info->n_cuda_dropped +
                info->n_lost_parts + info->n_damaged_bytes ==
            0 &&
        !info->is_end_missing)
        put_line(sink, "lost", "nothing");
    if (info->is_end_missing)
        put_line(sink, "lost", "the end; how many events it held is not known");
    if (info->n_lost_records > 0)
        put_line(sink, "lost", "%s%s event%s (%s)", info->n_lost_about > 0 ? "about " : "",
                 rf_format_count(a, sizeof(a), info->n_lost_records), plural(info->n_lost_records),
                 rf_format_size(b, sizeof(b), info->lost_bytes));
    /* otherwise the blocks are those of the events that are counted as lost */
    const bool is_damaged =
        info->n_damaged_bytes > 0 || info->n_lost_about > 0 || info->n_lost_records == 0;
    if (info->n_lost_defs > 0)
        put_line(sink, "lost", "%s name%s or registered string%s",
                 rf_format_count(a, sizeof(a), info->n_lost_defs), plural(info->n_lost_defs),
                 plural(info->n_lost_defs));
    if (info->n_cuda_dropped > 0)
        put_line(sink, "lost",
                 "%s record%s of CUDA: CUPTI had no room for them, or they are "
                 "not complete",
                 rf_format_count(a, sizeof(a), info->n_cuda_dropped), plural(info->n_cuda_dropped));
    if (info->n_failed_processes > 0)
        put_line(sink, "lost", "%s whole process%s",
                 rf_format_count(a, sizeof(a), info->n_failed_processes),
                 info->n_failed_processes == 1 ? "" : "es");
    if (info->n_lost_parts > 0)
        put_line(sink, is_damaged ? "damaged" : "lost",
                 "%s block%s of events not whole or missing%s",
                 rf_format_count(a, sizeof(a), info->n_lost_parts), plural(info->n_lost_parts),
                 is_damaged ? "" : ", with these");
    if (info->n_damaged_bytes > 0)
        put_line(sink, "damaged", "%s skipped",
                 rf_format_size(a, sizeof(a), info->n_damaged_bytes));
    if (info->n_memory_calls > 0)
        put_line(sink, "not recorded", "%s call%s of NVTX's memory extension",
                 rf_format_count(a, sizeof(a), info->n_memory_calls), plural(info->n_memory_calls));
    if (info->n_time_calls > 0)
        put_line(sink, "not recorded", "%s call%s for NVTX's time domains",
                 rf_format_count(a, sizeof(a), info->n_time_calls), plural(info->n_time_calls));
    if (info->n_uncaptured > 0)
        put_line(sink, "not recorded",
                 "%s call%s that submitted deferred events or samples outside of captures",
                 rf_format_count(a, sizeof(a), info->n_uncaptured), plural(info->n_uncaptured));
    if (info->n_stalls > 0)
        put_line(sink, "stalls", "%s time%s a thread had to write itself, %s in all",
                 rf_format_count(a, sizeof(a), info->n_stalls), plural(info->n_stalls),
                 rf_format_duration(b, sizeof(b), (int64_t)info->stall_ns));
}

/* "198 cuda_overhead, 3 memory", the kinds by number. */
static void put_extras(struct rf_sink *sink, const struct rf_work_counts *counts)
{
    const uint64_t *n_of = counts->n_extras;
    char line[1024], a[32];
    size_t at = 0;
    for (int kind = 0; kind < N_KINDS; kind++)
        if (n_of[kind] > 0 && rf_extra_kind_name(kind) != NULL && at < sizeof(line) - 64)
            at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s %s", at > 0 ? ", " : "",
                                   rf_format_count(a, sizeof(a), n_of[kind]),
                                   rf_extra_kind_name(kind));
    if (at > 0)
        put_line(sink, "also", "%s", line);
}

static void put_counters(struct rf_sink *sink, const rf_recording *rec)
{
    char a[32];
    const uint64_t n = rf_get_info(rec)->n_samples;
    if (rf_n_counters(rec) > 0)
        put_line(sink, "counters", "%u, with %s sample%s", rf_n_counters(rec),
                 rf_format_count(a, sizeof(a), n), plural(n));
}

/* "12 of CUDA, 130 of the operating system" */
static void put_calls(struct rf_sink *sink, const struct rf_work_counts *counts)
{
    char a[32], b[32];
    const uint64_t n_cuda = counts->n_cuda_calls, n_os = counts->n_os_calls;
    if (n_cuda > 0 && n_os > 0)
        put_line(sink, "calls", "%s of CUDA, %s of the operating system",
                 rf_format_count(a, sizeof(a), n_cuda), rf_format_count(b, sizeof(b), n_os));
    else if (n_cuda + n_os > 0)
        put_line(sink, "calls", "%s of %s", rf_format_count(a, sizeof(a), n_cuda + n_os),
                 n_cuda > 0 ? "CUDA" : "the operating system");
}

/* "5 kernels, 1 memcpy on 2 streams" */
static void put_gpu(struct rf_sink *sink, const rf_recording *rec,
                    const struct rf_work_counts *counts)
{
    char line[512], a[32];
    size_t at = 0;
    for (int kind = 0; kind < N_KINDS; kind++) {
        uint64_t n = counts->n_ops[kind];
        if (n > 0 && at < sizeof(line))
            at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s %s%s", at > 0 ? ", " : "",
                                   rf_format_count(a, sizeof(a), n), rf_gpu_op_kind_name(kind),
                                   plural(n));
    }
    if (at > 0)
        put_line(sink, "GPU", "%s on %u stream%s", line, rf_n_gpu_tracks(rec),
                 plural(rf_n_gpu_tracks(rec)));
}

/* What is known beyond annotations, and what an import left out. */
static void put_work(struct rf_sink *sink, const rf_recording *rec,
                     const struct rf_work_counts *counts)
{
    const struct rf_skipped *skipped;
    /* nothing is left out of our own recordings: what is impossible is marked */
    const char *label = rf_get_info(rec)->is_import ? "not read" : "marked";
    char a[32];
    put_calls(sink, counts);
    put_gpu(sink, rec, counts);
    put_counters(sink, rec);
    put_extras(sink, counts);
    for (uint32_t i = 0; (skipped = rf_skipped_at(rec, i)) != NULL; i++)
        put_line(sink, i == 0 ? label : "", "%s: %s (%s row%s)", skipped->table, skipped->reason,
                 rf_format_count(a, sizeof(a), skipped->n_rows), plural(skipped->n_rows));
}

static void put_general(struct rf_sink *sink, const rf_recording *rec,
                        const struct rf_work_counts *counts)
{
    const struct rf_info *info = rf_get_info(rec);
    char a[32], b[32], note[160];
    const char *message;
    put_line(sink, "recording", "%s (%s%s%s)", info->path,
             rf_format_size(a, sizeof(a), info->size_bytes),
             info->expanded_bytes > info->size_bytes ? ", compressed from " : "",
             info->expanded_bytes > info->size_bytes
                 ? rf_format_size(b, sizeof(b), info->expanded_bytes)
                 : "");
    put_start(sink, info);
    put_rank(sink, info);
    put_line(sink, "duration", "%s", rf_format_duration(a, sizeof(a), info->end_ns));
    put_line(sink, "clock", "%s, %.3f MHz", info->clock_name, info->clock_hz / 1e6);
    if (info_clocks_note(rec, note, sizeof(note))[0] != '\0')
        put_line(sink, "", "%s", note);
    put_ending(sink, info);
    put_captures(sink, rec);
    put_events(sink, info);
    put_ring(sink, rec);
    put_piece(sink, rec);
    put_losses(sink, info);
    put_work(sink, rec, counts);
    for (size_t i = 0; (message = rf_message_at(rec, i)) != NULL; i++)
        put_line(sink, "message", "%s", message);
}

/* Prints the heading of a list; returns how many of its lines to print. */
static uint32_t put_heading(struct rf_sink *sink, const char *name, uint32_t n, const char *columns)
{
    char line[160];
    (void)snprintf(line, sizeof(line), "\n%s (%u)\n%s\n", name, n, columns);
    rf_sink_text(sink, line);
    return n < MAX_LINES ? n : MAX_LINES;
}

static void put_rest(struct rf_sink *sink, uint32_t n)
{
    char line[64];
    if (n <= MAX_LINES)
        return;
    (void)snprintf(line, sizeof(line), "  ... and %u more (--json lists all)\n", n - MAX_LINES);
    rf_sink_text(sink, line);
}

static void put_processes(struct rf_sink *sink, const rf_recording *rec)
{
    uint32_t n = rf_n_processes(rec);
    uint32_t n_lines =
        put_heading(sink, "processes", n, "       pid    parent       events  command");
    for (uint32_t i = 0; i < n_lines; i++) {
        const struct rf_process *process = rf_process_at(rec, i);
        char line[64], count[32];
        (void)snprintf(line, sizeof(line), "%10u %9u%13s  ", process->pid, process->ppid,
                       rf_format_count(count, sizeof(count), process->n_annotations));
        rf_sink_text(sink, line);
        put_string(sink, rec, process->command, "?");
        rf_sink_char(sink, '\n');
    }
    put_rest(sink, n);
}

static void put_threads(struct rf_sink *sink, const rf_recording *rec)
{
    uint32_t n = rf_n_threads(rec);
    uint32_t n_lines = put_heading(sink, "threads", n, "       pid       tid       events  name");
    for (uint32_t i = 0; i < n_lines; i++) {
        const struct rf_thread *thread = rf_thread_at(rec, i);
        char line[64], count[32];
        (void)snprintf(line, sizeof(line), "%10u %9u%13s  ",
                       rf_process_at(rec, thread->process)->pid, thread->tid,
                       rf_format_count(count, sizeof(count), thread->n_events));
        rf_sink_text(sink, line);
        put_string(sink, rec, thread->name, "");
        rf_sink_char(sink, '\n');
    }
    put_rest(sink, n);
}

static void put_domains(struct rf_sink *sink, const rf_recording *rec)
{
    uint32_t n = rf_n_domains(rec);
    uint32_t n_lines = put_heading(sink, "domains", n, "       pid        id       events  name");
    for (uint32_t i = 0; i < n_lines; i++) {
        const struct rf_domain *domain = rf_domain_at(rec, i);
        char line[64], count[32];
        (void)snprintf(line, sizeof(line), "%10u %9u%13s  ",
                       rf_process_at(rec, domain->process)->pid, domain->id,
                       rf_format_count(count, sizeof(count), domain->n_annotations));
        rf_sink_text(sink, line);
        put_string(sink, rec, domain->name,
                   !domain->is_valid ? "(invalid handle)"
                   : domain->id == 0 ? "(default)"
                                     : "(NULL)");
        rf_sink_char(sink, '\n');
    }
    put_rest(sink, n);
}

int info_print(const rf_recording *rec, const struct rf_work_counts *counts, struct rf_err *err)
{
    struct text_out out;
    int status = text_begin(&out, err);
    if (status != RF_OK)
        return status;
    put_general(&out.sink, rec, counts);
    put_processes(&out.sink, rec);
    put_threads(&out.sink, rec);
    put_domains(&out.sink, rec);
    return text_end(&out, err);
}
