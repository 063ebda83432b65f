/* SPDX-License-Identifier: Apache-2.0 */
/* A later log has the parts of the earlier one, in the same order within each stream, and more of
 * them; the last one may have grown. Processes and streams are more too, and have other indices. */
#include "log/open_move.h"

#include <stdlib.h>

#include "log/open_domains.h"
#include "log/records.h"
#include "rangefinder/rangefinder.h"

/* By index in the earlier log: the index in the later one. */
struct moved {
    uint32_t *process, *stream;
};

/* Both lists are in the order of the numbers. */
static bool find_processes(uint32_t *moved, const struct rf_log *to, const struct rf_log *from)
{
    size_t k = 0;
    for (size_t i = 0; i < from->n_processes; i++, k++) {
        while (k < to->n_processes && to->process[k].number < from->process[i].number)
            k++;
        if (k == to->n_processes || to->process[k].number != from->process[i].number)
            return false;
        moved[i] = (uint32_t)k;
    }
    return true;
}

/* How many of a stream's parts a cursor has entered. */
static size_t n_entered(const struct rf_open_stream *s, const struct rf_stream_cursor *c)
{
    return (size_t)(c->part - s->part);
}

static bool has_entered(const struct rf_open_stream *to, const struct rf_open_stream *from,
                        const struct rf_stream_cursor *c)
{
    const size_t n = n_entered(from, c);
    return n == 0 || (n <= to->n_parts && to->part[0].seq == from->part[0].seq &&
                      to->part[n - 1].seq == from->part[n - 1].seq &&
                      to->part[n - 1].size >= (uint32_t)(c->at - c->begin));
}

static bool find_streams(uint32_t *moved, const struct rf_open_ranges *to,
                         const struct rf_open_ranges *from, const uint32_t *process)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < from->n_streams; i++, k++) {
        const struct rf_open_stream *s = &from->stream[i];
        while (k < to->n_streams &&
               (to->stream[k].process < process[s->process] ||
                (to->stream[k].process == process[s->process] && to->stream[k].slot < s->slot)))
            k++;
        if (k == to->n_streams || to->stream[k].process != process[s->process] ||
            to->stream[k].slot != s->slot || !has_entered(&to->stream[k], s, &s->at) ||
            (s->n_threads > 0 && !has_entered(&to->stream[k], s, &s->thread_at)))
            return false;
        moved[i] = k;
    }
    return true;
}

/* Whether handles that nobody had given out are still unknown. */
static bool has_same_domains(struct rf_open_ranges *to, const struct rf_open_ranges *from,
                             const uint32_t *process)
{
    for (uint32_t i = 0; i < from->n_streams; i++) {
        const struct rf_open_stream *s = &from->stream[i];
        for (uint32_t k = 0; k < s->n_stacks; k++) {
            bool is_known = false;
            if (!s->stack[k].is_known)
                (void)rf_open_domains_find(to->domains, process[s->process], s->stack[k].domain,
                                           &is_known);
            if (is_known)
                return false;
        }
    }
    return rf_open_domains_agree(to->domains, from->domains, process, from->log->n_processes);
}

/* The same place in the later log. */
static struct rf_stream_cursor move_cursor(struct rf_open_ranges *to, struct rf_open_stream *s,
                                           const struct rf_open_stream *old,
                                           struct rf_stream_cursor c)
{
    const size_t n = n_entered(old, &c), offset = (size_t)(c.at - c.begin);
    c.reader = &to->parts;
    c.part = s->part + n;
    c.part_end = s->part + s->n_parts;
    c.is_pending = false;
    if (n == 0)
        return c;
    const struct rf_part_view view = rf_part_view(&to->parts, c.part - 1);
    c.is_broken = !c.part[-1].is_complete || view.size < c.part[-1].size;
    c.begin = view.data;
    c.end = view.data + (view.size & ~7u);
    c.at = view.data + (offset < view.size ? offset : view.size);
    return c;
}

static void move_stream(struct rf_open_ranges *to, struct rf_open_stream *s,
                        struct rf_open_stream *old)
{
    struct rf_open_stream moved = *old;
    moved.part = s->part;
    moved.n_parts = s->n_parts;
    moved.process = s->process;
    moved.has_rest = false;
    moved.goes_on = n_entered(old, &old->at) > 0;
    moved.at = move_cursor(to, s, old, old->at);
    /* no thread has written to the stream before its first part */
    moved.thread_at = old->n_threads > 0 ? move_cursor(to, s, old, old->thread_at) : old->thread_at;
    *s = moved;
    old->thread = NULL;
    old->stack = NULL;
    old->start = NULL;
}

/* Records and what waits for them, whose streams have other indices. */
static void move_records(struct rf_open_ranges *to, struct rf_open_ranges *from,
                         const uint32_t *stream)
{
    to->record = from->record;
    to->n_records = from->n_records;
    to->free_record = from->free_record;
    to->record_room = from->record_room;
    to->n_order = from->n_order;
    to->wait = from->wait;
    to->n_waits = from->n_waits;
    to->n_waits_elsewhere = from->n_waits_elsewhere;
    to->wait_room = from->wait_room;
    for (uint32_t i = 0; i < to->n_records; i++)
        if (to->record[i].words != NULL && to->record[i].stream != RF_OPEN_NONE)
            to->record[i].stream = stream[to->record[i].stream];
    for (uint32_t i = 0; i < to->n_waits; i++)
        to->wait[i].stream = stream[to->wait[i].stream];
    from->record = NULL;
    from->n_records = 0;
    from->wait = NULL;
}

/* A part that was entered, whose first record came after the moment, was not counted then. */
static void count_losses(struct rf_open_ranges *to, const struct rf_open_stream *s,
                         uint64_t earlier_limit)
{
    if (n_entered(s, &s->at) == 0 || s->at.at != s->at.begin + RF_PART_RECORDS_OFFSET ||
        s->at.ticks < earlier_limit || s->at.ticks >= to->limit)
        return;
    const struct rf_part_header header = rf_part_header(s->at.part - 1);
    to->n_lost_records += header.lost_records;
    to->lost_bytes += header.lost_bytes;
}

static void move_all(struct rf_open_ranges *to, struct rf_open_ranges *from,
                     const struct moved *moved)
{
    for (size_t i = 0; i < from->log->n_processes; i++) {
        to->ended[moved->process[i]] = from->ended[i];
        from->ended[i] = (struct rf_open_ended){NULL, 0};
    }
    move_records(to, from, moved->stream);
    to->n_lost_records = from->n_lost_records;
    to->lost_bytes = from->lost_bytes;
    to->n_bytes = from->n_bytes;
    to->n_walked = from->n_walked;
    for (uint32_t i = 0; i < from->n_streams; i++) {
        struct rf_open_stream *s = &to->stream[moved->stream[i]];
        move_stream(to, s, &from->stream[i]);
        for (uint32_t k = 0; k < s->n_stacks; k++)
            if (s->stack[k].is_known)
                s->stack[k].domain = rf_open_domains_renumber(to->domains, from->domains,
                                                              moved->process, s->stack[k].domain);
        count_losses(to, s, from->limit);
    }
}

int rf_open_ranges_move(struct rf_open_ranges *to, struct rf_open_ranges *from)
{
    struct moved moved = {calloc(from->log->n_processes + 1, sizeof(uint32_t)),
                          calloc((size_t)from->n_streams + 1, sizeof(uint32_t))};
    int status = RF_ERR_NO_MEMORY;
    if (moved.process != NULL && moved.stream != NULL) {
        /* moments are records that are put into parts when a log is opened */
        const bool can_be = to->log->n_moments + from->log->n_moments == 0 &&
                            to->limit >= from->limit && !from->is_merged &&
                            !from->is_out_of_memory &&
                            find_processes(moved.process, to->log, from->log) &&
                            find_streams(moved.stream, to, from, moved.process) &&
                            has_same_domains(to, from, moved.process);
        status = can_be ? RF_OK : RF_ERR_DAMAGED;
        if (can_be)
            move_all(to, from, &moved);
    }
    free(moved.process);
    free(moved.stream);
    return status;
}
