/* SPDX-License-Identifier: Apache-2.0 */
/* Turns records into events. Each event is appended to its thread. A pop finds its push on a stack
 * that is linked through the events themselves. */
#include "model/load/decode.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/large_pages.h"
#include "base/map.h"
#include "model/load/capture_windows.h"
#include "model/load/early_ends.h"
#include "model/load/handles.h"
#include "model/load/namings.h"
#include "model/load/payload_matters.h"
#include "model/load/payload_records.h"
#include "model/load/payload_tests.h"
#include "model/load/timeline.h"
#include "model/strings.h"

/* ---- A decoder ---- */

void rf_decoder_init(struct rf_decoder *d, struct rf_load *load)
{
    memset(d, 0, sizeof(*d));
    d->load = load;
    d->strings = &load->rec->strings;
    d->process = RF_NO_INDEX;
    rf_part_reader_init(&d->parts, &load->log);
}

void rf_decoder_drop_parts(struct rf_decoder *d, const struct rf_log_part *first,
                           const struct rf_log_part *end)
{
    rf_part_reader_drop(&d->parts, first, end);
    d->is_out_of_memory |= d->parts.is_out_of_memory;
}

void rf_decoder_release(struct rf_decoder *d)
{
    rf_part_reader_release(&d->parts);
    free(d->text);
    free(d->waiting);
    rf_sums_release(&d->sums);
    rf_cuda_sums_release(&d->cuda_sums);
    rf_path_walk_release(&d->walk);
    rf_selector_release(&d->selector);
    free(d->n_summed.of_domain);
    free(d->n_selected.of_domain);
    d->n_summed.of_domain = d->n_selected.of_domain = NULL;
    d->text = NULL;
}

static void set_process(struct rf_decoder *d, uint32_t process)
{
    if (d->process == process)
        return;
    d->process = process;
    memset(d->domain_key, 0, sizeof(d->domain_key));
    memset(d->string_key, 0, sizeof(d->string_key));
}

static uint32_t slow_domain(struct rf_decoder *d, uint64_t handle)
{
    (void)pthread_mutex_lock(&d->load->mutex);
    uint32_t domain = rf_load_domain(d->load, d->process, handle);
    (void)pthread_mutex_unlock(&d->load->mutex);
    if (domain == RF_NO_INDEX) {
        d->is_out_of_memory = true;
        return 0;
    }
    d->domain_key[handle % RF_DECODER_CACHE] = handle + 1;
    d->domain[handle % RF_DECODER_CACHE] = domain;
    return domain;
}

static inline uint32_t domain_of(struct rf_decoder *d, uint64_t handle)
{
    if (d->domain_key[handle % RF_DECODER_CACHE] == handle + 1 && handle != UINT64_MAX)
        return d->domain[handle % RF_DECODER_CACHE];
    return slow_domain(d, handle);
}

static uint32_t add_text(struct rf_decoder *d, const char *text, size_t size)
{
    uint32_t id = rf_strings_add(d->strings, text, size);
    d->is_out_of_memory |= id == RF_NO_STRING;
    return id + d->name_base;
}

static void find_string(struct rf_decoder *d, uint64_t handle, uint64_t ticks, uint32_t i)
{
    const struct rf_load_handle *found =
        rf_load_find_string(d->load, d->process, handle, &d->string_gone[i]);
    d->string_key[i] = handle + 1;
    d->string_flags[i] = RF_EVENT_REGISTERED;
    if (found != NULL && ticks <= d->string_gone[i]) {
        d->string[i] = found->value;
        return;
    }
    char text[32];
    int n = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)handle);
    d->string[i] = add_text(d, text, (size_t)n);
    d->string_flags[i] |= RF_EVENT_BAD_HANDLE;
    d->string_gone[i] = UINT64_MAX;
}

/* A registered string; *flags gets the flags of the event that uses it. */
static uint32_t string_of(struct rf_decoder *d, uint64_t handle, uint64_t ticks, uint8_t *flags)
{
    uint32_t i = handle % RF_DECODER_CACHE;
    if (d->string_key[i] != handle + 1 || handle == UINT64_MAX || ticks > d->string_gone[i])
        find_string(d, handle, ticks, i);
    *flags |= d->string_flags[i];
    return d->string[i];
}

/* Word i of a text, 0 behind its end; the processor need not guess how long it is. */
static inline uint64_t word_of(const uint8_t *text, size_t n_words, size_t i)
{
    const uint64_t is_there = n_words > i;
    return rf_load64(text + 8 * i * is_there) & (0 - is_there);
}

/* Most messages are short and come again and again. */
static inline uint32_t short_text(struct rf_decoder *d, const uint8_t *text, size_t n_words)
{
    uint64_t first = 0, second = 0, third = 0;
    struct rf_decoder_text *known = NULL;
    if (n_words - 1 < 3) {
        first = rf_load64(text);
        second = word_of(text, n_words, 1);
        third = word_of(text, n_words, 2);
        uint64_t hash = (first ^ second * 3 ^ third * 5) * 0x9e3779b97f4a7c15ULL;
        known = &d->text_of[hash >> 56];
        if (known->n_words == n_words && known->words[0] == first && known->words[1] == second &&
            known->words[2] == third)
            return known->id;
    }
    uint32_t id = rf_strings_add_words(d->strings, text, n_words);
    if (id == RF_NO_STRING)
        d->is_out_of_memory = true;
    else if (known != NULL)
        *known =
            (struct rf_decoder_text){{first, second, third}, (uint32_t)n_words, id + d->name_base};
    return id + d->name_base;
}

/* ---- Text that continues in TEXT records ---- */

static void append_text(struct rf_decoder *d, const uint8_t *bytes, size_t n_words)
{
    size_t size = strnlen((const char *)bytes, 8 * n_words);
    if (d->text_size + size > d->text_room) {
        size_t room = 2 * (d->text_size + size) + 4096;
        char *more = realloc(d->text, room);
        d->is_out_of_memory |= more == NULL;
        if (more == NULL)
            return;
        d->text = more;
        d->text_room = room;
    }
    if (size > 0)
        memcpy(d->text + d->text_size, bytes, size);
    d->text_size += size;
}

/* Reads the TEXT records that follow, in the next parts too, up to the first gap. */
static uint32_t long_text(struct rf_decoder *d, struct rf_stream_cursor *cursor,
                          const uint8_t *first, size_t n_words)
{
    bool is_more = true;
    d->text_size = 0;
    append_text(d, first, n_words);
    while (is_more) {
        struct rf_stream_cursor ahead = *cursor;
        struct rf_stream_part part = {.is_gap = false};
        struct rf_record record;
        enum rf_stream_step step = rf_stream_next(&ahead, &record, &part);
        if (step == RF_STREAM_PART && !part.is_gap)
            step = rf_stream_next(&ahead, &record, &part);
        if (step != RF_STREAM_RECORD || record.type != RF_REC_TEXT || record.n_words < 2)
            break;
        append_text(d, record.words + 16, record.n_words - 2);
        is_more = rf_load64(record.words + 8) & 1;
        *cursor = ahead;
    }
    return add_text(d, d->text == NULL ? "" : d->text, d->text_size);
}

/* ---- Events and stacks ---- */

struct rf_event *rf_load_grow_events(struct rf_load_thread *thread)
{
    size_t room = thread->room == 0 ? 64 : 2 * thread->room;
    struct rf_event *memory = NULL;
    if (thread->n < RF_NO_INDEX - 1)
        memory = realloc(thread->memory, (thread->n_head + room) * sizeof(*memory));
    if (memory == NULL)
        return NULL;
    rf_prefer_large_pages(memory, (thread->n_head + room) * sizeof(*memory));
    thread->memory = memory;
    thread->event = memory + thread->n_head;
    thread->room = room;
    return &thread->event[thread->n++];
}

static struct rf_event *grow_events(struct rf_decoder *d, struct rf_load_thread *thread)
{
    struct rf_event *event = rf_load_grow_events(thread);
    d->is_out_of_memory |= event == NULL;
    return event;
}

static inline struct rf_event *new_event(struct rf_decoder *d, struct rf_load_thread *thread,
                                         int64_t ns)
{
    if (thread->n > 0 && ns <= thread->event[thread->n - 1].start_ns) {
        thread->is_unsorted |= ns < thread->event[thread->n - 1].start_ns;
        thread->has_ties = true;
    }
    return thread->n < thread->room ? &thread->event[thread->n++] : grow_events(d, thread);
}

static struct rf_load_stack *slow_stack(struct rf_decoder *d, struct rf_load_thread *thread,
                                        uint32_t domain)
{
    const uint32_t few = 8;
    uint32_t i = 0;
    if (thread->n_stacks <= few) {
        while (i < thread->n_stacks && thread->stack[i].domain != domain)
            i++;
    } else {
        i = rf_map_find(&thread->stack_of, domain, 0);
    }
    if (i >= thread->n_stacks) {
        i = thread->n_stacks;
        if (rf_grow_array(&thread->stack, i, &thread->stack_room, sizeof(*thread->stack)) !=
            RF_OK) {
            d->is_out_of_memory = true;
            return NULL;
        }
        thread->stack[thread->n_stacks++] = (struct rf_load_stack){domain, RF_NO_INDEX};
        for (uint32_t k = i == few ? 0 : i; i >= few && k <= i; k++)
            if (rf_map_set(&thread->stack_of, thread->stack[k].domain, 0, k) != RF_OK)
                d->is_out_of_memory = true;
    }
    thread->last_stack = i;
    return &thread->stack[i];
}

static inline struct rf_load_stack *stack_of(struct rf_decoder *d, struct rf_load_thread *thread,
                                             uint32_t domain)
{
    if (thread->last_stack < thread->n_stacks && thread->stack[thread->last_stack].domain == domain)
        return &thread->stack[thread->last_stack];
    return slow_stack(d, thread, domain);
}

static inline void end_event(struct rf_event *event, int64_t ns)
{
    event->end_ns = ns;
    if (ns < event->start_ns) {
        event->end_ns = event->start_ns;
        event->flags |= RF_EVENT_CLAMPED;
    }
}

/* Whether the range's domain was destroyed before this time, and the range ended with it. */
static bool ended_with_domain(const struct rf_load *load, struct rf_event *event, int64_t ns)
{
    int64_t destroyed_ns = load->n_destroys > 0
                               ? rf_load_destroyed_ns(load, event->domain, event->start_ns)
                               : RF_NO_TIME;
    if (destroyed_ns == RF_NO_TIME || ns <= destroyed_ns)
        return false;
    event->end_ns = destroyed_ns;
    event->cut = RF_CUT_DOMAIN_DESTROYED;
    return true;
}

/* Ends the innermost range. NULL: there is none, or it had ended. */
static inline struct rf_event *pop(struct rf_decoder *d, struct rf_load_thread *thread,
                                   uint32_t domain, int64_t ns)
{
    struct rf_load_stack *stack = stack_of(d, thread, domain);
    if (stack == NULL || stack->top == RF_NO_INDEX) {
        thread->n_unmatched++;
        return NULL;
    }
    struct rf_event *event = &thread->event[stack->top];
    stack->top = event->link;
    event->link = RF_NO_INDEX;
    if (ended_with_domain(d->load, event, ns))
        return NULL; /* the pop has no effect */
    end_event(event, ns);
    return event;
}

static inline void decode_pop(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t domain,
                              int64_t ns, struct rf_stream_cursor *cursor)
{
    struct rf_event *event = pop(d, thread, domain, ns);
    if (event != NULL && rf_data_may_follow(cursor))
        rf_decode_end_payloads(d, event, rf_decode_needed_data(d, cursor, domain));
}

/* Makes the newest event the innermost range of its domain. */
static inline void push_event(struct rf_decoder *d, struct rf_load_thread *thread,
                              struct rf_event *event)
{
    struct rf_load_stack *stack = stack_of(d, thread, event->domain);
    if (stack == NULL)
        return;
    event->kind = RF_EVENT_PUSH_POP;
    if (d->load->sums_paths)
        rf_path_walk_begin(event);
    event->link = stack->top;
    stack->top = (uint32_t)(thread->n - 1);
}

uint32_t rf_decode_domain(struct rf_decoder *d, const struct rf_load_thread *thread,
                          uint64_t handle)
{
    set_process(d, thread->process);
    return domain_of(d, handle);
}

void rf_decode_push(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t domain,
                    int64_t ns)
{
    struct rf_event *event = new_event(d, thread, ns);
    if (event == NULL)
        return;
    *event = (struct rf_event){.start_ns = ns,
                               .end_ns = RF_NO_TIME,
                               .name = RF_NO_STRING,
                               .domain = domain,
                               .link = RF_NO_INDEX};
    push_event(d, thread, event);
}

void rf_decode_pop(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t domain, int64_t ns)
{
    (void)pop(d, thread, domain, ns);
}

static void empty_stacks(struct rf_load_thread *thread)
{
    thread->n_stacks = thread->last_stack = 0;
    rf_map_release(&thread->stack_of);
}

void rf_decode_cut(const struct rf_load *load, struct rf_load_thread *thread, int64_t ns,
                   enum rf_cut cut)
{
    for (uint32_t i = 0; i < thread->n_stacks; i++) {
        for (uint32_t top = thread->stack[i].top; top != RF_NO_INDEX;) {
            struct rf_event *event = &thread->event[top];
            top = event->link;
            event->link = RF_NO_INDEX;
            if (ended_with_domain(load, event, ns))
                continue;
            event->end_ns = ns > event->start_ns ? ns : event->start_ns;
            event->cut = (uint8_t)cut;
        }
    }
    empty_stacks(thread);
}

void rf_decode_gap(const struct rf_load *load, struct rf_load_thread *thread)
{
    rf_decode_cut(load, thread, thread->last_ns, RF_CUT_LOST);
}

void rf_decode_reset(struct rf_load_thread *thread)
{
    free(thread->memory);
    thread->memory = thread->event = NULL;
    thread->n = thread->room = thread->n_ends = 0;
    thread->n_summed = thread->enough = thread->n_kept = thread->n_selected = 0;
    thread->settled_ns = RF_NO_TIME;
    thread->n_parents = 0;
    thread->n_end_payloads = 0;
    thread->n_unmatched = 0;
    thread->system_name = RF_NO_STRING;
    thread->last_ns = thread->end_ns = RF_NO_TIME;
    thread->is_unsorted = thread->has_ties = thread->has_starts = false;
    empty_stacks(thread);
}

/* ---- Records ---- */

static uint64_t next_word(const uint8_t **next, const uint8_t *end)
{
    if (*next >= end)
        return 0;
    uint64_t word = rf_load64(*next);
    *next += 8;
    return word;
}

static inline __attribute__((always_inline)) void
set_message(struct rf_decoder *d, struct rf_event *event, struct rf_stream_cursor *cursor,
            uint64_t attributes, uint64_t handle, uint64_t ticks, const uint8_t *text,
            const uint8_t *end)
{
    size_t n_words = (size_t)(end - text) / 8;
    switch (attributes >> RF_ATTR_MESSAGE_SHIFT & 3) {
    case RF_MESSAGE_TEXT:
        if (attributes & RF_ATTR_MORE) {
            event->name = long_text(d, cursor, text, n_words);
        } else {
            event->name = short_text(d, text, n_words);
        }
        break;
    case RF_MESSAGE_REGISTERED:
        event->name = string_of(d, handle, ticks, &event->flags);
        break;
    default:
        event->name = RF_NO_STRING;
    }
}

/* What a MARK, PUSH or START record says of its event. */
static inline __attribute__((always_inline)) void
set_attributes(struct rf_decoder *d, struct rf_event *event, struct rf_stream_cursor *cursor,
               const struct rf_record *record, int64_t ns)
{
    const uint8_t *next = record->words + 16, *end = record->words + 8 * (size_t)record->n_words;
    uint64_t attributes = record->n_words > 1 ? rf_load64(record->words + 8) : 0;
    uint64_t handle = attributes & RF_ATTR_DOMAIN_ESCAPE;
    uint64_t string = attributes >> 32;
    event->start_ns = ns;
    event->end_ns = RF_NO_TIME;
    event->payload = 0;
    event->category = event->color = 0;
    event->link = RF_NO_INDEX;
    event->flags = event->cut = 0;
    event->payload_type = attributes >> RF_ATTR_PAYLOAD_SHIFT & 7;
    if (handle == RF_ATTR_DOMAIN_ESCAPE)
        handle = next_word(&next, end);
    event->domain = domain_of(d, handle);
    if ((attributes >> RF_ATTR_MESSAGE_SHIFT & 3) == RF_MESSAGE_REGISTERED &&
        (string == RF_ATTR_STRING_ESCAPE || record->is_long))
        string = next_word(&next, end);
    if (attributes & (RF_ATTR_COLOR | RF_ATTR_CATEGORY)) {
        uint64_t word = next_word(&next, end);
        event->color = (uint32_t)word;
        event->category = (uint32_t)(word >> 32);
        event->flags = (attributes & RF_ATTR_COLOR ? RF_EVENT_HAS_COLOR : 0) |
                       (attributes & RF_ATTR_CATEGORY ? RF_EVENT_HAS_CATEGORY : 0);
    }
    if (event->payload_type != RF_PAYLOAD_NONE)
        event->payload = next_word(&next, end);
    set_message(d, event, cursor, attributes, string, record->ticks, next < end ? next : end, end);
}

/* The event of a MARK, PUSH or START record; NULL when out of memory. */
static struct rf_event *attributed_event(struct rf_decoder *d, struct rf_load_thread *thread,
                                         struct rf_stream_cursor *cursor,
                                         const struct rf_record *record, int64_t ns)
{
    struct rf_event *event = new_event(d, thread, ns);
    if (event == NULL)
        return NULL;
    set_attributes(d, event, cursor, record, ns);
    if (d->selector.tests != NULL && !d->load->keeps_events)
        rf_decode_tested_payloads(d, cursor, event);
    else if (rf_data_may_follow(cursor))
        rf_decode_payloads(event, rf_decode_needed_data(d, cursor, event->domain));
    return event;
}

static void add_start(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t thread_index,
                      struct rf_load_stream *stream, uint64_t counter)
{
    if (rf_grow_array(&stream->start, stream->n_starts, &stream->start_room,
                      sizeof(*stream->start)) != RF_OK) {
        d->is_out_of_memory = true;
        return;
    }
    if (d->load->sums_ranges && !d->load->keeps_events)
        rf_note_start(d, stream, counter);
    thread->has_starts = true;
    thread->event[thread->n - 1].link = (uint32_t)stream->n_starts;
    stream->start[stream->n_starts++] =
        (struct rf_load_start){counter, thread_index, (uint32_t)(thread->n - 1)};
}

static void add_end(struct rf_decoder *d, struct rf_load_thread *thread, uint64_t id, int64_t ns)
{
    if (rf_grow_array(&thread->end, thread->n_ends, &thread->end_room, sizeof(*thread->end)) !=
        RF_OK) {
        d->is_out_of_memory = true;
        return;
    }
    thread->end[thread->n_ends++] = (struct rf_load_end){id, ns};
    if (d->load->sums_ranges && !d->load->keeps_events)
        rf_note_end(d, thread);
}

/* The payloads that follow the END record that was added last. */
static void add_end_payloads(struct rf_decoder *d, struct rf_load_thread *thread,
                             struct rf_stream_cursor *cursor)
{
    uint64_t group = rf_decode_needed_data(d, cursor, RF_NO_INDEX);
    if (group == 0 || thread->n_ends == 0)
        return;
    if (rf_grow_array(&thread->end_payload, thread->n_end_payloads, &thread->end_payload_room,
                      sizeof(*thread->end_payload)) != RF_OK) {
        d->is_out_of_memory = true;
        return;
    }
    thread->end_payload[thread->n_end_payloads++] =
        (struct rf_load_end_payload){(uint32_t)(thread->n_ends - 1), group};
}

static void add_parent(struct rf_decoder *d, struct rf_load_thread *thread,
                       const struct rf_record *record)
{
    if (d->load->sums_ranges)
        return; /* they do not matter */
    if (rf_grow_array(&thread->parent, thread->n_parents, &thread->parent_room,
                      sizeof(*thread->parent)) != RF_OK) {
        d->is_out_of_memory = true;
        return;
    }
    thread->parent[thread->n_parents++] =
        (struct rf_load_parent){rf_load64(record->words + 8), rf_load64(record->words + 16)};
}

static void add_sync(struct rf_decoder *d, struct rf_load_thread *thread,
                     const struct rf_record *record, int64_t ns)
{
    uint64_t object = rf_load64(record->words + 8);
    struct rf_event *event = new_event(d, thread, ns);
    if (event == NULL)
        return;
    *event = (struct rf_event){.start_ns = ns,
                               .end_ns = RF_NO_TIME,
                               .handle = object,
                               .name = RF_NO_STRING,
                               .domain =
                                   rf_load_object_domain(d->load, d->process, RF_LOAD_SYNC, object),
                               .sync_operation = (uint32_t)rf_load64(record->words + 16),
                               .sync_index = object < UINT32_MAX ? (uint32_t)object : UINT32_MAX,
                               .link = RF_NO_INDEX,
                               .kind = RF_EVENT_SYNC};
}

/* THREAD and THREAD_END: the system's name for the thread; the later one holds. */
static void set_system_name(struct rf_decoder *d, struct rf_load_thread *thread,
                            const struct rf_record *record)
{
    const char *name = (const char *)record->words + 16;
    size_t size = record->n_words >= 4 ? strnlen(name, 16) : 0;
    if (size > 0)
        thread->system_name = add_text(d, name, size);
}

/* Other records than pushes and pops, which are most. */
static __attribute__((noinline)) void
decode_other(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t thread_index,
             struct rf_load_stream *stream, struct rf_stream_cursor *cursor,
             const struct rf_record *record, int64_t ns)
{
    uint64_t counter = cursor->n_starts; /* text and data that follow may move the cursor on */
    struct rf_event *event;
    switch (record->type) {
    case RF_REC_POP_DOMAIN:
        decode_pop(d, thread, domain_of(d, record->n_words > 1 ? rf_load64(record->words + 8) : 0),
                   ns, cursor);
        break;
    case RF_REC_MARK:
        event = attributed_event(d, thread, cursor, record, ns);
        if (event != NULL)
            event->kind = RF_EVENT_MARK;
        break;
    case RF_REC_START:
        event = attributed_event(d, thread, cursor, record, ns);
        if (event == NULL)
            break;
        event->kind = RF_EVENT_START_END;
        if (d->load->sums_paths)
            rf_path_walk_begin(event);
        add_start(d, thread, thread_index, stream, counter);
        break;
    case RF_REC_END:
        if (record->n_words > 1)
            add_end(d, thread, rf_load64(record->words + 8), ns);
        if (rf_data_may_follow(cursor))
            add_end_payloads(d, thread, cursor);
        break;
    case RF_REC_THREAD:
        set_system_name(d, thread, record);
        break;
    case RF_REC_THREAD_END:
        set_system_name(d, thread, record);
        rf_decode_cut(d->load, thread, ns, RF_CUT_THREAD_ENDED);
        thread->end_ns = ns;
        break;
    case RF_REC_SYNC:
        if (record->n_words > 2)
            add_sync(d, thread, record, ns);
        break;
    case RF_REC_PARENT:
        if (record->n_words > 2)
            add_parent(d, thread, record);
        break;
    default: /* VOID, COUNTER, EXT (nvtx_samples.c), TEXT without its beginning, or a later type */
        break;
    }
}

static inline __attribute__((always_inline)) void
decode_record(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t thread_index,
              struct rf_load_stream *stream, struct rf_stream_cursor *cursor,
              const struct rf_record *record, int64_t ns)
{
    struct rf_event *event;
    set_process(d, thread->process);
    if (ns > thread->last_ns)
        thread->last_ns = ns;
    if (record->type == RF_REC_PUSH) {
        event = attributed_event(d, thread, cursor, record, ns);
        if (event != NULL)
            push_event(d, thread, event);
    } else if (record->type == RF_REC_POP) {
        decode_pop(d, thread, d->load->process[d->process].default_domain, ns, cursor);
    } else {
        decode_other(d, thread, thread_index, stream, cursor, record, ns);
    }
}

/* A record of a focused recording. Records after the last capture only show which ranges were still
 * open, and only pops and ends in a capture can be unmatched. */
static __attribute__((noinline)) void
decode_focused(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t thread_index,
               struct rf_load_stream *stream, struct rf_stream_cursor *cursor,
               const struct rf_record *record, int64_t ns)
{
    const struct rf_capture_windows *windows = &d->load->windows;
    uint64_t n_unmatched = thread->n_unmatched;
    int64_t cut_ns;
    if (ns > windows->last_end_ns) {
        if (ns > thread->last_ns)
            thread->last_ns = ns;
        return;
    }
    /* outside of captures pushes and pops are not recorded */
    if (!windows->keeps_open && thread->n_stacks > 0 &&
        rf_windows_change(windows, thread->last_ns, ns, &cut_ns))
        rf_decode_cut(d->load, thread, cut_ns, RF_CUT_CAPTURE_ENDED);
    decode_record(d, thread, thread_index, stream, cursor, record, ns);
    if (!windows->keeps_open || !rf_windows_contain(windows, ns))
        thread->n_unmatched = n_unmatched;
}

void rf_decode_record(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t thread_index,
                      struct rf_load_stream *stream, struct rf_stream_cursor *cursor,
                      const struct rf_record *record)
{
    int64_t ns = rf_timeline_ns(&d->load->timeline, &d->line, record->ticks);
    /* CUDA does not describe the thread that wrote it (cuda_load.c), this DATA nothing at all */
    if (record->type == RF_REC_CUDA || record->type == RF_REC_DATA)
        return;
    if (d->load->windows.is_focused)
        decode_focused(d, thread, thread_index, stream, cursor, record, ns);
    else
        decode_record(d, thread, thread_index, stream, cursor, record, ns);
}

/* ---- Runs of pushes and pops ---- */

static inline uint32_t type_of(uint64_t head)
{
    return head & ((1u << RF_WORD_TYPE_BITS) - 1);
}

/* Whether a record pushes or pops and that is all of it: no text and no bytes go on behind it, and
 * another record follows in the part. */
static inline bool is_plain(const struct rf_record *record, const uint8_t *end)
{
    const size_t size = 8 * (size_t)record->n_words;
    if (size == 0 || (size_t)(end - record->words) <= size ||
        type_of(rf_load64(record->words + size)) == RF_REC_DATA)
        return false;
    if (record->type == RF_REC_PUSH)
        return record->n_words > 1 && (rf_load64(record->words + 8) & RF_ATTR_MORE) == 0;
    return record->type == RF_REC_POP || (record->type == RF_REC_POP_DOMAIN && record->n_words > 1);
}

static inline bool push(struct rf_decoder *d, struct rf_load_thread *thread,
                        const struct rf_record *record, int64_t ns)
{
    struct rf_event *event = new_event(d, thread, ns);
    if (event == NULL)
        return false;
    set_attributes(d, event, NULL, record, ns); /* its text does not go on: no cursor is needed */
    push_event(d, thread, event);
    return true;
}

uint64_t rf_decode_run(struct rf_decoder *d, struct rf_load_thread *thread,
                       struct rf_stream_cursor *cursor, size_t n_enough)
{
    struct rf_stream_cursor c = *cursor; /* nobody else has it: it need not be in memory */
    uint64_t latest = 0;
    int64_t last_ns = thread->last_ns;
    if (d->load->windows.is_focused || d->selector.tests != NULL || thread->n >= n_enough)
        return 0;
    set_process(d, thread->process);
    const uint32_t default_domain = d->load->process[d->process].default_domain;
    while (c.at < c.end) {
        const uint64_t head = rf_load64(c.at);
        const struct rf_record record = {
            .words = c.at,
            .n_words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS,
            .type = type_of(head),
            .ticks = rf_complete_ticks(c.ticks, head >> RF_WORD_TICK_SHIFT)};
        if (!is_plain(&record, c.end))
            break;
        const int64_t ns = rf_timeline_ns(&d->load->timeline, &d->line, record.ticks);
        if (record.type == RF_REC_POP)
            (void)pop(d, thread, default_domain, ns);
        else if (record.type == RF_REC_POP_DOMAIN)
            (void)pop(d, thread, domain_of(d, rf_load64(record.words + 8)), ns);
        else if (!push(d, thread, &record, ns))
            break;
        c.at += 8 * (size_t)record.n_words;
        c.ticks = record.ticks;
        latest = c.ticks > latest ? c.ticks : latest;
        last_ns = ns > last_ns ? ns : last_ns;
        if (record.type == RF_REC_PUSH && thread->n >= n_enough)
            break;
    }
    thread->last_ns = last_ns;
    *cursor = c;
    return latest;
}
