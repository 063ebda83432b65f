/* SPDX-License-Identifier: Apache-2.0 */
/* Both ways keep the same list of forms, and which one followed which. It begins anew in each part,
 * so that each can be read without the others. */
#include "log/columns.h"

#include <stdlib.h>
#include <string.h>

#include "log/chunks.h"

#define HEAD_MASK  ((1u << RF_WORD_TICK_SHIFT) - 1)
#define TYPE_MASK  ((1u << RF_WORD_TYPE_BITS) - 1)
#define HASH_SHIFT 52 /* to an index of place[] */
#define SIGN_SHIFT (64 - 53)
#define NOT_KEPT   RF_N_FORMS

static const struct rf_split_step each_tick = {.step = RF_STEP_ONE};

void rf_columns_init(struct rf_columns *c)
{
    for (uint32_t i = 0; i < RF_N_SPLITS; i++)
        c->column[i] = (struct rf_split){c->memory + (size_t)i * RF_SPLIT_MOST, 0};
    c->step = each_tick;
    c->n_split = 0;
}

static void begin(struct rf_columns *c)
{
    for (uint32_t i = 0; i <= RF_N_FORMS; i++)
        c->form[i].n_words = 0;
    memset(c->next, 0, sizeof(c->next));
    c->next_form = 0;
}

static bool is_kept(uint32_t head, uint32_t n_words)
{
    return n_words <= RF_FORM_MOST && head >> RF_WORD_TYPE_BITS != 0;
}

/* Where the next new form goes. */
static uint32_t place_form(struct rf_columns *c, uint32_t head, uint32_t n_words)
{
    uint32_t i = NOT_KEPT;
    if (is_kept(head, n_words)) {
        i = c->next_form;
        c->next_form = (c->next_form + 1) % RF_N_FORMS;
    }
    c->form[i].head = head;
    c->form[i].n_words = n_words;
    return i;
}

/* What is taken off word 1, so that an END that follows its START has the same form as others. */
static uint64_t off_word1(uint32_t head, uint64_t next_id)
{
    return head == (RF_REC_END | 2u << RF_WORD_TYPE_BITS) ? next_id : 0;
}

/* ---- Apart ---- */

/* The length of the record at words; 0: none that ends in n_room words. */
static uint32_t words_of(const uint8_t *words, uint32_t n_room)
{
    const uint64_t head = rf_load64(words);
    uint64_t n = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
    uint64_t fewest = 1;
    if (n == 0 && n_room > 1) {
        n = rf_load64(words + 8) >> 32;
        fewest = 2;
    }
    return head != 0 && n >= fewest && n <= n_room ? (uint32_t)n : 0;
}

static void put(struct rf_split *column, const void *data, uint32_t size)
{
    memcpy(column->data + column->size, data, size);
    column->size += size;
}

static void put_byte(struct rf_split *column, uint32_t byte)
{
    column->data[column->size++] = (uint8_t)byte;
}

/* The time since the one before, in 32 bits; RF_TIME_WHOLE: it does not fit. */
static uint32_t time_since(uint64_t low, uint64_t before)
{
    const int64_t since = (int64_t)((low - before) << SIGN_SHIFT) >> SIGN_SHIFT;
    return since > -(int64_t)RF_TIME_WHOLE && since < (int64_t)RF_TIME_WHOLE ? (uint32_t)since
                                                                             : RF_TIME_WHOLE;
}

/* Puts the time of a record that comes behind the time *before. */
static void split_time(struct rf_part_times *times, uint64_t *before, uint64_t low)
{
    const uint32_t since = time_since(low, *before);
    times->since[times->n++] = since;
    if (since == RF_TIME_WHOLE)
        times->whole[times->n_whole++] = low;
    *before = low;
}

/* A record that is split: all of it but its time. */
struct rest_of_record {
    const uint8_t *words;
    uint64_t word1;
    uint32_t head, n_words;
};

static uint32_t hash_of(const struct rest_of_record *r)
{
    uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t hash = r->head * factor + r->word1 * 0xd6e8feb86659fd93u;
    for (uint32_t i = 2; i < r->n_words; i++) {
        factor += 0xa0761d6478bd642eu; /* stays odd */
        hash += rf_load64(r->words + 8 * (size_t)i) * factor;
    }
    return (uint32_t)((hash ^ hash >> 31) * 0x9e3779b97f4a7c15u >> HASH_SHIFT);
}

static bool is_form(const struct rf_form *form, const struct rest_of_record *r)
{
    uint64_t differs = (form->head ^ r->head) | (form->n_words ^ r->n_words);
    if (differs == 0 && r->n_words > 1)
        differs = form->body[0] ^ r->word1;
    for (uint32_t i = 2; i < r->n_words && differs == 0; i++)
        differs = form->body[i - 1] ^ rf_load64(r->words + 8 * (size_t)i);
    return differs == 0;
}

/* Adds a form to the columns, and keeps it if that may be. Returns its index. */
static uint32_t put_form(struct rf_columns *c, const struct rest_of_record *r)
{
    const uint16_t head = (uint16_t)r->head;
    put(&c->column[RF_SPLIT_HEAD], &head, sizeof(head));
    if (r->n_words > 1) {
        put(&c->column[RF_SPLIT_BODY], &r->word1, sizeof(r->word1));
        put(&c->column[RF_SPLIT_BODY], r->words + 16, 8 * (r->n_words - 2));
    }
    const uint32_t i = place_form(c, r->head, r->n_words);
    c->form[i].body[0] = r->word1;
    if (i != NOT_KEPT && r->n_words > 2)
        memcpy(c->form[i].body + 1, r->words + 16, 8 * (size_t)(r->n_words - 2));
    return i;
}

/* The form of a record that has not the expected one. */
static uint32_t split_form(struct rf_columns *c, const struct rest_of_record *r)
{
    uint8_t *place = &c->place[hash_of(r)];
    uint32_t i = *place;
    if (is_form(&c->form[i], r)) {
        put_byte(&c->column[RF_SPLIT_FORM], i);
        return i;
    }
    put_byte(&c->column[RF_SPLIT_FORM], RF_FORM_NEW);
    i = put_form(c, r);
    if (i != NOT_KEPT)
        *place = (uint8_t)i;
    return i;
}

/* The times as bytes. */
static void put_times(struct rf_columns *c, const struct rf_part_times *times)
{
    for (uint32_t k = 0; k < 4; k++) {
        uint8_t *to = c->column[RF_SPLIT_TIME + k].data;
        for (uint32_t i = 0; i < times->n; i++)
            to[i] = (uint8_t)(times->since[i] >> 8 * k);
        c->column[RF_SPLIT_TIME + k].size = times->n;
    }
    put(&c->column[RF_SPLIT_WHOLE_TIME], times->whole,
        times->n_whole * (uint32_t)sizeof(times->whole[0]));
}

/* In steps where the clock has some; they are looked for more and more seldom, if there are none.
 */
static void split_times(struct rf_columns *c, uint64_t ticks)
{
    bool has_steps =
        c->step.step != RF_STEP_ONE && rf_steps_of_ticks(&c->step, ticks, &c->ticks, &c->steps);
    c->n_split++;
    if (!has_steps && (c->n_split & (c->n_split - 1)) == 0)
        has_steps = rf_steps_find(&c->step, ticks, &c->ticks, &c->steps);
    if (!has_steps)
        c->step = each_tick;
    put_times(c, has_steps ? &c->steps : &c->ticks);
}

bool rf_columns_split(struct rf_columns *c, const struct rf_columns_base *base,
                      const uint8_t *records, uint32_t size)
{
    const uint64_t begin_ticks = base->ticks & RF_WORD_TICK_MASK;
    uint64_t before = begin_ticks, next_id = base->first_id;
    uint32_t last = NOT_KEPT, run = 0;
    struct rest_of_record r;
    begin(c);
    for (uint32_t i = RF_SPLIT_WHOLE_TIME; i < RF_N_SPLITS; i++)
        c->column[i].size = 0;
    memset(c->place, 0, sizeof(c->place));
    c->ticks.n = c->ticks.n_whole = 0;
    for (uint32_t at = 0; at < size; at += 8 * r.n_words) {
        const uint64_t word0 = rf_load64(records + at), low = word0 >> RF_WORD_TICK_SHIFT;
        r.words = records + at;
        r.head = word0 & HEAD_MASK;
        r.n_words = words_of(r.words, (size - at) / 8);
        if (r.n_words == 0)
            return false;
        r.word1 = r.n_words > 1 ? rf_load64(r.words + 8) - off_word1(r.head, next_id) : 0;
        split_time(&c->ticks, &before, low);
        if (last != NOT_KEPT && is_form(&c->form[c->next[last]], &r)) {
            last = c->next[last];
            if (++run == RF_RUN_MOST) {
                put_byte(&c->column[RF_SPLIT_RUN], run);
                run = 0;
            }
        } else {
            put_byte(&c->column[RF_SPLIT_RUN], run);
            run = 0;
            const uint32_t form = split_form(c, &r);
            if (form != NOT_KEPT)
                c->next[last] = (uint8_t)form;
            last = form;
        }
        next_id += (word0 & TYPE_MASK) == RF_REC_START;
    }
    if (run > 0)
        put_byte(&c->column[RF_SPLIT_RUN], run);
    split_times(c, begin_ticks);
    return true;
}

/* ---- Together ---- */

/* What is left of the columns that are read as they are needed. */
struct rest {
    const uint8_t *whole_time, *run, *form, *head, *body;
    uint32_t n_whole_time, n_run, n_form, n_head, n_body; /* bytes */
};

static struct rest rest_of(const struct rf_columns *c)
{
    const struct rf_split *column = c->column;
    return (struct rest){column[RF_SPLIT_WHOLE_TIME].data, column[RF_SPLIT_RUN].data,
                         column[RF_SPLIT_FORM].data,       column[RF_SPLIT_HEAD].data,
                         column[RF_SPLIT_BODY].data,       column[RF_SPLIT_WHOLE_TIME].size,
                         column[RF_SPLIT_RUN].size,        column[RF_SPLIT_FORM].size,
                         column[RF_SPLIT_HEAD].size,       column[RF_SPLIT_BODY].size};
}

static bool take(const uint8_t **at, uint32_t *n, void *to, uint32_t size)
{
    if (*n < size)
        return false;
    memcpy(to, *at, size);
    *at += size;
    *n -= size;
    return true;
}

/* The next new form; *body is what it has behind word 0. Returns its index, or RF_N_FORMS + 1 if
 * the columns do not have it. */
static uint32_t take_form(struct rf_columns *c, struct rest *rest, const uint8_t **body)
{
    const uint32_t none = RF_N_FORMS + 1;
    uint16_t head;
    if (!take(&rest->head, &rest->n_head, &head, sizeof(head)) || head > HEAD_MASK)
        return none;
    uint64_t n_words = head >> RF_WORD_TYPE_BITS;
    if (n_words == 0 && rest->n_body >= 8)
        n_words = rf_load64(rest->body) >> 32;
    if (n_words == 0 || n_words - 1 > rest->n_body / 8)
        return none;
    const uint32_t size = 8 * (uint32_t)(n_words - 1);
    const uint32_t i = place_form(c, head, (uint32_t)n_words);
    *body = rest->body;
    rest->body += size;
    rest->n_body -= size;
    if (i != NOT_KEPT)
        memcpy(c->form[i].body, *body, size);
    return i;
}

/* Most records are copied without a loop: there is room behind them. */
static void copy_body(uint8_t *to, const uint8_t *body, uint32_t n_words)
{
    if (n_words <= 5)
        memcpy(to, body, 32);
    else
        memcpy(to, body, 8 * (size_t)(n_words - 1));
}

static bool join_times(struct rf_columns *c)
{
    const struct rf_split *time = &c->column[RF_SPLIT_TIME];
    const uint32_t n = time[0].size;
    const uint8_t *b0 = time[0].data, *b1 = time[1].data, *b2 = time[2].data, *b3 = time[3].data;
    if (n > RF_PART_SIZE / 8 || time[1].size != n || time[2].size != n || time[3].size != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        c->ticks.since[i] =
            b0[i] | (uint32_t)b1[i] << 8 | (uint32_t)b2[i] << 16 | (uint32_t)b3[i] << 24;
    return true;
}

static bool take_whole_time(const struct rf_columns *c, struct rest *rest,
                            struct rf_step_place *place)
{
    uint64_t whole;
    if (!take(&rest->whole_time, &rest->n_whole_time, &whole, sizeof(whole)))
        return false;
    *place = rf_whole_place(whole);
    return c->step.step != RF_STEP_ONE || whole <= RF_WORD_TICK_MASK;
}

static bool is_all_used(const struct rest *rest)
{
    return rest->n_whole_time + rest->n_run + rest->n_form + rest->n_head + rest->n_body == 0;
}

/* The next run; *has_form: a form follows it. */
static bool take_run(struct rest *rest, uint32_t *run, bool *has_form)
{
    uint8_t byte;
    *run = 0;
    *has_form = false;
    while (*run == 0 && !*has_form) {
        if (!take(&rest->run, &rest->n_run, &byte, 1))
            return false;
        *run = byte;
        *has_form = byte != RF_RUN_MOST;
    }
    return true;
}

bool rf_columns_join(struct rf_columns *c, const struct rf_columns_base *base, uint8_t *records,
                     uint32_t size)
{
    struct rest rest = rest_of(c);
    struct rf_step_place place = {base->ticks & RF_WORD_TICK_MASK, c->step.phase};
    uint64_t next_id = base->first_id;
    const uint32_t n = c->column[RF_SPLIT_TIME].size;
    uint32_t last = NOT_KEPT, run = 0, at = 0;
    bool has_form = false;
    begin(c);
    if (c->step.step > RF_STEP_MOST || !join_times(c))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *body;
        if (run == 0 && !has_form && !take_run(&rest, &run, &has_form))
            return false;
        if (run > 0) {
            run--;
            if (last == NOT_KEPT)
                return false;
            last = c->next[last];
            body = (const uint8_t *)c->form[last].body;
        } else {
            uint8_t tag;
            if (!take(&rest.form, &rest.n_form, &tag, 1))
                return false;
            uint32_t form = tag;
            body = (const uint8_t *)c->form[form].body;
            if (tag == RF_FORM_NEW)
                form = take_form(c, &rest, &body);
            if (form > NOT_KEPT)
                return false;
            if (form != NOT_KEPT)
                c->next[last] = (uint8_t)form;
            last = form;
            has_form = false;
        }
        const struct rf_form *form = &c->form[last];
        const uint32_t head = form->head, n_words = form->n_words, since = c->ticks.since[i];
        if (n_words == 0 || n_words > (size - at) / 8)
            return false;
        place = rf_steps_go(c->step.step, place, (int32_t)since);
        if (since == RF_TIME_WHOLE && !take_whole_time(c, &rest, &place))
            return false;
        const uint64_t word0 = place.ticks << RF_WORD_TICK_SHIFT | head;
        copy_body(records + at + 8, body, n_words);
        memcpy(records + at, &word0, sizeof(word0));
        if (off_word1(head, 1) != 0) {
            const uint64_t id = rf_load64(body) + next_id;
            memcpy(records + at + 8, &id, sizeof(id));
        }
        next_id += (head & TYPE_MASK) == RF_REC_START;
        at += 8 * n_words;
    }
    return at == size && is_all_used(&rest);
}
