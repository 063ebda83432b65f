/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums, error names, strings, maps, heaps, sorting, quoting. */
#include "unit.h"

#include "base/crc32c.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/heap.h"
#include "base/sorting.h"
#include "base/map.h"
#include "model/arrays.h"
#include "model/quote.h"
#include "model/strings.h"

/* An array keeps what it has when it grows, and has room for what was asked. */
static void test_grow(void **state)
{
    uint32_t *array = NULL;
    size_t room = 0;
    (void)state;
    for (uint32_t n = 0; n < 5000; n++) {
        assert_int_equal(rf_grow_array(&array, n, &room, sizeof(*array)), RF_OK);
        assert_true(room > n);
        array[n] = n;
    }
    for (uint32_t n = 0; n < 5000; n++)
        assert_int_equal(array[n], n);
    assert_true(room < 2 * 5000);
    free(array);
}

static void test_reserve(void **state)
{
    uint32_t *array = NULL;
    size_t room = 0;
    (void)state;
    assert_int_equal(rf_reserve_array(&array, 0, &room, sizeof(*array)), RF_OK);
    assert_true(room == 0 && array == NULL);
    assert_int_equal(rf_reserve_array(&array, 1000, &room, sizeof(*array)), RF_OK);
    assert_int_equal(room, 1000);
    array[999] = 7;
    assert_int_equal(rf_reserve_array(&array, 1001, &room, sizeof(*array)), RF_OK);
    assert_int_equal(room, 1500);
    assert_int_equal(rf_reserve_array(&array, 1400, &room, sizeof(*array)), RF_OK);
    assert_int_equal(room, 1500);
    assert_int_equal(array[999], 7);
    assert_int_equal(rf_reserve_array(&array, (size_t)UINT32_MAX + 1, &room, sizeof(*array)),
                     RF_ERR_NO_MEMORY);
    assert_int_equal(room, 1500);
    free(array);
}

/* An array that cannot grow stays as it was. */
static void test_grow_refused(void **state)
{
    uint32_t *array = NULL;
    size_t room = 0;
    (void)state;
    assert_int_equal(rf_grow_array(&array, 0, &room, sizeof(*array)), RF_OK);
    uint32_t *before = array;
    room = UINT32_MAX; /* as many as it may have */
    assert_int_equal(rf_grow_array(&array, room, &room, sizeof(*array)), RF_ERR_NO_MEMORY);
    room = 8;
    assert_int_equal(rf_grow_array(&array, 8, &room, SIZE_MAX / 4), RF_ERR_NO_MEMORY);
    assert_int_equal(room, 8);
    assert_ptr_equal(array, before);
    free(array);
}

/* The vectors of RFC 3720, B.4, and the usual check value. */
static void test_crc32c_vectors(void **state)
{
    uint8_t bytes[32];
    (void)state;
    assert_int_equal(rf_crc32c(0, "123456789", 9), 0xe3069283u);
    memset(bytes, 0, sizeof(bytes));
    assert_int_equal(rf_crc32c(0, bytes, 32), 0x8a9136aau);
    memset(bytes, 0xff, sizeof(bytes));
    assert_int_equal(rf_crc32c(0, bytes, 32), 0x62a8ab43u);
    for (size_t i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    assert_int_equal(rf_crc32c(0, bytes, 32), 0x46dd794eu);
    assert_int_equal(rf_crc32c_portable(0, bytes, 32), 0x46dd794eu);
    for (size_t i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(31 - i);
    assert_int_equal(rf_crc32c(0, bytes, 32), 0x113fdb5cu);
    assert_int_equal(rf_crc32c(0, NULL, 0), 0);
}

static void test_crc32c_pieces(void **state)
{
    static uint8_t bytes[20000];
    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 131 + (i >> 3) + (i >> 9) * 7);
    for (size_t from = 0; from < 9; from++) {
        for (size_t size = 0; size + from < sizeof(bytes); size += size < 600 ? 7 : 601) {
            uint32_t whole = rf_crc32c(0, bytes + from, size);
            assert_int_equal(whole, rf_crc32c_portable(0, bytes + from, size));
            uint32_t first = rf_crc32c(0, bytes + from, size / 3);
            assert_int_equal(whole, rf_crc32c(first, bytes + from + size / 3, size - size / 3));
        }
    }
}

static void test_errors(void **state)
{
    struct rf_err err = {0};
    (void)state;
    assert_string_equal(rf_error_name(RF_OK), "RF_OK");
    assert_string_equal(rf_error_name(RF_ERR_IO), "RF_ERR_IO");
    assert_string_equal(rf_error_name(RF_ERR_UNSUPPORTED), "RF_ERR_UNSUPPORTED");
    assert_string_equal(rf_error_name(-99), "unknown error");
    assert_int_equal(rf_fail_at(&err, RF_ERR_DAMAGED, 7, "bad %s", "thing"), RF_ERR_DAMAGED);
    assert_int_equal(err.code, RF_ERR_DAMAGED);
    assert_int_equal(err.offset, 7);
    assert_string_equal(err.text, "bad thing");
    assert_int_equal(rf_fail(NULL, RF_ERR_IO, "nobody listens"), RF_ERR_IO);
    assert_true(strlen(rf_version()) > 0);
}

static void test_strings(void **state)
{
    struct rf_strings s;
    char text[64];
    (void)state;
    rf_strings_init(&s, rf_hash_seed());
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 20000; i++) {
            int n = snprintf(text, sizeof(text), "string number %u", i);
            assert_int_equal(rf_strings_add(&s, text, (size_t)n), i);
        }
    }
    assert_int_equal(s.n, 20000);
    assert_string_equal(s.entry[777].text, "string number 777");
    rf_strings_release(&s);
}

/* Whole words and plain bytes are the same string, at every length. */
static void test_strings_words(void **state)
{
    struct rf_strings s;
    (void)state;
    rf_strings_init(&s, rf_hash_seed());
    for (size_t size = 0; size < 40; size++) {
        uint64_t words[6];
        memset(words, 0, sizeof(words));
        memset(words, 'a' + (int)size % 3, size);
        size_t n_words = (size + 7) / 8;
        uint32_t id = rf_strings_add(&s, (const char *)words, size);
        assert_int_equal(rf_strings_add_words(&s, (const uint8_t *)words, n_words), id);
        assert_int_equal(rf_strings_add_words(&s, (const uint8_t *)words, 6), id);
        assert_int_equal(s.entry[id].size, size);
        assert_int_equal(s.entry[id].text[size], 0);
    }
    /* what follows the first zero byte does not count */
    assert_int_equal(rf_strings_add_words(&s, (const uint8_t *)"ab\0defghijklmno\xff", 2),
                     rf_strings_add(&s, "ab", 2));
    rf_strings_release(&s);
}

static void test_strings_huge(void **state)
{
    struct rf_strings s;
    size_t size = (size_t)3 << 20;
    char *text = malloc(size);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', size);
    rf_strings_init(&s, rf_hash_seed());
    uint32_t id = rf_strings_add(&s, text, size);
    assert_int_equal(rf_strings_add(&s, "small", 5), id + 1);
    assert_int_equal(rf_strings_add(&s, text, size), id);
    assert_int_equal(s.entry[id].size, size);
    rf_strings_release(&s);
    free(text);
}

static void test_map(void **state)
{
    struct rf_map map = {.entry = NULL};
    (void)state;
    assert_int_equal(rf_map_find(&map, 1, 2), RF_MAP_NONE);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(rf_map_set(&map, i % 100, i / 100, i), 0);
    assert_int_equal(map.n, 10000);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(rf_map_find(&map, i % 100, i / 100), i);
    assert_int_equal(rf_map_find(&map, 100, 0), RF_MAP_NONE);
    assert_int_equal(rf_map_set(&map, 5, 5, 42), 0);
    assert_int_equal(rf_map_find(&map, 5, 5), 42);
    assert_int_equal(map.n, 10000);
    rf_map_release(&map);
    assert_int_equal(rf_map_find(&map, 5, 5), RF_MAP_NONE);
}

/* Sources of items, some at equal times: all items come by time, then by source. */
static void test_heap(void **state)
{
    enum { N_SOURCES = 37, N_ITEMS = 50 };
    struct rf_heap_entry entry[N_SOURCES];
    struct rf_heap heap = {.entry = entry};
    unsigned n_given[N_SOURCES] = {0};
    int64_t last_time = INT64_MIN;
    size_t last_source = 0, n = 0;
    (void)state;
    for (size_t i = N_SOURCES; i-- > 0;)
        rf_heap_add(&heap, -(int64_t)(i % 7), i);
    for (; heap.n > 0; n++) {
        struct rf_heap_entry first = heap.entry[0];
        assert_true(first.time > last_time ||
                    (first.time == last_time && first.source >= last_source));
        last_time = first.time;
        last_source = first.source;
        if (++n_given[first.source] == N_ITEMS)
            rf_heap_drop(&heap);
        else
            rf_heap_advance(&heap, first.time + (int64_t)(first.source % 5));
    }
    assert_int_equal(n, N_SOURCES * N_ITEMS);
    assert_true(rf_heap_time(UINT64_MAX) > rf_heap_time(1) && rf_heap_time(1) > rf_heap_time(0));
}

static const char *quoted(struct rf_strings *s, const char *const *args, uint32_t n)
{
    uint32_t ids[8], id;
    for (uint32_t i = 0; i < n; i++)
        ids[i] = args[i] == NULL ? RF_NO_STRING : rf_strings_add(s, args[i], strlen(args[i]));
    assert_int_equal(rf_quote_command(s, ids, n, &id), 0);
    return s->entry[id].text;
}

/* By digits as by comparing, with numbers of all sizes and many that are equal. */
static int compare_numbered(const void *left, const void *right)
{
    const struct rf_numbered *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static void test_sorting(void **state)
{
    enum { N = 5000 };
    static struct rf_numbered item[N], spare[N], wanted[N];
    static const unsigned bits[] = {0, 3, 11, 12, 40, 63};
    uint64_t seed = 1;
    (void)state;
    for (size_t k = 0; k < sizeof(bits) / sizeof(bits[0]); k++) {
        for (size_t i = 0; i < N; i++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            wanted[i] = item[i] =
                (struct rf_numbered){seed >> (63 - bits[k]) ^ (uint64_t)(i % 50 == 0) << 63, i};
        }
        rf_sort_unordered(wanted, N, sizeof(*wanted), compare_numbered);
        const struct rf_numbered *sorted = rf_sort_numbered(item, spare, N);
        assert_true(sorted == item || sorted == spare);
        assert_memory_equal(sorted, wanted, sizeof(wanted));
        rf_sort_unordered(wanted, N, sizeof(*wanted), compare_numbered);
        assert_memory_equal(sorted, wanted, sizeof(wanted));
    }
    assert_true(rf_sort_numbered(item, spare, 0) == item);
    rf_sort_unordered(NULL, 0, sizeof(*item), compare_numbered);
}

static void test_quote(void **state)
{
    struct rf_strings s;
    (void)state;
    rf_strings_init(&s, 1);
    assert_string_equal(quoted(&s, (const char *[]){"./app", "-n", "3"}, 3), "./app -n 3");
    assert_string_equal(quoted(&s, (const char *[]){"a b", "", NULL}, 3), "'a b' '' ''");
    assert_string_equal(quoted(&s, (const char *[]){"it's"}, 1), "'it'\\''s'");
    assert_string_equal(quoted(&s, (const char *[]){"$HOME", "x;y", "a\nb"}, 3),
                        "'$HOME' 'x;y' 'a\nb'");
    rf_strings_release(&s);
}

struct keyed {
    uint64_t key, number;
    char more[40];
};

static int compare_keyed(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

/* Runs of up to `longest` records that rise; equals stay in their order. */
static void check_sorted(size_t n, unsigned longest, uint64_t *random)
{
    struct keyed *record = calloc(n + 1, sizeof(*record));
    size_t left = 0;
    assert_non_null(record);
    for (size_t i = 0; i < n; i++) {
        *random = *random * UINT64_C(6364136223846793005) + 1;
        const bool begins = left == 0;
        left = begins ? (*random >> 33) % longest : left - 1;
        record[i].key =
            begins ? (*random >> 40) % (n + 1) : record[i - 1].key + (*random >> 35) % 3;
        record[i].number = i;
        record[i].more[0] = (char)i;
    }
    assert_int_equal(rf_sort_records(record, n, sizeof(*record), compare_keyed), RF_OK);
    for (size_t i = 1; i < n; i++) {
        assert_true(record[i - 1].key <= record[i].key);
        assert_true(record[i - 1].key < record[i].key || record[i - 1].number < record[i].number);
        assert_int_equal(record[i].more[0], (char)record[i].number);
    }
    free(record);
}

static void test_sort_records(void **state)
{
    static const unsigned longest[] = {1, 2, 7, 100, 900, 100000};
    uint64_t random = 1;
    (void)state;
    for (size_t i = 0; i < sizeof(longest) / sizeof(longest[0]); i++)
        for (size_t n = 0; n < 3000; n = n < 40 ? n + 1 : 2 * n + 3)
            check_sorted(n, longest[i], &random);
}

/* Records that are added many at once get the numbers that they get one by one. */
static void test_record_pool(void **state)
{
    enum { N_WORDS = 3, N_BATCHES = 3000, N_KINDS = 5000 };
    struct rf_record_pool one = {.size = N_WORDS * sizeof(uint64_t)}, many = one;
    uint64_t record[RF_RECORDS_AT_ONCE][N_WORDS], random = 1;
    uint32_t index[RF_RECORDS_AT_ONCE];
    (void)state;
    for (unsigned batch = 0; batch < N_BATCHES; batch++) {
        unsigned n = batch % (RF_RECORDS_AT_ONCE + 1);
        for (unsigned i = 0; i < n; i++) {
            random = random * UINT64_C(6364136223846793005) + 1;
            record[i][0] = 7;
            record[i][1] = (random >> 33) % N_KINDS;
            record[i][2] = ~record[i][1];
        }
        assert_true(rf_record_pool_add_all(&many, record, n, index));
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(index[i], rf_record_pool_add(&one, record[i]));
    }
    assert_int_equal(one.n, many.n);
    assert_true(one.n > N_KINDS / 2 && one.n <= N_KINDS);
    assert_memory_equal(one.record, many.record, one.n * one.size);
    rf_record_pool_release(&one);
    rf_record_pool_release(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc32c_vectors), cmocka_unit_test(test_crc32c_pieces),
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_strings),
        cmocka_unit_test(test_grow),           cmocka_unit_test(test_record_pool),
        cmocka_unit_test(test_sort_records),   cmocka_unit_test(test_grow_refused),
        cmocka_unit_test(test_reserve),        cmocka_unit_test(test_strings_words),
        cmocka_unit_test(test_strings_huge),   cmocka_unit_test(test_map),
        cmocka_unit_test(test_heap),           cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_quote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
