/* SPDX-License-Identifier: Apache-2.0 */
/* The keys that begin and end a capture: how they are named, and how they are found among the bytes
 * that a terminal sends. Nothing here reads a clock or a descriptor. */
#ifndef RF_CLI_TERMINAL_HOTKEY_H
#define RF_CLI_TERMINAL_HOTKEY_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

#define HOTKEY_N_KEYS    12                   /* F1 to F12 */
#define HOTKEY_HOLD_NS   ((int64_t)20000000)  /* the longest time that a byte is held back */
#define HOTKEY_REPEAT_NS ((int64_t)100000000) /* closer presses are a key held down */
#define HOTKEY_MAX_HELD  16                   /* bytes; longer than any key */

/* Modifiers: the bits of what xterm sends, minus one. */
enum {
    HOTKEY_SHIFT = 1,
    HOTKEY_ALT = 2,
    HOTKEY_CTRL = 4,
};

/* Bit m of combinations[n - 1]: Fn with the modifiers m. */
struct hotkey_set {
    uint8_t combinations[HOTKEY_N_KEYS];
};

/* Reads "F12" or "Ctrl+F11,shift+f5"; NULL: the default, both F12 and Ctrl+F11. RF_ERR_USAGE: err
 * says what is valid. */
int hotkey_set_parse(struct hotkey_set *set, const char *text, struct rf_err *err);

/* "F12 or Ctrl+F11" in a buffer of the caller, which is returned. 64 bytes hold four keys. */
const char *hotkey_set_describe(const struct hotkey_set *set, char *buffer, size_t size);

/* Terminals that send the same bytes for different keys. */
enum hotkey_dialect {
    HOTKEY_XTERM = 0,
    HOTKEY_RXVT = 1,
    HOTKEY_LINUX = 2, /* the kernel's console */
};

/* term: the value of TERM, or NULL. */
enum hotkey_dialect hotkey_dialect_of(const char *term);

/* Removes the keys from a stream of bytes. Bytes that may become a key are held back. */
struct hotkey_matcher {
    struct hotkey_set set;
    enum hotkey_dialect dialect;
    uint8_t held[HOTKEY_MAX_HELD];
    size_t n_held;
    int64_t deadline_ns; /* when held bytes are released; valid while n_held > 0 */
    int64_t pressed_ns;  /* the last time; 0: never */
};

void hotkey_matcher_init(struct hotkey_matcher *matcher, const struct hotkey_set *set,
                         enum hotkey_dialect dialect);

/* Processes bytes that arrived at now_ns (a monotonic clock). Bytes for the program go to out,
 * which has room for n + HOTKEY_MAX_HELD of them. Returns their number; adds the presses to
 * *n_pressed. */
size_t hotkey_feed(struct hotkey_matcher *matcher, const uint8_t *bytes, size_t n, int64_t now_ns,
                   uint8_t *out, unsigned *n_pressed);

/* Releases bytes that were held for too long, when nothing else arrives. Same room and result as
 * hotkey_feed(). */
size_t hotkey_expire(struct hotkey_matcher *matcher, int64_t now_ns, uint8_t *out);

#endif
