/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log_order.h"

#include <stdlib.h>
#include <string.h>

#include "log/part_reader.h"

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* By name of the part; of those with one name, the best copy first. */
static int compare_parts(const void *left, const void *right)
{
    const struct rf_log_part *a = left, *b = right;
    int order =
        compare_u64((uint64_t)a->process << 32 | a->slot, (uint64_t)b->process << 32 | b->slot);
    if (order == 0)
        order = compare_u64(a->seq, b->seq);
    if (order == 0) /* its original was recycled, or is about to be */
        order = b->is_carried - a->is_carried;
    if (order == 0)
        order = b->is_complete - a->is_complete;
    if (order == 0) /* the copy from a pool, of a part that has been filled and is appended since */
        order = a->is_cut - b->is_cut;
    if (order == 0)
        order = a->is_suspect - b->is_suspect;
    if (order == 0)
        order = compare_u64(b->size, a->size);
    return order;
}

/* Whether what there is of a part (an append that was cut short) was given up by its writer, which
 * counted all its records as lost in the next part of the stream. */
static bool is_given_up(const struct rf_log_part *part, const struct rf_log_part *next)
{
    if (!part->is_cut || part->process != next->process || part->slot != next->slot ||
        part->seq == next->seq || next->size < RF_PART_RECORDS_OFFSET)
        return false;
    return rf_part_header(next).lost_records > 0;
}

static void sort_parts(struct rf_log *log)
{
    size_t n = 0;
    if (log->n_parts > 0)
        qsort(log->part, log->n_parts, sizeof(*log->part), compare_parts);
    for (size_t i = 0; i < log->n_parts; i++) {
        const struct rf_log_part *part = &log->part[i];
        while (n > 0 && is_given_up(&log->part[n - 1], part))
            n--;
        const struct rf_log_part *last = n > 0 ? &log->part[n - 1] : NULL;
        if (last == NULL || part->process != last->process || part->slot != last->slot ||
            part->seq != last->seq)
            log->part[n++] = *part;
    }
    log->n_parts = n;
}

static void find_carried(struct rf_log *log)
{
    for (size_t i = 0; i < log->n_parts; i++)
        log->part[i].is_carried = log->part[i].is_complete &&
                                  log->part[i].size >= RF_PART_RECORDS_OFFSET &&
                                  rf_part_header(&log->part[i]).carried_from != 0;
}

/* What parts hold that were recycled is carried on by others, from which on the stream goes on: the
 * recycled ones may still be there, since they go afterwards. */
static void leave_out_recycled(struct rf_log *log)
{
    size_t n = log->n_parts;
    uint64_t from = 0;
    for (size_t i = log->n_parts; i-- > 0;) {
        const struct rf_log_part *part = &log->part[i], *next = part + 1;
        if (i + 1 == log->n_parts || part->process != next->process || part->slot != next->slot)
            from = 0;
        if (part->is_carried && from == 0)
            from = rf_part_header(part).carried_from;
        if (part->seq >= from)
            log->part[--n] = *part;
    }
    memmove(log->part, log->part + n, (log->n_parts - n) * sizeof(*log->part));
    log->n_parts -= n;
}

/* Parts that were begun after the pool was read come into the log while it is read: the last one
 * may be there in part, and the one before it not yet, since the program and the command line
 * append two at once. Nothing is lost there: what follows such a gap, and the part that is cut, are
 * left out. */
static void leave_out_later(struct rf_log *log)
{
    const struct rf_log_tail *moved = log->moved, *end = moved + log->n_moved;
    size_t n = 0;
    bool is_left_out = false;
    for (size_t i = 0; i < log->n_parts; i++) {
        const struct rf_log_part *part = &log->part[i];
        const struct rf_log_part *last = n > 0 ? &log->part[n - 1] : NULL;
        const uint64_t stream = (uint64_t)part->process << 32 | part->slot;
        bool is_same = i > 0 && ((uint64_t)part[-1].process << 32 | part[-1].slot) == stream;
        bool has_last = last != NULL && last->process == part->process && last->slot == part->slot;
        uint64_t before = has_last ? last->seq : 0;
        while (moved < end && ((uint64_t)moved->process << 32 | moved->slot) < stream)
            moved++;
        bool has_moved = moved < end && ((uint64_t)moved->process << 32 | moved->slot) == stream;
        is_left_out = (is_same && is_left_out) || (has_moved && before >= moved->seq &&
                                                   (part->seq > before + 1 || part->is_cut));
        if (!is_left_out)
            log->part[n++] = *part;
    }
    log->n_parts = n;
}

static int compare_metrics(const void *left, const void *right)
{
    const struct rf_log_metrics *a = left, *b = right;
    int order = compare_u64(a->slot, b->slot);
    return order != 0 ? order : compare_u64(a->seq, b->seq);
}

static void sort_metrics(struct rf_log *log)
{
    size_t n = 0;
    if (log->n_metrics > 0)
        qsort(log->metrics, log->n_metrics, sizeof(*log->metrics), compare_metrics);
    for (size_t i = 0; i < log->n_metrics; i++)
        if (n == 0 || compare_metrics(&log->metrics[i], &log->metrics[n - 1]) != 0)
            log->metrics[n++] = log->metrics[i];
    log->n_metrics = n;
}

void rf_log_sort(struct rf_log *log)
{
    if (!log->is_packed)
        find_carried(log);
    sort_parts(log);
    if (!log->is_packed && log->n_parts > 0)
        leave_out_recycled(log);
    if (log->n_moved > 0)
        leave_out_later(log);
    sort_metrics(log);
}

static int compare_pieces(const void *left, const void *right)
{
    const struct rf_defs_piece *a = left, *b = right;
    int order = compare_u64(a->process, b->process);
    if (order == 0)
        order = compare_u64(a->offset, b->offset);
    if (order == 0)
        order = compare_u64(b->size, a->size);
    return order;
}

bool rf_log_has_part(const struct rf_log *log, const struct rf_log_tail *tail, uint64_t *before)
{
    const uint64_t stream = (uint64_t)tail->process << 32 | tail->slot;
    size_t low = 0, high = log->n_parts;
    *before = 0;
    if (high == 0)
        return false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct rf_log_part *part = &log->part[middle];
        int order = compare_u64((uint64_t)part->process << 32 | part->slot, stream);
        if (order < 0 || (order == 0 && part->seq < tail->seq))
            low = middle + 1;
        else
            high = middle;
    }
    const struct rf_log_part *part = log->part + low;
    bool has_before = low > 0 && part[-1].process == tail->process && part[-1].slot == tail->slot;
    *before = has_before ? part[-1].seq : 0;
    return low < log->n_parts && part->process == tail->process && part->slot == tail->slot &&
           (part->seq == tail->seq || part->is_carried); /* which stands for all before it */
}

/* A stretch of definitions that no piece holds: about how many. */
static void count_lost_defs(struct rf_log *log, uint64_t n_bytes)
{
    const uint64_t mean = 72, most = (uint64_t)1 << 32;
    if (n_bytes > 0 && n_bytes < most)
        log->damage.n_defs += n_bytes < mean ? 1 : n_bytes / mean;
}

/* Joins n pieces of one process. What overlaps is taken once; a missing piece leaves no hole,
 * since a piece begins with a definition. */
static int join_pieces(struct rf_log *log, const struct rf_defs_piece *piece, size_t n,
                       struct rf_log_process *process)
{
    size_t total = 0;
    uint64_t end = 0;
    process->number = piece->process;
    process->defs = piece->data;
    process->defs_size = piece->size;
    if (n == 1) {
        count_lost_defs(log, piece->offset);
        return RF_OK;
    }
    for (size_t i = 0; i < n; i++)
        total += piece[i].size;
    uint8_t *all = rf_log_allocate(log, total);
    if (all == NULL)
        return RF_ERR_NO_MEMORY;
    process->defs = all;
    process->defs_size = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t skip = piece[i].offset < end ? end - piece[i].offset : 0;
        if (piece[i].size == 0 && piece[i].offset > end) { /* the end of a damaged one */
            count_lost_defs(log, piece[i].offset - end);
            end = piece[i].offset;
        }
        if (skip >= piece[i].size || piece[i].offset > UINT64_MAX - piece[i].size)
            continue;
        count_lost_defs(log, piece[i].offset > end ? piece[i].offset - end : 0);
        memcpy(all + process->defs_size, piece[i].data + skip, piece[i].size - skip);
        process->defs_size += piece[i].size - (size_t)skip;
        end = piece[i].offset + piece[i].size;
    }
    return RF_OK;
}

int rf_log_list_processes(struct rf_log_builder *b)
{
    struct rf_log *log = b->log;
    size_t n_most = b->n_pieces, p = 0, d = 0;
    for (size_t i = 0; i < log->n_parts; i++)
        n_most += i == 0 || log->part[i].process != log->part[i - 1].process;
    if (n_most == 0)
        return RF_OK;
    log->process = calloc(n_most, sizeof(*log->process));
    if (log->process == NULL)
        return RF_ERR_NO_MEMORY;
    if (b->n_pieces > 0)
        qsort(b->piece, b->n_pieces, sizeof(*b->piece), compare_pieces);
    while (p < log->n_parts || d < b->n_pieces) {
        uint32_t number = p < log->n_parts ? log->part[p].process : UINT32_MAX;
        struct rf_log_process *process = &log->process[log->n_processes++];
        size_t first = d;
        if (d < b->n_pieces && b->piece[d].process < number)
            number = b->piece[d].process;
        process->number = number;
        while (d < b->n_pieces && b->piece[d].process == number)
            d++;
        if (d > first && join_pieces(log, b->piece + first, d - first, process) != RF_OK)
            return RF_ERR_NO_MEMORY;
        while (p < log->n_parts && log->part[p].process == number)
            p++;
    }
    return RF_OK;
}
