/* SPDX-License-Identifier: Apache-2.0 */
/* How much the recorder looks at to find what the events of a batch point to, and where they end:
 * whatever their arrays are, it grows with the bytes that there are. */
#include "unit.h"

#include "record/payload/batch.h"
#include "record/payload/entry_types.h"

enum { MOST_ENTRIES = 8, INNER = RF_STATIC_IDS + 1, MIDDLE, OUTER, U8 = 12, U64 = 18 };

enum { FROM_BASE = 1 << 2 }; /* NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE */

/* A schema as rf_schema_of() reads it. */
struct definition {
    struct rf_def def;
    struct rf_schema_def schema;
    struct rf_schema_entry entry[MOST_ENTRIES];
};

static struct definition inner, middle, outer;
static size_t n_found; /* how often a schema was looked for: at least once for each event */

static struct rf_schema find(const void *where, uint64_t domain, uint64_t id)
{
    struct rf_schema found = {.def = NULL};
    (void)where, (void)domain;
    n_found++;
    if (id >= INNER && id <= OUTER)
        found = rf_schema_of(id == INNER ? &inner.def : id == MIDDLE ? &middle.def : &outer.def);
    found.has_pointers = true;
    return found;
}

static void define(struct definition *d, uint32_t type, uint64_t size,
                   const struct rf_schema_entry *entries, uint32_t n)
{
    *d = (struct definition){.def = {.n_words = sizeof(*d) / 8, .index = RF_NVTX_DEF_SCHEMA},
                             .schema = {.type = type, .static_size = size, .n_entries = n}};
    memcpy(d->entry, entries, n * sizeof(*entries));
}

/* ---- Batches ---- */

/* What is written of a batch, which has to be all of it, in its order. */
struct written {
    struct rf_batch_host host; /* first */
    const uint8_t *next;
    size_t n_records, n_pointing, n_lost;
};

static bool write_events(struct rf_batch_host *host, const uint8_t *events, size_t size,
                         bool points)
{
    struct written *w = (struct written *)host;
    assert_ptr_equal(events, w->next);
    w->next += size;
    w->n_records++;
    w->n_pointing += points;
    return true;
}

static void count_lost(struct rf_batch_host *host, uint64_t n)
{
    ((struct written *)host)->n_lost += n;
}

static struct written divide(const void *events, size_t size, struct rf_flex flex)
{
    const struct rf_batch batch = {.schema = OUTER, .events = events, .size = size, .flex = flex};
    struct written w = {.host = {find, NULL, write_events, count_lost}, .next = events};
    n_found = 0;
    assert_true(rf_batch_divide(&w.host, &batch));
    assert_ptr_equal(w.next, (const uint8_t *)events + size);
    return w;
}

static const struct rf_flex no_flex = {.bytes = NULL};

enum { MANY = 1 << 16 };

struct event {
    uint8_t bytes[8];
    const char *pointer;
};

static struct event *events_of(const char *pointer)
{
    struct event *events = malloc(MANY * sizeof(*events));
    assert_non_null(events);
    memset(events, 1, MANY * sizeof(*events));
    for (size_t i = 0; i < MANY; i++)
        events[i].pointer = pointer;
    return events;
}

/* Events with an array, and an entry behind it that says where it stands. */
static void define_ending_elsewhere(void)
{
    const struct rf_schema_entry entries[] = {
        {.flags = RF_ENTRY_TERMINATED, .type = U64},
        {.flags = RF_ENTRY_POINTER | RF_ENTRY_DEEP_COPY, .type = RF_TYPE_CSTRING, .offset = 8}};
    define(&outer, RF_SCHEMA_DYNAMIC, 0, entries, 2);
}

/* The array of the first event ends in the last one: where that is recorded alone, it has no end.
 */
static void test_far_zero(void **state)
{
    struct event *events = events_of("text");
    (void)state;
    define_ending_elsewhere();
    memset(&events[MANY - 1], 0, sizeof(events[0]));
    const struct written w = divide(events, MANY * sizeof(*events), no_flex);
    assert_in_range(n_found, 1, 10);
    assert_int_equal(w.n_records, 1);
    assert_int_equal(w.n_lost, 1); /* where events end behind it is not known */
    free(events);
}

/* No zero at all: the first event has no end, as for readers, and what follows is not looked at. */
static void test_no_zero(void **state)
{
    struct event *events = events_of("text");
    (void)state;
    define_ending_elsewhere();
    const struct written w = divide(events, MANY * sizeof(*events), no_flex);
    assert_in_range(n_found, 1, 10);
    assert_int_equal(w.n_records, 1);
    assert_int_equal(w.n_lost, 1);
    free(events);
}

/* Offsets into flexData, which events share: arrays there end at a far zero, and have pointers. */
static void test_flex(void **state)
{
    const struct rf_schema_entry pointer[] = {{.flags = RF_ENTRY_POINTER, .type = U8}};
    const struct rf_schema_entry offset[] = {
        {.flags = FROM_BASE | RF_ENTRY_TERMINATED, .type = INNER}};
    enum { FLEX = 1 << 20 };
    uint64_t *offsets = calloc(MANY, sizeof(*offsets));
    uint8_t *flex = malloc(FLEX);
    (void)state;
    assert_true(offsets != NULL && flex != NULL);
    memset(flex, 1, FLEX);
    define(&inner, RF_SCHEMA_STATIC, 8, pointer, 1);
    define(&outer, RF_SCHEMA_STATIC, 8, offset, 1);
    memset(flex + 65536 - 8, 0, 8);
    const struct written w =
        divide(offsets, MANY * sizeof(*offsets), (struct rf_flex){flex, FLEX, 0});
    /* each event takes 64 KiB of what may be looked at, and a look for each pointer there */
    const uint64_t limit = rf_look_limit(MANY * sizeof(*offsets) + FLEX);
    assert_in_range(w.n_lost, MANY - 2 - limit / 65536, MANY - 1);
    assert_int_equal(w.n_records, 1);
    free(offsets);
    free(flex);
}

/* Usual events: all of them are looked at, and what each points to is recorded. */
static void test_usual(void **state)
{
    struct event *events = events_of(NULL);
    char *text = malloc(1024);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', 1023);
    text[1023] = '\0';
    define_ending_elsewhere();
    for (size_t i = 0; i < MANY; i++) {
        memset(events[i].bytes, 0, sizeof(events[i].bytes));
        events[i].pointer = i % 2 == 0 ? text : NULL;
    }
    const struct written w = divide(events, MANY * sizeof(*events), no_flex);
    assert_int_equal(w.n_lost, 0);
    assert_int_equal(w.n_pointing, MANY / 2);
    free(events);
    free(text);
}

/* What is left after events of which the size is known. */
static void test_exact(void **state)
{
    const struct event events[2] = {{"abc", NULL}, {"abcdefg", NULL}};
    const struct rf_schema_entry entries[] = {
        {.flags = RF_ENTRY_TERMINATED, .type = U8},
        {.flags = RF_ENTRY_POINTER | RF_ENTRY_DEEP_COPY, .type = RF_TYPE_CSTRING, .offset = 8}};
    const struct rf_batch batch = {
        .schema = OUTER, .events = (const void *)events, .size = sizeof(events)};
    const struct rf_batch_host host = {.find = find};
    uint64_t left = 1000;
    bool points;
    (void)state;
    define(&outer, RF_SCHEMA_STATIC, 0, entries, 2);
    assert_int_equal(rf_batch_measure(&host, &batch, 16, 0, &left, &points, NULL), 16);
    assert_int_equal(left, 1000 - 2 - 4); /* two entries, three letters and the zero */
    assert_int_equal(rf_batch_measure(&host, &batch, 16, 16, &left, &points, NULL), 16);
    assert_int_equal(left, 994 - 2 - 8);
    left = 5; /* an entry, and not all of the text */
    assert_int_equal(rf_batch_measure(&host, &batch, 16, 16, &left, &points, NULL), 16);
    assert_int_equal(left, 0);
    assert_true(points); /* maybe: it is counted as lost */
}

/* ---- Single events ---- */

struct counting {
    struct rf_reference_host host; /* first */
    size_t n, n_lost;
    uint64_t n_copied;
};

static void add(struct rf_reference_host *host, const void *address, uint64_t size, size_t copied)
{
    struct counting *c = (struct counting *)host;
    (void)address, (void)size;
    c->n++;
    c->n_copied += copied;
}

static void lose(struct rf_reference_host *host, uint64_t n, uint64_t bytes)
{
    (void)bytes;
    ((struct counting *)host)->n_lost += n;
}

static struct counting follow(const void *bytes, size_t size, uint64_t *may_look)
{
    const struct rf_payload payload = {OUTER, size, bytes};
    const struct rf_payloads payloads = {&payload, 1, 0};
    struct counting c = {.host = {find, NULL, may_look, add, lose}};
    *may_look = rf_payloads_look_limit(payloads);
    rf_references_add(&c.host, payloads);
    return c;
}

/* Thousands of pointers to arrays that no zero ends: no more is searched than may be copied. */
static void test_pointers_without_end(void **state)
{
    enum { POINTERS = 3000, AREA = 2 * RF_REFERENCE_SIZE };
    const struct rf_schema_entry pointer[] = {
        {.flags = RF_ENTRY_POINTER | RF_ENTRY_DEEP_COPY | RF_ENTRY_TERMINATED, .type = U8}};
    const struct rf_schema_entry entries[] = {
        {.flags = RF_ENTRY_FIXED, .type = INNER, .detail = POINTERS}};
    uint8_t *area = malloc(AREA);
    const uint8_t *pointers[POINTERS];
    uint64_t may_look;
    (void)state;
    assert_non_null(area);
    memset(area, 1, AREA);
    for (size_t i = 0; i < POINTERS; i++)
        pointers[i] = area;
    define(&inner, RF_SCHEMA_STATIC, 8, pointer, 1);
    define(&outer, RF_SCHEMA_STATIC, sizeof(pointers), entries, 1);
    const struct counting c = follow(pointers, sizeof(pointers), &may_look);
    const uint64_t n_looked = rf_look_limit(sizeof(pointers)) - may_look;
    assert_int_equal(c.n, RF_REFERENCES_SIZE / RF_REFERENCE_SIZE);
    assert_int_equal(c.n_copied, RF_REFERENCES_SIZE);
    assert_int_equal(c.n_lost, 1); /* once, for the event */
    assert_in_range(n_looked, RF_REFERENCES_SIZE, RF_REFERENCES_SIZE + 10 * POINTERS);
    free(area);
}

/* Many arrays that begin at the same place, and end where all of the payload does. */
static void test_arrays_at_one_place(void **state)
{
    enum { SIZE = 1 << 20, N_OFFSETS = 60000 };
    const struct rf_schema_entry pointer[] = {{.flags = RF_ENTRY_POINTER, .type = U8}};
    const struct rf_schema_entry offset[] = {
        {.flags = FROM_BASE | RF_ENTRY_TERMINATED, .type = MIDDLE}};
    const struct rf_schema_entry entries[] = {
        {.flags = RF_ENTRY_FIXED, .type = INNER, .detail = N_OFFSETS}};
    uint8_t *bytes = calloc(1, SIZE);
    uint64_t may_look;
    (void)state;
    assert_non_null(bytes);
    memset(bytes + N_OFFSETS * 8, 1, SIZE - N_OFFSETS * 8);
    for (size_t i = 0; i < N_OFFSETS; i++)
        memcpy(bytes + 8 * i, &(uint64_t){N_OFFSETS * 8}, 8);
    define(&middle, RF_SCHEMA_STATIC, 8, pointer, 1);
    define(&inner, RF_SCHEMA_STATIC, 8, offset, 1);
    define(&outer, RF_SCHEMA_STATIC, SIZE, entries, 1);
    assert_int_equal(follow(bytes, SIZE, &may_look).n_lost, 1);
    assert_int_equal(may_look, 0);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_zero),
        cmocka_unit_test(test_no_zero),
        cmocka_unit_test(test_flex),
        cmocka_unit_test(test_usual),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_pointers_without_end),
        cmocka_unit_test(test_arrays_at_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
