/* SPDX-License-Identifier: Apache-2.0 */
/* Each record of a ring is looked at here once, as fast as programs write them: records are not
 * unpacked, and their whole times are not made. */
#include "log/condense.h"

#include <stdlib.h>
#include <string.h>

#include "log/part_reader.h"
#include "log/records.h"

#define MOST_RECORDS (RF_PART_SIZE / 8)
#define MOST_DOMAINS 8u
#define NONE         UINT32_MAX
#define TICK_BITS    (~(uint64_t)((1u << RF_WORD_TICK_SHIFT) - 1)) /* of word 0 */
/* Times of a part further from its own need the records between them. */
#define FAR_TICKS (1ULL << 49)

/* A record that stays, unless it goes with its begin or end. */
struct kept {
    uint32_t at, size; /* in the part; with the TEXT and DATA behind it */
    uint32_t link;     /* PUSH: the one under it on its stack; START: its place among those */
    uint32_t type;     /* 0: it has gone */
};

struct start {
    uint64_t counter; /* its number in the stream */
    uint32_t kept;    /* index */
};

struct stack {
    uint64_t domain; /* handle */
    uint32_t top;    /* index into kept, or NONE */
};

struct rf_condenser {
    struct kept kept[MOST_RECORDS];
    uint32_t n_kept;
    struct start start[MOST_RECORDS]; /* by counter */
    uint32_t n_starts;
    struct stack stack[MOST_DOMAINS];
    uint32_t n_stacks, last_stack;
    uint8_t out[RF_PART_SIZE];

    /* of the part that is walked over */
    const uint8_t *part;
    uint32_t end;
    uint64_t own_id;      /* of ranges of its stream: all but the counter */
    uint64_t first_ticks; /* as in word 0, likewise below */
    uint64_t last_ticks;
    uint64_t first_start, n_stream_starts;
    uint64_t n_records;
    bool is_behind_kept; /* TEXT and DATA belong to the record that was kept last */
    bool is_bad;         /* it is to be taken as it is */
    rf_condense_thread *on_thread;
    void *context;
};

struct rf_condenser *rf_condenser_new(void)
{
    return malloc(sizeof(struct rf_condenser));
}

void rf_condenser_free(struct rf_condenser *c)
{
    free(c);
}

/* ---- Records ---- */

static inline uint64_t word_of(const struct rf_condenser *c, uint32_t at, uint32_t i)
{
    return rf_load64(c->part + at + 8 * (size_t)i);
}

static inline uint32_t keep(struct rf_condenser *c, uint32_t at, uint32_t n_words, uint32_t type)
{
    c->kept[c->n_kept] = (struct kept){at, 8 * n_words, NONE, type};
    return c->n_kept++;
}

/* Makes the stack of a domain the last one; where there is no room for one more, the part is bad.
 */
static struct stack *change_stack(struct rf_condenser *c, uint64_t domain)
{
    uint32_t i = 0;
    while (i < c->n_stacks && c->stack[i].domain != domain)
        i++;
    if (i == MOST_DOMAINS) {
        c->is_bad = true;
        i = 0;
    } else if (i == c->n_stacks) {
        c->stack[c->n_stacks++] = (struct stack){domain, NONE};
    }
    c->last_stack = i;
    return &c->stack[i];
}

static inline struct stack *find_stack(struct rf_condenser *c, uint64_t domain)
{
    struct stack *stack = &c->stack[c->last_stack];
    return c->n_stacks > 0 && stack->domain == domain ? stack : change_stack(c, domain);
}

static inline void take_push(struct rf_condenser *c, uint32_t at, uint32_t n_words)
{
    const uint64_t attributes = n_words > 1 ? word_of(c, at, 1) : 0;
    uint64_t domain = attributes & RF_ATTR_DOMAIN_ESCAPE;
    if (domain == RF_ATTR_DOMAIN_ESCAPE)
        domain = n_words > 2 ? word_of(c, at, 2) : 0;
    struct stack *stack = find_stack(c, domain);
    const uint32_t i = keep(c, at, n_words, RF_REC_PUSH);
    c->kept[i].link = stack->top;
    stack->top = i;
}

static inline void take_pop(struct rf_condenser *c, uint32_t at, uint32_t n_words, uint32_t type)
{
    const bool has_domain = type == RF_REC_POP_DOMAIN && n_words > 1;
    struct stack *stack = find_stack(c, has_domain ? word_of(c, at, 1) : 0);
    if (stack->top == NONE) {
        (void)keep(c, at, n_words, type);
        return;
    }
    struct kept *push = &c->kept[stack->top];
    stack->top = push->link;
    push->type = 0;
    c->n_kept -= push == &c->kept[c->n_kept - 1];
}

static inline void take_start(struct rf_condenser *c, uint32_t at, uint32_t n_words)
{
    const uint32_t i = keep(c, at, n_words, RF_REC_START);
    c->kept[i].link = c->n_starts;
    c->start[c->n_starts++] = (struct start){++c->n_stream_starts, i};
}

/* The START with this number, if the range is open. */
static struct kept *find_start(struct rf_condenser *c, uint64_t counter)
{
    uint32_t low = 0, high = c->n_starts;
    if (high > 0 && c->start[high - 1].counter == counter)
        low = high - 1; /* mostly */
    while (low < high && c->start[low].counter != counter) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->start[middle].counter < counter)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == c->n_starts || c->start[low].counter != counter)
        return NULL;
    struct kept *start = &c->kept[c->start[low].kept];
    return start->type == RF_REC_START ? start : NULL;
}

static inline void take_end(struct rf_condenser *c, uint32_t at, uint32_t n_words)
{
    const uint64_t mask = (1ULL << RF_ID_COUNTER_BITS) - 1;
    const uint64_t id = n_words > 1 ? word_of(c, at, 1) : 0;
    struct kept *start = (id & ~mask) == c->own_id ? find_start(c, id & mask) : NULL;
    if (start != NULL)
        start->type = 0;
    else
        (void)keep(c, at, n_words, RF_REC_END);
}

/* TEXT or DATA. */
static inline void take_more(struct rf_condenser *c, uint32_t at, uint32_t n_words, uint32_t type)
{
    if (c->is_behind_kept && c->n_kept > 0)
        c->kept[c->n_kept - 1].size += 8 * n_words;
    else if (c->is_behind_kept)
        (void)keep(c, at, n_words, type); /* of a record in the part before */
}

/* What follows is another thread's. */
static void take_break(struct rf_condenser *c, uint32_t at, uint32_t n_words, uint32_t type)
{
    const uint64_t thread = n_words > 1 ? word_of(c, at, 1) : 0;
    (void)keep(c, at, n_words, type);
    c->n_stacks = c->last_stack = 0;
    c->is_bad |= n_words < 2;
    if (type == RF_REC_THREAD)
        c->on_thread(c->context, (uint32_t)thread, (uint32_t)(thread >> 32));
}

static inline void take_record(struct rf_condenser *c, uint32_t at, uint32_t n_words, uint32_t type)
{
    const uint32_t n_before = c->n_kept;
    switch (type) {
    case RF_REC_TEXT:
    case RF_REC_DATA:
        take_more(c, at, n_words, type);
        return;
    case RF_REC_PUSH:
        take_push(c, at, n_words);
        break;
    case RF_REC_POP:
    case RF_REC_POP_DOMAIN:
        take_pop(c, at, n_words, type);
        break;
    case RF_REC_START:
        take_start(c, at, n_words);
        break;
    case RF_REC_END:
        take_end(c, at, n_words);
        break;
    case RF_REC_COUNTER:
        c->n_stream_starts = n_words > 1 ? word_of(c, at, 1) : c->n_stream_starts;
        c->is_bad |= c->n_starts > 0 && c->n_stream_starts < c->start[c->n_starts - 1].counter;
        break;
    case RF_REC_THREAD:
    case RF_REC_THREAD_END:
        take_break(c, at, n_words, type);
        break;
    case RF_REC_LOST:
        c->is_bad = true;
        break;
    default:
        break;
    }
    c->is_behind_kept = c->n_kept > n_before;
}

static void take_records(struct rf_condenser *c)
{
    uint32_t at = RF_PART_RECORDS_OFFSET;
    while (at < c->end) {
        const uint64_t head = rf_load64(c->part + at);
        const uint32_t type = head & ((1u << RF_WORD_TYPE_BITS) - 1), room = (c->end - at) / 8;
        uint32_t n_words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        if (head == 0)
            return;
        if (n_words == 0 && room > 1)
            n_words = (uint32_t)(word_of(c, at, 1) >> 32);
        if (n_words - 1 >= room) {
            c->is_bad = true; /* they break off */
            return;
        }
        c->last_ticks = head & TICK_BITS;
        /* times go on from one to the next by less than half of what stands in word 0: none of
         * them is far from the part's own, or this sees one that is */
        c->is_bad |= (c->last_ticks - c->first_ticks + (FAR_TICKS / 2 << RF_WORD_TICK_SHIFT)) >>
                     RF_WORD_TICK_SHIFT > FAR_TICKS;
        c->n_records += type != RF_REC_DATA;
        take_record(c, at, n_words, type);
        at += 8 * n_words;
    }
}

/* ---- What is written ---- */

static uint32_t put(struct rf_condenser *c, uint32_t at, const void *bytes, uint32_t size)
{
    memcpy(c->out + at, bytes, size);
    return at + size;
}

static uint32_t put_counter(struct rf_condenser *c, uint32_t at, uint64_t ticks, uint64_t n_starts)
{
    const uint64_t words[2] = {ticks | 2u << RF_WORD_TYPE_BITS | RF_REC_COUNTER, n_starts};
    return put(c, at, words, sizeof(words));
}

/* Bytes of what stays; a counter before each, one at the end, and a VOID. */
static uint64_t size_of_rest(const struct rf_condenser *c)
{
    uint64_t size = RF_PART_RECORDS_OFFSET + 24;
    for (uint32_t i = 0; i < c->n_kept; i++)
        size += c->kept[i].type != 0 ? c->kept[i].size + 16 : 0;
    return size;
}

/* Where STARTs are missing before record i of those that stay, a COUNTER says how many there were;
 * before the last one, which TEXT may follow, all of them. */
static uint32_t write_counter(struct rf_condenser *c, uint32_t at, uint32_t i, uint64_t *n_starts)
{
    const struct kept *kept = &c->kept[i];
    const bool is_start = kept->type == RF_REC_START;
    uint64_t n = *n_starts;
    if (is_start)
        n = c->start[kept->link].counter - 1;
    else if (i + 1 == c->n_kept)
        n = c->n_stream_starts;
    if (n != *n_starts)
        at = put_counter(c, at, word_of(c, kept->at, 0) & TICK_BITS, n);
    *n_starts = n + is_start;
    return at;
}

/* A VOID ends what TEXT may follow. */
static uint32_t write_rest(struct rf_condenser *c)
{
    uint64_t n_starts = c->first_start;
    uint32_t at = put(c, 0, c->part, RF_PART_RECORDS_OFFSET);
    for (uint32_t i = 0; i < c->n_kept; i++) {
        if (c->kept[i].type == 0)
            continue;
        at = write_counter(c, at, i, &n_starts);
        at = put(c, at, c->part + c->kept[i].at, c->kept[i].size);
    }
    if (n_starts != c->n_stream_starts)
        at = put_counter(c, at, c->last_ticks, c->n_stream_starts);
    if (!c->is_behind_kept) {
        const uint64_t word = c->last_ticks | 1u << RF_WORD_TYPE_BITS | RF_REC_VOID;
        at = put(c, at, &word, sizeof(word));
    }
    struct rf_chunk_header header;
    memcpy(&header, c->out, sizeof(header));
    header.size = at - sizeof(header);
    memcpy(c->out, &header, sizeof(header));
    return at;
}

/* ---- All ---- */

static void begin(struct rf_condenser *c, const struct rf_log_part *part,
                  const struct rf_part_view view)
{
    const struct rf_part_header header = rf_part_header(part);
    c->n_kept = c->n_starts = c->n_stacks = c->last_stack = 0;
    c->part = view.data;
    c->end = view.size & ~7u;
    c->own_id = rf_range_id(part->process, part->slot, 0);
    c->first_ticks = c->last_ticks = part->ticks << RF_WORD_TICK_SHIFT;
    c->first_start = c->n_stream_starts = header.first_start;
    c->n_records = 0;
    c->is_behind_kept = true;
    c->is_bad = !part->is_complete || part->is_carried || part->size > RF_PART_SIZE ||
                view.size < part->size;
}

bool rf_condense(struct rf_condenser *c, struct rf_part_reader *reader,
                 const struct rf_log_part *part, rf_condense_thread *on_thread, void *context,
                 struct rf_condensed *condensed)
{
    begin(c, part, rf_part_view(reader, part));
    c->on_thread = on_thread;
    c->context = context;
    if (!c->is_bad)
        take_records(c);
    if (c->is_bad || size_of_rest(c) > part->size / 2)
        return false;
    const uint32_t size = write_rest(c);
    *condensed = (struct rf_condensed){c->out, size, c->n_records};
    return true;
}
