/* SPDX-License-Identifier: Apache-2.0 */
/* Hotkeys: their names, and that a stream loses them and nothing else. What the matcher does byte
 * by byte is compared with a list of all the sequences that are keys, searched for in the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/terminal/hotkey.h"

#define MS INT64_C(1000000)

/* ---- Every sequence that is a key ---- */

struct sequence {
    char bytes[HOTKEY_MAX_HELD];
    size_t n;
    unsigned number;
    unsigned modifiers;
};

static struct sequence sequences[8192];
static size_t n_sequences;

static void add(unsigned number, unsigned modifiers, const char *bytes)
{
    for (int with_escape = 0; with_escape < 2; with_escape++) {
        struct sequence *sequence = &sequences[n_sequences++];
        assert_true(n_sequences < sizeof(sequences) / sizeof(sequences[0]));
        sequence->n = (size_t)snprintf(sequence->bytes, sizeof(sequence->bytes), "%s%s",
                                       with_escape ? "\033" : "", bytes);
        sequence->number = number;
        sequence->modifiers = modifiers | (with_escape ? HOTKEY_ALT : 0);
        assert_true(sequence->n < sizeof(sequence->bytes));
    }
}

/* One that may have modifiers, of which before is what precedes them and after what follows. */
static void add_modified(unsigned number, unsigned modifiers, const char *before, char after)
{
    char bytes[32];
    for (unsigned m = 1; m <= 8; m++) {
        (void)snprintf(bytes, sizeof(bytes), "\033[%s;%u%c", before, m, after);
        add(number, modifiers | (m - 1), bytes);
        (void)snprintf(bytes, sizeof(bytes), "\033[%s;%u:1%c", before, m, after);
        add(number, modifiers | (m - 1), bytes);
        (void)snprintf(bytes, sizeof(bytes), "\033[%s;%u%c", before, m + 64, after);
        add(number, modifiers | (m - 1), bytes);
    }
}

static void add_sequences(enum hotkey_dialect dialect)
{
    static const char *const codes[] = {"11", "12", "13", "14", "15", "17", "18", "19", "20", "21",
                                        "23", "24", "25", "26", "28", "29", "31", "32", "33", "34"};
    char bytes[32];
    n_sequences = 0;
    for (unsigned i = 0; i < 20; i++) {
        unsigned number = i < 12 ? i + 1 : dialect == HOTKEY_RXVT ? i - 9 : i - 11;
        unsigned modifiers = i < 12 ? 0 : HOTKEY_SHIFT;
        static const char endings[] = "~$^@";
        static const unsigned means[] = {0, HOTKEY_SHIFT, HOTKEY_CTRL, HOTKEY_SHIFT | HOTKEY_CTRL};
        for (unsigned j = 0; j < 4; j++) {
            (void)snprintf(bytes, sizeof(bytes), "\033[%s%c", codes[i], endings[j]);
            add(number, modifiers | means[j], bytes);
        }
        add_modified(number, modifiers, codes[i], '~');
    }
    for (unsigned i = 0; i < 4; i++) {
        (void)snprintf(bytes, sizeof(bytes), "\033O%c", (char)('P' + i));
        add(i + 1, 0, bytes);
        for (unsigned m = 2; m <= 8; m++) {
            (void)snprintf(bytes, sizeof(bytes), "\033O%u%c", m, (char)('P' + i));
            add(i + 1, m - 1, bytes);
        }
        if (dialect != HOTKEY_LINUX) {
            (void)snprintf(bytes, sizeof(bytes), "\033[%c", (char)('P' + i));
            add(i + 1, 0, bytes);
        }
        add_modified(i + 1, 0, "1", (char)('P' + i));
    }
    for (unsigned i = 0; i < 5; i++) {
        (void)snprintf(bytes, sizeof(bytes), "\033[[%c", (char)('A' + i));
        add(i + 1, 0, bytes);
    }
}

static const struct sequence *sequence_at(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n_sequences; i++)
        if (sequences[i].n <= n && memcmp(bytes, sequences[i].bytes, sequences[i].n) == 0)
            return &sequences[i];
    return NULL;
}

static bool is_in(const struct hotkey_set *set, const struct sequence *sequence)
{
    return (set->combinations[sequence->number - 1] & 1u << sequence->modifiers) != 0;
}

/* What is left of bytes without the keys of the set. */
static size_t strip(const struct hotkey_set *set, const uint8_t *bytes, size_t n, uint8_t *out,
                    unsigned *n_keys)
{
    size_t n_out = 0;
    for (size_t i = 0; i < n;) {
        const struct sequence *sequence = bytes[i] == 0x1b ? sequence_at(bytes + i, n - i) : NULL;
        size_t length = sequence != NULL ? sequence->n : 1;
        if (sequence != NULL && is_in(set, sequence)) {
            ++*n_keys;
        } else {
            memcpy(out + n_out, bytes + i, length);
            n_out += length;
        }
        i += length;
    }
    return n_out;
}

/* ---- Names ---- */

static void names(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *means;
    } good[] = {
        {NULL, "F12 or Ctrl+F11"},
        {"F1", "F1"},
        {"f10", "F10"},
        {"CTRL+f11", "Ctrl+F11"},
        {"shift+alt+CTRL+F5", "Ctrl+Alt+Shift+F5"},
        {"F9,F10,shift+F3", "F10 or F9 or Shift+F3"},
        {"F1,f1", "F1"},
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct hotkey_set set;
        struct rf_err err;
        char text[128];
        assert_int_equal(hotkey_set_parse(&set, good[i].text, &err), RF_OK);
        assert_string_equal(hotkey_set_describe(&set, text, sizeof(text)), good[i].means);
    }
}

static void wrong_names(void **state)
{
    (void)state;
    static const char *const bad[] = {"",     "F0",      "F13",     "F01",    "F",       "12",
                                      "F1x",  "Ctrl+",   "Meta+F1", "F1,",    ",F1",     "F1,,F2",
                                      "F123", "Ctrl F1", " F1",     "Ctrl+Q", "F1+Ctrl", "F+1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct hotkey_set set;
        struct rf_err err;
        memset(&err, 0, sizeof(err));
        assert_int_equal(hotkey_set_parse(&set, bad[i], &err), RF_ERR_USAGE);
        assert_non_null(strstr(err.text, "F1 to F12"));
    }
}

static void description_is_cut(void **state)
{
    (void)state;
    struct hotkey_set set;
    char text[8];
    assert_int_equal(hotkey_set_parse(&set, "F1,F2,F3,F4,Ctrl+F5", NULL), RF_OK);
    (void)hotkey_set_describe(&set, text, sizeof(text));
    assert_true(strlen(text) < sizeof(text));
}

/* ---- Single keys ---- */

static void expect(struct hotkey_matcher *matcher, const char *bytes, int64_t now_ns,
                   const char *passed, unsigned n_presses)
{
    uint8_t out[256];
    unsigned n = 0;
    size_t n_out = hotkey_feed(matcher, (const uint8_t *)bytes, strlen(bytes), now_ns, out, &n);
    out[n_out] = '\0';
    assert_string_equal((const char *)out, passed);
    assert_int_equal(n, n_presses);
}

static struct hotkey_matcher matcher_of(const char *keys, enum hotkey_dialect dialect)
{
    struct hotkey_matcher matcher;
    struct hotkey_set set;
    assert_int_equal(hotkey_set_parse(&set, keys, NULL), RF_OK);
    hotkey_matcher_init(&matcher, &set, dialect);
    return matcher;
}

/* What real terminals send, written out. */
static void known_terminals(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        enum hotkey_dialect dialect;
        const char *bytes;
    } known[] = {
        {"F12", HOTKEY_XTERM, "\033[24~"},
        {"Ctrl+F11", HOTKEY_XTERM, "\033[23;5~"},
        {"F1", HOTKEY_XTERM, "\033OP"},
        {"F4", HOTKEY_XTERM, "\033OS"},
        {"Ctrl+F1", HOTKEY_XTERM, "\033[1;5P"},
        {"Ctrl+F1", HOTKEY_XTERM, "\033O5P"},
        {"F1", HOTKEY_LINUX, "\033[[A"},
        {"F5", HOTKEY_LINUX, "\033[[E"},
        {"F6", HOTKEY_LINUX, "\033[17~"},
        {"Shift+F1", HOTKEY_LINUX, "\033[25~"},
        {"F1", HOTKEY_RXVT, "\033[11~"},
        {"Ctrl+F12", HOTKEY_RXVT, "\033[24^"},
        {"Ctrl+Shift+F12", HOTKEY_RXVT, "\033[24@"},
        {"Shift+F12", HOTKEY_RXVT, "\033[24$"},
        {"Shift+F3", HOTKEY_RXVT, "\033[25~"},
        {"Alt+F12", HOTKEY_RXVT, "\033\033[24~"},
        {"Alt+F12", HOTKEY_XTERM, "\033[24;3~"},
        {"Alt+Ctrl+F12", HOTKEY_RXVT, "\033\033[24^"},
        {"Alt+F2", HOTKEY_XTERM, "\033\033OQ"},
        {"F1", HOTKEY_XTERM, "\033[P"},
        {"F3", HOTKEY_XTERM, "\033[13~"},
        {"Ctrl+F3", HOTKEY_XTERM, "\033[13;5~"},
        {"Ctrl+F12", HOTKEY_XTERM, "\033[24;5:1~"},
        {"F12", HOTKEY_XTERM, "\033[24;129~"},
        {"Ctrl+Alt+Shift+F5", HOTKEY_XTERM, "\033[15;8~"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct hotkey_matcher matcher = matcher_of(known[i].key, known[i].dialect);
        char text[64];
        expect(&matcher, known[i].bytes, MS, "", 1);
        (void)snprintf(text, sizeof(text), "a%sb", known[i].bytes);
        expect(&matcher, text, 500 * MS, "ab", 1);
    }
    struct hotkey_matcher matcher = matcher_of("F1", HOTKEY_LINUX);
    expect(&matcher, "\033[P", MS, "\033[P", 0); /* Pause */
}

static void other_keys_pass(void **state)
{
    (void)state;
    static const char *const others[] = {
        "\033[23~",     "\033[24;5~", "\033[24;2~", "\033[24^",     "\033[A",       "\033[24;9~",
        "\033\033[24~", "\033OP",     "\033[200~",  "\033[<0;1;1M", "\033[[B",      "\033[240~",
        "\033[1;24R",   "\033]0;x\a", "\033[024~",  "\033[24;~",    "\033[24;5;5~", "\033[24:5~",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct hotkey_matcher matcher = matcher_of("F12", HOTKEY_XTERM);
        expect(&matcher, others[i], MS, others[i], 0);
        expect(&matcher, "\033[24~", 500 * MS, "", 1);
    }
}

static void releases_are_no_presses(void **state)
{
    (void)state;
    struct hotkey_matcher matcher = matcher_of("F12", HOTKEY_XTERM);
    expect(&matcher, "\033[24;1:1~", MS, "", 1);
    expect(&matcher, "\033[24;1:3~", 300 * MS, "", 0);
}

static void key_held_down(void **state)
{
    (void)state;
    struct hotkey_matcher matcher = matcher_of("F12", HOTKEY_XTERM);
    expect(&matcher, "\033[24~\033[24~", MS, "", 1);
    for (int i = 1; i < 20; i++)
        expect(&matcher, "\033[24~", (1 + i * 40) * MS, "", 0);
    expect(&matcher, "\033[24~", 2000 * MS, "", 1);
}

/* ---- Time ---- */

static void lone_escape_is_let_go(void **state)
{
    (void)state;
    struct hotkey_matcher matcher = matcher_of("F12", HOTKEY_XTERM);
    uint8_t out[HOTKEY_MAX_HELD];
    expect(&matcher, "x\033", MS, "x", 0);
    assert_int_equal(matcher.deadline_ns, MS + HOTKEY_HOLD_NS);
    assert_int_equal(hotkey_expire(&matcher, MS + HOTKEY_HOLD_NS - 1, out), 0);
    assert_int_equal(hotkey_expire(&matcher, MS + HOTKEY_HOLD_NS, out), 1);
    assert_int_equal(out[0], 0x1b);
    assert_int_equal(matcher.n_held, 0);
    /* what comes after it is no key any more */
    expect(&matcher, "[24~", MS + HOTKEY_HOLD_NS + 1, "[24~", 0);
    /* the same when nobody called in time */
    expect(&matcher, "\033", 100 * MS, "", 0);
    expect(&matcher, "[24~", 121 * MS, "\033[24~", 0);
    /* in time: a key */
    expect(&matcher, "\033", 200 * MS, "", 0);
    expect(&matcher, "[2", 210 * MS, "", 0);
    expect(&matcher, "4~", 219 * MS, "", 1);
}

/* Escape, and a key after a moment, as a person types. */
static void escape_then_key(void **state)
{
    (void)state;
    struct hotkey_matcher matcher = matcher_of("F12", HOTKEY_XTERM);
    expect(&matcher, "\033", MS, "", 0);
    expect(&matcher, "\033[24~", 30 * MS, "\033", 1);
}

/* ---- Streams ---- */

static uint64_t random_state = 88172645463325252u;

static unsigned random_below(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 11) % n;
}

static void make_stream(uint8_t *bytes, size_t n)
{
    static const char likely[] = "\033\033\033[[O124;5:~^@$PQRSA";
    for (size_t i = 0; i < n;) {
        unsigned kind = random_below(10);
        const struct sequence *sequence = &sequences[random_below((unsigned)n_sequences)];
        if (kind < 4 && i + sequence->n <= n) {
            memcpy(bytes + i, sequence->bytes, sequence->n);
            i += sequence->n;
        } else if (kind < 9) {
            bytes[i++] = (uint8_t)likely[random_below(sizeof(likely) - 1)];
        } else {
            bytes[i++] = (uint8_t)random_below(256);
        }
    }
}

static void random_set(struct hotkey_set *set)
{
    for (size_t i = 0; i < HOTKEY_N_KEYS; i++)
        set->combinations[i] = (uint8_t)(random_below(256) & random_below(256));
}

/* The stream in pieces, all within the time that bytes are held. */
static void check_stream(enum hotkey_dialect dialect, const uint8_t *bytes, size_t n)
{
    uint8_t expected[512], out[512 + 2 * HOTKEY_MAX_HELD];
    struct hotkey_set set;
    struct hotkey_matcher matcher;
    unsigned n_keys = 0, n_presses = 0;
    size_t n_out = 0;
    random_set(&set);
    size_t n_expected = strip(&set, bytes, n, expected, &n_keys);
    hotkey_matcher_init(&matcher, &set, dialect);
    for (size_t i = 0; i < n;) {
        size_t piece = 1 + random_below(random_below(4) == 0 ? 40 : 4);
        piece = piece < n - i ? piece : n - i;
        n_out += hotkey_feed(&matcher, bytes + i, piece, MS, out + n_out, &n_presses);
        assert_true(matcher.n_held < HOTKEY_MAX_HELD);
        assert_true(n_out + matcher.n_held <= i + piece);
        i += piece;
    }
    n_out += hotkey_expire(&matcher, 100 * MS, out + n_out);
    assert_int_equal(n_out, n_expected);
    assert_memory_equal(out, expected, n_out);
    assert_int_equal(n_presses, n_keys > 0); /* at one moment: a key held down */
}

static void streams(void **state)
{
    (void)state;
    static const enum hotkey_dialect dialects[] = {HOTKEY_XTERM, HOTKEY_RXVT, HOTKEY_LINUX};
    for (unsigned round = 0; round < 9000; round++) {
        uint8_t bytes[400];
        size_t n = 1 + random_below(sizeof(bytes));
        if (round % 3000 == 0)
            add_sequences(dialects[round / 3000]);
        make_stream(bytes, n);
        check_stream(dialects[round / 3000], bytes, n);
    }
}

/* With pauses keys may be missed, but bytes never, and none waits for longer than it may. */
static void streams_with_pauses(void **state)
{
    (void)state;
    struct hotkey_set none;
    memset(&none, 0, sizeof(none));
    add_sequences(HOTKEY_XTERM);
    for (unsigned round = 0; round < 3000; round++) {
        uint8_t bytes[400], out[sizeof(bytes) + HOTKEY_MAX_HELD];
        struct hotkey_matcher matcher;
        unsigned n_presses = 0;
        size_t n_out = 0;
        int64_t now = MS, arrived[sizeof(bytes)];
        make_stream(bytes, sizeof(bytes));
        hotkey_matcher_init(&matcher, &none, HOTKEY_XTERM);
        for (size_t i = 0; i < sizeof(bytes); i++) {
            now += random_below(4) == 0 ? random_below(30) * MS : 0;
            n_out += hotkey_feed(&matcher, bytes + i, 1, now, out + n_out, &n_presses);
            arrived[i] = now;
            assert_int_equal(n_out + matcher.n_held, i + 1);
            if (matcher.n_held > 0) /* the oldest that is held */
                assert_true(matcher.deadline_ns <= arrived[n_out] + HOTKEY_HOLD_NS);
        }
        n_out += hotkey_expire(&matcher, now + HOTKEY_HOLD_NS, out + n_out);
        assert_int_equal(n_out, sizeof(bytes));
        assert_memory_equal(out, bytes, sizeof(bytes));
        assert_int_equal(n_presses, 0);
    }
}

static void dialects(void **state)
{
    (void)state;
    assert_int_equal(hotkey_dialect_of(NULL), HOTKEY_XTERM);
    assert_int_equal(hotkey_dialect_of("xterm-256color"), HOTKEY_XTERM);
    assert_int_equal(hotkey_dialect_of("screen"), HOTKEY_XTERM);
    assert_int_equal(hotkey_dialect_of("rxvt-unicode"), HOTKEY_RXVT);
    assert_int_equal(hotkey_dialect_of("linux"), HOTKEY_LINUX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(wrong_names),
        cmocka_unit_test(description_is_cut),
        cmocka_unit_test(known_terminals),
        cmocka_unit_test(other_keys_pass),
        cmocka_unit_test(releases_are_no_presses),
        cmocka_unit_test(key_held_down),
        cmocka_unit_test(lone_escape_is_let_go),
        cmocka_unit_test(escape_then_key),
        cmocka_unit_test(streams),
        cmocka_unit_test(streams_with_pauses),
        cmocka_unit_test(dialects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
