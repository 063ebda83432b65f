/* SPDX-License-Identifier: Apache-2.0 */
#include "log/open_state.h"

#include <stdlib.h>

#include "base/grow.h"
#include "log/log_order.h"
#include "log/open_domains.h"
#include "rangefinder/rangefinder.h"

#define MAX_WAITS (1u << 20) /* ENDs with ids that nobody gave out do not fill the memory */

/* ---- Records that are kept ---- */

static int grow(struct rf_open_ranges *o, void *array, size_t n, size_t *room, size_t size)
{
    int status = rf_grow_array(array, n, room, size);
    o->is_out_of_memory |= status != RF_OK;
    return status == RF_OK;
}

static uint32_t keep(struct rf_open_ranges *o, const struct rf_record *r, uint32_t stream)
{
    uint32_t i = o->free_record;
    if (i != RF_OPEN_NONE) {
        o->free_record = o->record[i].below;
    } else {
        if (!grow(o, &o->record, o->n_records, &o->record_room, sizeof(*o->record)))
            return RF_OPEN_NONE;
        i = o->n_records++;
    }
    o->record[i] = (struct rf_open_record){
        .words = r->words,
        .ticks = r->ticks,
        .order = o->n_order++,
        .n_words = r->n_words,
        .more = RF_OPEN_NONE,
        .below = RF_OPEN_NONE,
        .stream = stream,
        .thread = stream != RF_OPEN_NONE ? o->stream[stream].n_threads - 1 : 0};
    if (grow(o, &o->fresh, o->n_fresh, &o->fresh_room, sizeof(*o->fresh)))
        o->fresh[o->n_fresh++] = i;
    return i;
}

void rf_open_copy_fresh(struct rf_open_ranges *o)
{
    for (size_t i = 0; i < o->n_fresh; i++) {
        struct rf_open_record *record = &o->record[o->fresh[i]];
        if (record->words == NULL || record->is_owned)
            continue;
        uint8_t *copy = malloc(8 * (size_t)record->n_words);
        o->is_out_of_memory |= copy == NULL;
        if (copy == NULL)
            return;
        memcpy(copy, record->words, 8 * (size_t)record->n_words);
        record->words = copy;
        record->is_owned = true;
    }
    o->n_fresh = 0;
}

void rf_open_free_words(struct rf_open_record *record)
{
    if (record->is_owned)
        free((void *)(uintptr_t)record->words);
    record->words = NULL;
    record->is_owned = false;
}

static void drop(struct rf_open_ranges *o, uint32_t i)
{
    if (i != RF_OPEN_NONE && o->stream[o->record[i].stream].more_of == i)
        o->stream[o->record[i].stream].more_of = RF_OPEN_NONE; /* more of it may be read yet */
    while (i != RF_OPEN_NONE) {
        struct rf_open_record *record = &o->record[i];
        uint32_t more = record->more;
        rf_open_free_words(record);
        record->below = o->free_record;
        o->free_record = i;
        i = more;
    }
}

bool rf_open_is_more(const struct rf_record *r)
{
    return r->type == RF_REC_TEXT || r->type == RF_REC_DATA;
}

void rf_open_keep_more(struct rf_open_ranges *o, struct rf_open_stream *s,
                       const struct rf_record *r)
{
    bool is_text = r->type == RF_REC_TEXT;
    if (s->more_of == RF_OPEN_NONE || r->n_words < 2 || (is_text && !s->is_text_open))
        return;
    s->is_text_open = is_text && (rf_load64(r->words + 8) & 1) != 0;
    uint32_t i = keep(o, r, RF_OPEN_NONE);
    if (i == RF_OPEN_NONE)
        return;
    o->record[s->more_last].more = i;
    s->more_last = i;
}

/* TEXT and DATA may follow the record i. */
static void begin_more(struct rf_open_stream *s, const struct rf_record *r, uint32_t i)
{
    s->more_of = s->more_last = i;
    s->is_text_open = r->n_words > 1 && (rf_load64(r->words + 8) & RF_ATTR_MORE) != 0;
}

/* ---- Stacks ---- */

static uint64_t domain_of(struct rf_open_ranges *o, const struct rf_open_stream *s,
                          const struct rf_record *r, bool *is_known)
{
    uint64_t attributes = r->n_words > 1 ? rf_load64(r->words + 8) : 0;
    uint64_t handle = attributes & RF_ATTR_DOMAIN_ESCAPE;
    if (r->type == RF_REC_POP_DOMAIN)
        handle = attributes;
    else if (r->type == RF_REC_POP)
        handle = 0;
    else if (handle == RF_ATTR_DOMAIN_ESCAPE)
        handle = r->n_words > 2 ? rf_load64(r->words + 16) : 0;
    return rf_open_domains_find(o->domains, s->process, handle, is_known);
}

static struct rf_open_stack *find_stack(struct rf_open_stream *s, uint64_t domain, bool is_known)
{
    for (uint32_t i = s->n_stacks; i-- > 0;)
        if (s->stack[i].domain == domain && s->stack[i].is_known == is_known)
            return &s->stack[i];
    return NULL;
}

void rf_open_push(struct rf_open_ranges *o, struct rf_open_stream *stack_owner,
                  struct rf_open_stream *s, const struct rf_record *r)
{
    bool is_known;
    uint32_t i = keep(o, r, (uint32_t)(s - o->stream));
    uint64_t domain = domain_of(o, s, r, &is_known);
    struct rf_open_stack *stack = find_stack(stack_owner, domain, is_known);
    if (i == RF_OPEN_NONE)
        return;
    if (stack == NULL) {
        if (!grow(o, &stack_owner->stack, stack_owner->n_stacks, &stack_owner->stack_room,
                  sizeof(*stack)))
            return;
        stack = &stack_owner->stack[stack_owner->n_stacks++];
        *stack = (struct rf_open_stack){domain, is_known, RF_OPEN_NONE};
    }
    o->record[i].below = stack->top;
    stack->top = i;
    begin_more(s, r, i);
}

void rf_open_pop(struct rf_open_ranges *o, struct rf_open_stream *stack_owner,
                 struct rf_open_stream *s, const struct rf_record *r)
{
    bool is_known;
    uint64_t domain = domain_of(o, s, r, &is_known);
    struct rf_open_stack *stack = find_stack(stack_owner, domain, is_known);
    if (stack == NULL)
        return;
    uint32_t top = stack->top;
    stack->top = o->record[top].below;
    if (stack->top == RF_OPEN_NONE)
        *stack = stack_owner->stack[--stack_owner->n_stacks];
    drop(o, top);
}

void rf_open_clear_stacks(struct rf_open_ranges *o, struct rf_open_stream *s)
{
    for (uint32_t i = 0; i < s->n_stacks; i++) {
        for (uint32_t top = s->stack[i].top; top != RF_OPEN_NONE;) {
            uint32_t below = o->record[top].below;
            drop(o, top);
            top = below;
        }
    }
    s->n_stacks = 0;
}

/* ---- Start/end ranges ---- */

static void start(struct rf_open_ranges *o, struct rf_open_stream *s, const struct rf_record *r)
{
    uint32_t i = keep(o, r, (uint32_t)(s - o->stream));
    if (i == RF_OPEN_NONE)
        return;
    if (s->n_starts == s->start_room && s->n_starts > 2 * s->n_live_starts) {
        size_t n = 0;
        for (size_t k = 0; k < s->n_starts; k++)
            if (s->start[k].record != RF_OPEN_NONE)
                s->start[n++] = s->start[k];
        s->n_starts = n;
    } else if (!grow(o, &s->start, s->n_starts, &s->start_room, sizeof(*s->start))) {
        return;
    }
    o->record[i].counter = s->at.n_starts;
    s->start[s->n_starts++] = (struct rf_open_start){s->at.n_starts, i};
    s->n_live_starts++;
    s->thread[s->n_threads - 1].n_open++;
    begin_more(s, r, i);
}

/* Ends the range with this number; returns 0 if there is none that is open. */
static int end_start(struct rf_open_ranges *o, struct rf_open_stream *s, uint64_t counter)
{
    size_t low = 0, high = s->n_starts;
    /* mostly it is the one begun last, or none between it and the first has been removed */
    uint64_t guess = high > 0 ? counter - s->start[0].counter : 0;
    if (high > 0 && s->start[high - 1].counter == counter)
        low = high - 1;
    else if (guess < high && s->start[guess].counter == counter)
        low = high = (size_t)guess;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->start[middle].counter < counter)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->n_starts || s->start[low].counter != counter ||
        s->start[low].record == RF_OPEN_NONE)
        return 0;
    struct rf_open_record *record = &o->record[s->start[low].record];
    s->thread[record->thread].n_open--;
    s->n_live_starts--;
    drop(o, s->start[low].record);
    s->start[low].record = RF_OPEN_NONE;
    while (s->n_starts > 0 && s->start[s->n_starts - 1].record == RF_OPEN_NONE)
        s->n_starts--;
    return 1;
}

static struct rf_open_stream *find_stream(struct rf_open_ranges *o, uint32_t process, uint32_t slot)
{
    uint32_t low = 0, high = o->n_streams;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct rf_open_stream *at = &o->stream[middle];
        if (at->process < process || (at->process == process && at->slot < slot))
            low = middle + 1;
        else
            high = middle;
    }
    return low < o->n_streams && o->stream[low].process == process && o->stream[low].slot == slot
               ? &o->stream[low]
               : NULL;
}

/* The stream that a range with this id was begun in: of this process, where its number fits, or of
 * the first other one. */
static struct rf_open_stream *find_begin(struct rf_open_ranges *o, struct rf_open_stream *s,
                                         uint64_t id)
{
    const struct rf_log *log = o->log;
    const uint32_t slot = id >> RF_ID_COUNTER_BITS & ((1u << RF_ID_SLOT_BITS) - 1);
    const uint32_t number = (uint32_t)(id >> (RF_ID_COUNTER_BITS + RF_ID_SLOT_BITS));
    if (slot == 0)
        return NULL;
    if (number == (log->process[s->process].number & 1023))
        return s->slot == slot - 1 ? s : find_stream(o, s->process, slot - 1);
    size_t low = 0, high = log->n_processes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->process[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < log->n_processes; low++) {
        if ((log->process[low].number & 1023) != number)
            continue;
        struct rf_open_stream *from = find_stream(o, (uint32_t)low, slot - 1);
        if (from != NULL)
            return from;
    }
    return NULL;
}

/* Whether the range may have been begun in a stream of which nothing is walked. */
static bool is_begun_elsewhere(const struct rf_open_ranges *o, uint64_t id)
{
    const struct rf_log *whole = o->whole;
    const uint32_t slot = id >> RF_ID_COUNTER_BITS & ((1u << RF_ID_SLOT_BITS) - 1);
    const uint32_t number = (uint32_t)(id >> (RF_ID_COUNTER_BITS + RF_ID_SLOT_BITS));
    for (size_t i = 0; whole != NULL && slot != 0 && i < whole->n_processes; i++) {
        const struct rf_log_tail stream = {UINT64_MAX, whole->process[i].number, slot - 1, 0};
        uint64_t last;
        if ((stream.process & 1023) == number &&
            (rf_log_has_part(whole, &stream, &last) || last > 0))
            return true;
    }
    return false;
}

static void end(struct rf_open_ranges *o, struct rf_open_stream *s, const struct rf_record *r)
{
    uint64_t id = r->n_words > 1 ? rf_load64(r->words + 8) : 0;
    uint64_t counter = id & ((1ULL << RF_ID_COUNTER_BITS) - 1);
    uint32_t i;
    struct rf_open_stream *from = find_begin(o, s, id);
    if (o->n_waits == MAX_WAITS)
        return;
    if (from == NULL && is_begun_elsewhere(o, id)) {
        o->n_waits_elsewhere++;
        if (o->n_waits_elsewhere < MAX_WAITS &&
            keep(o, r, (uint32_t)(s - o->stream)) != RF_OPEN_NONE)
            s->thread[s->n_threads - 1].n_open++;
    }
    if (from == NULL || end_start(o, from, counter) || counter <= from->at.n_starts)
        return;
    if (!grow(o, &o->wait, o->n_waits, &o->wait_room, sizeof(*o->wait)) ||
        (i = keep(o, r, (uint32_t)(s - o->stream))) == RF_OPEN_NONE)
        return;
    s->thread[s->n_threads - 1].n_open++;
    from->n_waiting++;
    o->wait[o->n_waits++] = (struct rf_open_wait){counter, (uint32_t)(from - o->stream), i};
}

void rf_open_settle(struct rf_open_ranges *o, struct rf_open_stream *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->n_waits; i++) {
        const struct rf_open_wait wait = o->wait[i];
        if (&o->stream[wait.stream] != s || wait.counter > s->at.n_starts) {
            o->wait[n++] = wait;
            continue;
        }
        const struct rf_open_record *record = &o->record[wait.record];
        (void)end_start(o, s, wait.counter);
        o->stream[record->stream].thread[record->thread].n_open--;
        drop(o, wait.record);
        s->n_waiting--;
    }
    o->n_waits = n;
}

/* ---- Threads ---- */

/* Notes that a thread has ended: what its signal handlers pushed stands in other streams, which do
 * not say so. */
static void note_ended(struct rf_open_ranges *o, uint32_t process, uint32_t serial)
{
    const uint32_t most = 1u << 24; /* no program has more threads: a damaged number */
    struct rf_open_ended *ended = &o->ended[process];
    if (serial >= most)
        return;
    if (serial / 64 >= ended->n_words) {
        uint32_t n = 2 * (serial / 64 + 1);
        uint64_t *bits = realloc(ended->bits, n * sizeof(*bits));
        if (bits == NULL) {
            o->is_out_of_memory = true;
            return;
        }
        memset(bits + ended->n_words, 0, (n - ended->n_words) * sizeof(*bits));
        ended->bits = bits;
        ended->n_words = n;
    }
    ended->bits[serial / 64] |= 1ULL << serial % 64;
}

bool rf_open_has_ended(const struct rf_open_ranges *o, uint32_t process, uint32_t serial)
{
    const struct rf_open_ended *ended = &o->ended[process];
    return serial / 64 < ended->n_words && (ended->bits[serial / 64] >> serial % 64 & 1);
}

/* The records of a thread that follow are another's. */
static void enter_thread(struct rf_open_ranges *o, struct rf_open_stream *s, uint32_t tid,
                         uint32_t serial, const struct rf_record *record, uint64_t last_ticks)
{
    struct rf_open_thread *thread = s->n_threads > 0 ? &s->thread[s->n_threads - 1] : NULL;
    if (thread != NULL && thread->tid == tid && thread->serial == serial) {
        if (thread->begin[0] == 0 && record != NULL) {
            memcpy(thread->begin, record->words, sizeof(thread->begin));
            thread->begin_ticks = record->ticks;
        }
        return;
    }
    if (thread != NULL) {
        rf_open_clear_stacks(o, s);
        note_ended(o, s->process, thread->serial);
        if (thread->end[0] == 0)
            thread->end_ticks = last_ticks;
        if (thread->n_open == 0 && !thread->is_wanted)
            s->n_threads--;
    }
    if (!grow(o, &s->thread, s->n_threads, &s->thread_room, sizeof(*thread)))
        return;
    thread = &s->thread[s->n_threads++];
    *thread = (struct rf_open_thread){.tid = tid, .serial = serial, .begin_ticks = s->at.ticks};
    thread->is_wanted =
        rf_open_domains_has_tid(o->domains, s->process, tid) ||
        (rf_open_domains_is_forked(o->domains, s->process) && s->at.seq == s->part[0].seq &&
         (s == o->stream || s[-1].process != s->process));
    if (record != NULL) {
        memcpy(thread->begin, record->words, sizeof(thread->begin));
        thread->begin_ticks = record->ticks;
    }
    s->thread_at = s->at;
    if (record != NULL)
        s->thread_at.at = record->words;
}

static void end_thread(struct rf_open_ranges *o, struct rf_open_stream *s,
                       const struct rf_record *r)
{
    struct rf_open_thread *thread = &s->thread[s->n_threads - 1];
    rf_open_clear_stacks(o, s);
    note_ended(o, s->process, thread->serial);
    if (r->n_words >= 4) {
        memcpy(thread->end, r->words, sizeof(thread->end));
        thread->end_ticks = r->ticks;
    }
}

/* ---- All records ---- */

void rf_open_enter_part(struct rf_open_ranges *o, struct rf_open_stream *s,
                        const struct rf_stream_part *part, uint64_t last_ticks)
{
    rf_stream_open_part(&s->at);
    if (part->is_gap) {
        rf_open_clear_stacks(o, s);
        s->more_of = RF_OPEN_NONE;
    }
    if (s->at.ticks < o->limit) {
        o->n_lost_records += part->n_lost_records;
        o->lost_bytes += part->lost_bytes;
    }
    enter_thread(o, s, part->tid, part->serial, NULL, last_ticks);
}

void rf_open_take_record(struct rf_open_ranges *o, struct rf_open_stream *s,
                         const struct rf_record *r, uint64_t last_ticks)
{
    if (rf_open_is_more(r)) {
        rf_open_keep_more(o, s, r);
        return;
    }
    s->more_of = RF_OPEN_NONE;
    switch (r->type) {
    case RF_REC_PUSH:
        rf_open_push(o, s, s, r);
        break;
    case RF_REC_POP:
    case RF_REC_POP_DOMAIN:
        rf_open_pop(o, s, s, r);
        break;
    case RF_REC_START:
        start(o, s, r);
        break;
    case RF_REC_END:
        end(o, s, r);
        break;
    case RF_REC_THREAD:
        if (r->n_words > 1)
            enter_thread(o, s, (uint32_t)rf_load64(r->words + 8),
                         (uint32_t)(rf_load64(r->words + 8) >> 32), r->n_words >= 4 ? r : NULL,
                         last_ticks);
        break;
    case RF_REC_THREAD_END:
        end_thread(o, s, r);
        break;
    default:
        break;
    }
}
