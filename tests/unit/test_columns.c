/* SPDX-License-Identifier: Apache-2.0 */
/* Parts as columns and back, to the byte; and columns that hold anything. */
#include "unit.h"

#include "log/columns.h"
#include "log/compress.h"

#define ROUNDS 400

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 11) % n;
}

/* A part's records, and what they refer to. */
struct records {
    uint64_t words[RF_PART_SIZE / 8];
    uint32_t n, n_most;
    struct rf_columns_base base;
};

static uint64_t random_step(void)
{
    switch (random_below(12)) {
    case 0:
        return (uint64_t)-1 - random_below(5000); /* a handler came between */
    case 1:
        return random_below((uint64_t)1 << 53);
    case 2:
        return (uint64_t)1 << (20 + random_below(30));
    case 3:
        return RF_TIME_WHOLE - 2 + random_below(5);
    default:
        return random_below(3000);
    }
}

static bool add(struct records *r, uint64_t *ticks, uint64_t type, const uint64_t *body, uint32_t n)
{
    if (r->n + n + 1 > r->n_most)
        return false;
    *ticks += random_step();
    const uint64_t length = n + 1 <= RF_WORD_MAX_WORDS ? n + 1 : 0;
    r->words[r->n++] = *ticks << RF_WORD_TICK_SHIFT | length << RF_WORD_TYPE_BITS | type;
    for (uint32_t i = 0; i < n; i++)
        r->words[r->n++] = body[i];
    if (length == 0)
        r->words[r->n - n] = (uint64_t)(n + 1) << 32;
    return true;
}

/* Pushes with some of n_names, pops, ranges with ids, and what nobody knows, until one does not
 * fit. */
static void fill(struct records *r, uint32_t n_words, uint32_t n_names)
{
    uint64_t ticks = r->base.ticks, body[600], started = r->base.first_id;
    bool fits = true;
    *r = (struct records){.n_most = n_words, .base = r->base};
    while (fits) {
        const uint64_t what = random_below(10);
        const uint32_t n = what == 0   ? 4
                           : what == 1 ? 1
                           : what == 2 ? (uint32_t)random_below(random_below(30) == 0 ? 600 : 20)
                           : what < 6  ? 0
                                       : 1 + (uint32_t)random_below(5);
        for (uint32_t k = 0; k < n; k++)
            body[k] = k == 0 ? 1 << 24 : (random_below(n_names) + k) * 0x0101010101010101u;
        if (what == 0) {
            fits = add(r, &ticks, RF_REC_START, body, n);
            started += fits;
        } else if (what == 1) {
            body[0] = started - 1 - random_below(3);
            fits = add(r, &ticks, RF_REC_END, body, n);
        } else {
            fits = add(r, &ticks, what == 2 ? 31 : what < 6 ? RF_REC_POP : RF_REC_PUSH, body, n);
        }
    }
}

static struct rf_columns *new_columns(void)
{
    struct rf_columns *c = calloc(1, sizeof(*c));
    assert_non_null(c);
    rf_columns_init(c);
    return c;
}

static void test_both_ways(void **state)
{
    struct rf_columns *c = new_columns(), *other = new_columns();
    struct records *r = calloc(1, sizeof(*r));
    uint8_t *back = malloc(RF_EXPANDED_ROOM);
    (void)state;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        random_state = i + 1;
        r->base = (struct rf_columns_base){random_below(UINT64_MAX), rf_range_id(7, i, i)};
        fill(r, (uint32_t)random_below((RF_PART_SIZE - RF_PART_RECORDS_OFFSET) / 8 + 1),
             i % 3 == 0   ? 3
             : i % 3 == 1 ? 40
                          : 1 << 20);
        assert_true(rf_columns_split(c, &r->base, (uint8_t *)r->words, 8 * r->n));
        for (uint32_t k = 0; k < RF_N_SPLITS; k++) {
            memcpy(other->column[k].data, c->column[k].data, c->column[k].size);
            other->column[k].size = c->column[k].size;
        }
        memset(back, 0xee, RF_EXPANDED_ROOM);
        assert_true(rf_columns_join(other, &r->base, back, 8 * r->n));
        assert_memory_equal(back, r->words, 8 * (size_t)r->n);
        if (r->n > 0)
            assert_false(rf_columns_join(other, &r->base, back, 8 * (r->n - 1)));
    }
    free(back);
    free(r);
    free(c);
    free(other);
}

/* Records that break off are not split: the part is compressed as it is. */
static void test_broken(void **state)
{
    struct rf_columns *c = new_columns();
    struct records *r = calloc(1, sizeof(*r));
    (void)state;
    random_state = 5;
    fill(r, 1000, 3);
    assert_true(rf_columns_split(c, &r->base, (uint8_t *)r->words, 8 * r->n));
    for (uint32_t n = 1; n < r->n; n++) /* whole records, or none that fits */
        (void)rf_columns_split(c, &r->base, (uint8_t *)r->words, 8 * n);
    r->words[0] = 0;
    assert_false(rf_columns_split(c, &r->base, (uint8_t *)r->words, 8 * r->n));
    r->words[0] = RF_REC_PUSH | 63 << RF_WORD_TYPE_BITS;
    assert_false(rf_columns_split(c, &r->base, (uint8_t *)r->words, 8 * 62));
    free(r);
    free(c);
}

/* Columns of any content and size give records or nothing, and touch nothing else. */
static void test_any_columns(void **state)
{
    struct rf_columns *c = new_columns();
    struct records *r = calloc(1, sizeof(*r));
    uint8_t *back = malloc(RF_EXPANDED_ROOM);
    uint32_t n_joined = 0;
    (void)state;
    for (uint32_t i = 0; i < 20 * ROUNDS; i++) {
        random_state = i + 1;
        if (i % 16 == 0)
            fill(r, 4000, 20);
        if (r->n == 0 || !rf_columns_split(c, &r->base, (uint8_t *)r->words, 8 * r->n))
            continue;
        for (uint64_t n = random_below(4); n > 0; n--) {
            struct rf_split *column = &c->column[random_below(RF_N_SPLITS)];
            if (column->size > 0 && random_below(3) > 0)
                column->data[random_below(column->size)] = (uint8_t)random_below(256);
            else
                column->size = (uint32_t)random_below(random_below(2) ? 65536 : column->size + 2);
        }
        c->step = (struct rf_split_step){.step = (uint32_t)random_below(2 * RF_STEP_MOST),
                                         .phase = (uint16_t)random_below(RF_STEP_ONE)};
        n_joined += rf_columns_join(c, &r->base, back, 8 * r->n);
    }
    assert_in_range(n_joined, 1, 20 * ROUNDS - 1);
    free(back);
    free(r);
    free(c);
}

/* Pushes and pops at values of a clock that has one every `step` eighths of a tick; one time of 64
 * is another processor's, whose values lie between them. */
static void fill_in_steps(struct records *r, uint32_t step, uint64_t most)
{
    uint64_t at = random_below((uint64_t)1 << 40) * step + random_below(8);
    const uint64_t body[1] = {1 << 24};
    *r = (struct records){.n_most = 8000};
    r->base = (struct rf_columns_base){at / 8, 1};
    while (r->n + 3 <= r->n_most) {
        at += step * random_below(most);
        const uint64_t low = at / 8 + (random_below(64) == 0);
        r->words[r->n++] = low << RF_WORD_TICK_SHIFT | 2 << RF_WORD_TYPE_BITS | RF_REC_PUSH;
        r->words[r->n++] = body[0] + (random_below(50) << 32);
    }
}

/* Such clocks are found, and their parts take fewer bytes; all come back as they were. */
static void test_steps(void **state)
{
    static const uint32_t steps[] = {8, 10, 32, 100, 196, 197, 250, 288, 2048};
    struct records *r = calloc(1, sizeof(*r));
    uint8_t *back = malloc(RF_EXPANDED_ROOM);
    (void)state;
    for (uint32_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        struct rf_columns *c = new_columns();
        for (uint32_t k = 0; k < 40; k++) {
            random_state = 1 + i * 100 + k;
            fill_in_steps(r, steps[i], k < 30 ? 100 : 100000);
            assert_true(rf_columns_split(c, &r->base, (uint8_t *)r->words, 8 * r->n));
            assert_true(rf_columns_join(c, &r->base, back, 8 * r->n));
            assert_memory_equal(back, r->words, 8 * (size_t)r->n);
            if (steps[i] >= 32)
                assert_int_equal(c->step.step, steps[i] * (RF_STEP_ONE / 8));
            else
                assert_int_equal(c->step.step, RF_STEP_ONE);
            if (steps[i] >= 32 && k < 30) /* less than 100 steps: one byte each */
                assert_true(c->column[RF_SPLIT_WHOLE_TIME].size < c->column[RF_SPLIT_TIME].size);
        }
        /* another clock: each value */
        random_state = 5 + i;
        r->base = (struct rf_columns_base){77, 1};
        fill(r, 8000, 20);
        assert_true(rf_columns_split(c, &r->base, (uint8_t *)r->words, 8 * r->n));
        assert_int_equal(c->step.step, RF_STEP_ONE);
        assert_true(rf_columns_join(c, &r->base, back, 8 * r->n));
        assert_memory_equal(back, r->words, 8 * (size_t)r->n);
        free(c);
    }
    free(back);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_any_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
