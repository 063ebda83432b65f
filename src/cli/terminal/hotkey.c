/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/hotkey.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

#define ESC 0x1b

/* ---- Names ---- */

static const struct {
    const char *name;
    uint8_t bit;
} modifier_names[] = {
    {"Ctrl+", HOTKEY_CTRL},
    {"Alt+", HOTKEY_ALT},
    {"Shift+", HOTKEY_SHIFT},
};

#define N_MODIFIERS (sizeof(modifier_names) / sizeof(modifier_names[0]))

static uint8_t take_modifiers(const char **text)
{
    uint8_t modifiers = 0;
    for (size_t i = 0; i < N_MODIFIERS; i++) {
        size_t length = strlen(modifier_names[i].name);
        if (strncasecmp(*text, modifier_names[i].name, length) == 0) {
            modifiers |= modifier_names[i].bit;
            *text += length;
            i = (size_t)-1; /* they come in any order */
        }
    }
    return modifiers;
}

/* The key's number, 1 to 12; 0: not a function key. */
static unsigned parse_number(const char *text, size_t length)
{
    if (length < 2 || length > 3 || (text[0] != 'F' && text[0] != 'f') || text[1] == '0')
        return 0;
    unsigned number = 0;
    for (size_t i = 1; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return 0;
        number = number * 10 + (unsigned)(text[i] - '0');
    }
    return number <= HOTKEY_N_KEYS ? number : 0;
}

int hotkey_set_parse(struct hotkey_set *set, const char *text, struct rf_err *err)
{
    memset(set, 0, sizeof(*set));
    if (text == NULL)
        text = "F12,Ctrl+F11";
    for (const char *next = text;; text = next + 1) {
        const char *name = text;
        next = text + strcspn(text, ",");
        uint8_t modifiers = take_modifiers(&name);
        unsigned number = name < next ? parse_number(name, (size_t)(next - name)) : 0;
        if (number == 0)
            return rf_fail(err, RF_ERR_USAGE,
                           "'%.*s' is no hotkey: name F1 to F12, with Ctrl+, Alt+ or Shift+ before "
                           "it where wanted (F12, Ctrl+F11)",
                           (int)(next - text), text);
        set->combinations[number - 1] |= (uint8_t)(1 << modifiers);
        if (*next == '\0')
            return RF_OK;
    }
}

static size_t append(char *buffer, size_t size, size_t at, const char *text)
{
    int n = at < size ? snprintf(buffer + at, size - at, "%s", text) : 0;
    return at + (n > 0 ? (size_t)n : 0);
}

const char *hotkey_set_describe(const struct hotkey_set *set, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = '\0';
    for (unsigned modifiers = 0; modifiers < 8; modifiers++) {
        for (unsigned number = HOTKEY_N_KEYS; number > 0; number--) {
            char key[8];
            if (!(set->combinations[number - 1] & 1 << modifiers))
                continue;
            at = at > 0 ? append(buffer, size, at, " or ") : 0;
            for (size_t i = 0; i < N_MODIFIERS; i++)
                if (modifiers & modifier_names[i].bit)
                    at = append(buffer, size, at, modifier_names[i].name);
            (void)snprintf(key, sizeof(key), "F%u", number);
            at = append(buffer, size, at, key);
        }
    }
    return buffer;
}

/* ---- Bytes ---- */

enum hotkey_dialect hotkey_dialect_of(const char *term)
{
    if (term == NULL)
        return HOTKEY_XTERM;
    if (strncmp(term, "rxvt", 4) == 0)
        return HOTKEY_RXVT;
    return strncmp(term, "linux", 5) == 0 ? HOTKEY_LINUX : HOTKEY_XTERM;
}

enum verdict {
    NO_KEY,
    PART_OF_KEY, /* so far */
    WHOLE_KEY,
};

struct key {
    unsigned number;    /* 1 to 12 */
    unsigned modifiers; /* 8 and above: modifiers that a hotkey cannot have */
    bool is_release;    /* from terminals that were asked to report them */
};

/* The bytes of one sequence that are left to read. */
struct rest {
    const uint8_t *at;
    const uint8_t *end;
};

/* The number of up to max_digits digits that comes next; -1: none. */
static int read_number(struct rest *rest, int max_digits)
{
    int number = -1;
    while (rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9' && max_digits-- > 0)
        number = (number < 0 ? 0 : number * 10) + (*rest->at++ - '0');
    return number;
}

static bool skip_byte(struct rest *rest, uint8_t byte)
{
    if (rest->at == rest->end || *rest->at != byte)
        return false;
    rest->at++;
    return true;
}

/* Modifiers as terminals send them: 1 + their bits. The states of the lock keys (64, 128), which
 * some report too, do not matter. */
static unsigned modifiers_of(int number)
{
    return (unsigned)(number - 1) & ~(64u | 128u);
}

/* ESC O P to ESC O S are F1 to F4; older terminals put the modifiers before the letter. */
static enum verdict read_ss3(struct rest rest, struct key *key)
{
    int modifiers = read_number(&rest, 1);
    if (modifiers >= 0)
        key->modifiers |= modifiers_of(modifiers);
    if (rest.at == rest.end)
        return modifiers < 0 || (modifiers >= 2 && modifiers <= 8) ? PART_OF_KEY : NO_KEY;
    if (*rest.at < 'P' || *rest.at > 'S' || modifiers == 0 || modifiers == 1 || modifiers == 9)
        return NO_KEY;
    key->number = (unsigned)(*rest.at - 'P') + 1;
    return WHOLE_KEY;
}

/* The key that ESC [ code ~ stands for. The codes of F13 to F20 are those of shifted keys. */
static bool find_code(int code, enum hotkey_dialect dialect, struct key *key)
{
    static const uint8_t codes[] = {11, 12, 13, 14, 15, 17, 18, 19, 20, 21,
                                    23, 24, 25, 26, 28, 29, 31, 32, 33, 34};
    unsigned number = 0;
    for (unsigned i = 0; i < sizeof(codes); i++)
        if (codes[i] == code)
            number = i + 1;
    if (number > HOTKEY_N_KEYS) {
        key->modifiers |= HOTKEY_SHIFT;
        number -= dialect == HOTKEY_RXVT ? 10 : 12;
    }
    key->number = number;
    return number != 0;
}

/* The final byte of ESC [ code ; modifiers. A modified F3 looks like a cursor report for the first
 * line; where it is the hotkey it is taken for the key. */
static enum verdict read_final(uint8_t final, int code, int modifiers, enum hotkey_dialect dialect,
                               struct key *key)
{
    if (final >= 'P' && final <= 'S') {
        key->number = (unsigned)(final - 'P') + 1;
        if (code < 0) /* the console's Pause key is ESC [ P */
            return modifiers < 0 && dialect != HOTKEY_LINUX ? WHOLE_KEY : NO_KEY;
        return code == 1 && modifiers >= 0 ? WHOLE_KEY : NO_KEY;
    }
    if (!find_code(code, dialect, key))
        return NO_KEY;
    if (final == '~')
        return WHOLE_KEY;
    /* rxvt's way to send modifiers */
    if (modifiers >= 0 || (final != '^' && final != '@' && final != '$'))
        return NO_KEY;
    key->modifiers |= (final != '$' ? HOTKEY_CTRL : 0) | (final != '^' ? HOTKEY_SHIFT : 0);
    return WHOLE_KEY;
}

static enum verdict read_csi(struct rest rest, enum hotkey_dialect dialect, struct key *key)
{
    int modifiers = -1;
    if (skip_byte(&rest, '[')) { /* the console's F1 to F5 */
        if (rest.at == rest.end)
            return PART_OF_KEY;
        key->number = (unsigned)(*rest.at - 'A') + 1;
        return *rest.at >= 'A' && *rest.at <= 'E' ? WHOLE_KEY : NO_KEY;
    }
    int code = read_number(&rest, 2);
    if (rest.at < rest.end && code >= 0 && skip_byte(&rest, ';')) {
        modifiers = read_number(&rest, 3);
        if (modifiers > 0)
            key->modifiers |= modifiers_of(modifiers);
        if (rest.at < rest.end && skip_byte(&rest, ':')) {
            int event = read_number(&rest, 1);
            key->is_release = event == 3;
            if (rest.at < rest.end && event < 0)
                return NO_KEY;
        }
        if (rest.at < rest.end && modifiers <= 0)
            return NO_KEY;
    }
    if (rest.at == rest.end)
        return PART_OF_KEY;
    return read_final(*rest.at, code, modifiers, dialect, key);
}

/* Classifies n bytes that begin with ESC. All but the last are known to be part of a key. */
static enum verdict read_key(const uint8_t *bytes, size_t n, enum hotkey_dialect dialect,
                             struct key *key)
{
    struct rest rest = {bytes + 1, bytes + n};
    memset(key, 0, sizeof(*key));
    if (skip_byte(&rest, ESC)) /* many terminals send Alt this way */
        key->modifiers = HOTKEY_ALT;
    if (rest.at == rest.end)
        return PART_OF_KEY;
    if (skip_byte(&rest, 'O'))
        return read_ss3(rest, key);
    return skip_byte(&rest, '[') ? read_csi(rest, dialect, key) : NO_KEY;
}

/* ---- The stream ---- */

void hotkey_matcher_init(struct hotkey_matcher *matcher, const struct hotkey_set *set,
                         enum hotkey_dialect dialect)
{
    memset(matcher, 0, sizeof(*matcher));
    matcher->set = *set;
    matcher->dialect = dialect;
}

static size_t release(struct hotkey_matcher *matcher, uint8_t *out)
{
    size_t n = matcher->n_held;
    memcpy(out, matcher->held, n);
    matcher->n_held = 0;
    return n;
}

static bool is_hotkey(const struct hotkey_matcher *matcher, const struct key *key)
{
    return key->modifiers < 8 &&
           (matcher->set.combinations[key->number - 1] & 1u << key->modifiers) != 0;
}

static void press(struct hotkey_matcher *matcher, int64_t now_ns, unsigned *n_pressed)
{
    if (matcher->pressed_ns == 0 || now_ns - matcher->pressed_ns >= HOTKEY_REPEAT_NS)
        ++*n_pressed;
    matcher->pressed_ns = now_ns;
}

/* Takes one byte while others are held. */
static size_t feed_byte(struct hotkey_matcher *matcher, uint8_t byte, int64_t now_ns, uint8_t *out,
                        unsigned *n_pressed)
{
    struct key key;
    matcher->held[matcher->n_held++] = byte;
    enum verdict verdict = read_key(matcher->held, matcher->n_held, matcher->dialect, &key);
    if (verdict == PART_OF_KEY)
        return 0;
    if (verdict == WHOLE_KEY && is_hotkey(matcher, &key)) {
        matcher->n_held = 0;
        if (!key.is_release)
            press(matcher, now_ns, n_pressed);
        return 0;
    }
    if (verdict == WHOLE_KEY || byte != ESC)
        return release(matcher, out);
    /* ESC may begin a key; after ESC ESC, the last two may. */
    size_t n_kept = matcher->n_held == 3 && matcher->held[1] == ESC ? 2 : 1;
    matcher->n_held -= n_kept;
    size_t n = release(matcher, out);
    memset(matcher->held, ESC, n_kept);
    matcher->n_held = n_kept;
    if (n_kept == 1) /* the first of two must not wait longer */
        matcher->deadline_ns = now_ns + HOTKEY_HOLD_NS;
    return n;
}

size_t hotkey_feed(struct hotkey_matcher *matcher, const uint8_t *bytes, size_t n, int64_t now_ns,
                   uint8_t *out, unsigned *n_pressed)
{
    size_t n_out = hotkey_expire(matcher, now_ns, out);
    for (size_t i = 0; i < n; i++) {
        if (matcher->n_held > 0) {
            n_out += feed_byte(matcher, bytes[i], now_ns, out + n_out, n_pressed);
            continue;
        }
        const uint8_t *escape = memchr(bytes + i, ESC, n - i);
        size_t length = escape != NULL ? (size_t)(escape - (bytes + i)) : n - i;
        memcpy(out + n_out, bytes + i, length);
        n_out += length;
        i += length;
        if (escape != NULL) {
            matcher->held[0] = ESC;
            matcher->n_held = 1;
            matcher->deadline_ns = now_ns + HOTKEY_HOLD_NS;
        }
    }
    return n_out;
}

size_t hotkey_expire(struct hotkey_matcher *matcher, int64_t now_ns, uint8_t *out)
{
    return matcher->n_held > 0 && now_ns >= matcher->deadline_ns ? release(matcher, out) : 0;
}
