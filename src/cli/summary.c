/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/say.h"
#include "log/chunks.h"
#include "log/cuda.h"

/* How much is looked at in full: a quarter of a second's worth. */
#define MAX_COUNTED_BYTES (512ULL << 20)

/* Whether start and end, words 2 and 3 of these kinds, are no times. */
static int is_untimed(uint64_t kind, const uint8_t *p, uint64_t words)
{
    uint64_t start = words > 2 ? rf_load64(p + 16) : 0, end = words > 3 ? rf_load64(p + 24) : 0;
    int has_times = kind <= RF_CUDA_GRAPH || kind == RF_CUDA_OVERHEAD;
    return has_times && (start == 0 || end < start);
}

/* p: an RF_REC_CUDA record. */
static void count_cuda(struct cli_summary *summary, const uint8_t *p, uint64_t words)
{
    uint64_t kind = words > 1 ? rf_load64(p + 8) & 0xff : 0;
    if (kind == RF_CUDA_DROPPED)
        summary->n_cuda_dropped += words > 2 ? rf_load64(p + 16) : 0;
    else if (kind > 0 && kind < CLI_SUMMARY_N_CUDA)
        summary->n_cuda[kind]++;
    summary->n_cuda_untimed += kind > 0 && is_untimed(kind, p, words);
}

/* part: a PART chunk, its header included. */
static void count_part(struct cli_summary *summary, const uint8_t *part, uint64_t size)
{
    const uint8_t *p = part + RF_PART_RECORDS_OFFSET;
    const uint8_t *end = part + size;
    while (end - p >= 8) {
        uint64_t word = rf_load64(p);
        uint64_t type = word & ((1u << RF_WORD_TYPE_BITS) - 1);
        uint64_t words = word >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        if (words == 0 && end - p >= 16)
            words = rf_load64(p + 8) >> 32;
        if (type == 0 || words == 0 || words > (uint64_t)(end - p) / 8)
            return;
        summary->n_ranges += type == RF_REC_PUSH || type == RF_REC_START;
        summary->n_marks += type == RF_REC_MARK;
        if (type == RF_REC_CUDA)
            count_cuda(summary, p, words);
        p += words * 8;
    }
}

static void take_control(struct cli_summary *summary, const uint8_t *data, uint64_t size)
{
    struct rf_control control;
    if (size < sizeof(control))
        return;
    memcpy(&control, data, sizeof(control));
    summary->n_lost_records = control.lost_records;
    summary->lost_bytes = control.lost_bytes;
    summary->n_lost_defs = control.lost_defs;
    summary->n_failed_processes = control.n_failed_processes;
}

/* Walks over all chunks and into every step-th part, so that a large file takes no time. */
static void count_chunks(struct cli_summary *summary, const uint8_t *data, uint64_t size)
{
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    uint64_t step = 1 + size / MAX_COUNTED_BYTES, i = 0, all = 0, seen = 0;
    rf_chunk_walk_init(&walk, data, size, sizeof(struct rf_file_header));
    while (rf_chunk_walk_next(&walk, &chunk)) {
        const uint8_t *payload = data + chunk.offset + sizeof(struct rf_chunk_header);
        summary->n_processes += chunk.header.type == RF_CHUNK_DEFS && chunk.header.seq == 0;
        if (chunk.header.type == RF_CHUNK_SESSION && chunk.is_complete)
            take_control(summary, payload, chunk.header.size);
        if (chunk.header.type != RF_CHUNK_PART || chunk.size < RF_PART_RECORDS_OFFSET)
            continue;
        all += chunk.size;
        if (i++ % step != 0)
            continue;
        seen += chunk.size;
        count_part(summary, data + chunk.offset, chunk.size);
    }
    if (step > 1 && seen > 0) {
        double scale = (double)all / (double)seen;
        summary->is_estimate = 1;
        summary->n_ranges = (uint64_t)((double)summary->n_ranges * scale);
        summary->n_marks = (uint64_t)((double)summary->n_marks * scale);
        for (size_t kind = 0; kind < CLI_SUMMARY_N_CUDA; kind++)
            summary->n_cuda[kind] = (uint64_t)((double)summary->n_cuda[kind] * scale);
        summary->n_cuda_untimed = (uint64_t)((double)summary->n_cuda_untimed * scale);
    }
}

int cli_summary_read(struct cli_summary *summary, const char *path, struct rf_err *err)
{
    struct stat st;
    void *data = MAP_FAILED;
    memset(summary, 0, sizeof(*summary));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0)
        data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    int code = errno;
    if (fd >= 0)
        (void)close(fd);
    if (data == MAP_FAILED)
        return rf_fail(err, RF_ERR_IO, "cannot read '%s': %s", path, strerror(code));
    summary->size_bytes = (uint64_t)st.st_size;
    count_chunks(summary, data, summary->size_bytes);
    (void)munmap(data, (size_t)st.st_size);
    return RF_OK;
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

uint64_t cli_summary_n_cuda(const struct cli_summary *summary)
{
    uint64_t n = 0;
    for (size_t i = 0; i < CLI_SUMMARY_N_CUDA; i++)
        n += summary->n_cuda[i];
    return n;
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
    if (summary->n_cuda_dropped > 0)
        cli_say("LOST %s record%s of CUDA: CUPTI had no room for them; a shorter "
                "--cuda-flush-interval helps",
                cli_format_count(count, sizeof(count), summary->n_cuda_dropped),
                plural(summary->n_cuda_dropped));
    if (summary->n_failed_processes > 0)
        cli_say("LOST %s whole process%s: no files could be made for them",
                cli_format_count(count, sizeof(count), summary->n_failed_processes),
                summary->n_failed_processes == 1 ? "" : "es");
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
        uint64_t n = summary->n_cuda[kinds[i].kind];
        const char *s = n == 1 ? "" : kinds[i].kind == RF_CUDA_GRAPH ? "es" : "s";
        if (n > 0)
            at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s %s%s", at > 0 ? ", " : "",
                                   cli_format_count(count, sizeof(count), n), kinds[i].one, s);
    }
    if (at > 0)
        cli_say("CUDA: %s%s", summary->is_estimate ? "about " : "", line);
    if (summary->n_cuda_untimed > 0)
        cli_say("CUDA: %s of them without a true time; 'rangefinder info' says more",
                cli_format_count(count, sizeof(count), summary->n_cuda_untimed));
}

void cli_summary_say(const struct cli_summary *summary, const char *path)
{
    char size[32], ranges[32], marks[32];
    int is_whole = summary->n_lost_records + summary->n_lost_defs + summary->n_failed_processes +
                       summary->n_cuda_dropped ==
                   0;
    cli_say("wrote '%s': %s, %s%s range%s and %s mark%s of %u process%s%s", path,
            cli_format_size(size, sizeof(size), summary->size_bytes),
            summary->is_estimate ? "about " : "",
            cli_format_count(ranges, sizeof(ranges), summary->n_ranges), plural(summary->n_ranges),
            cli_format_count(marks, sizeof(marks), summary->n_marks), plural(summary->n_marks),
            summary->n_processes, summary->n_processes == 1 ? "" : "es",
            is_whole ? ", nothing lost" : "");
    say_cuda(summary);
    cli_summary_say_losses(summary);
}
