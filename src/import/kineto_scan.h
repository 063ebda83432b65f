/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text in memory, value by value, without recursion. It is read as programs write it, which
 * is a little more than JSON allows: control characters and unknown escapes in strings, NaN and
 * Infinity, 007, +5, .5 and 5., a comma before a closing bracket. Nothing is copied: values are
 * places in the text. */
#ifndef RF_IMPORT_KINETO_SCAN_H
#define RF_IMPORT_KINETO_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes behind the text that may be read; what they are does not matter. */
#define KINETO_PADDING 8

#define KINETO_MAX_DEPTH 512 /* of values inside each other */

struct kineto_scan {
    const char *at, *end;
    const char *problem;  /* why a function returned false, at `at`; NULL: the text ended */
    bool has_loose_comma; /* one stood before a closing bracket since this was set to false */
};

enum kineto_type { KINETO_STRING, KINETO_NUMBER, KINETO_LITERAL, KINETO_NESTED };

/* A value; of a string what is between its quotes. */
struct kineto_value {
    const char *at;
    size_t size;
    uint8_t type;     /* enum kineto_type */
    bool has_escapes; /* STRING */
    bool is_odd;      /* it is, or has in it, what JSON does not have */
};

static inline void kineto_skip_space(struct kineto_scan *scan)
{
    while (scan->at < scan->end &&
           (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t'))
        scan->at++;
}

/* The next byte behind spaces, or 0: the text ended. */
static inline char kineto_peek(struct kineto_scan *scan)
{
    kineto_skip_space(scan);
    return scan->at < scan->end ? *scan->at : 0;
}

/* Fails: problem says what there is instead, unless the text ended. Returns false. */
bool kineto_scan_fail(struct kineto_scan *scan, const char *problem);

/* Reads the value that comes next, behind spaces. */
bool kineto_scan_value(struct kineto_scan *scan, struct kineto_value *value);

/* Reads a key and the colon behind it. */
bool kineto_scan_key(struct kineto_scan *scan, struct kineto_value *key);

/* Behind a member or element: a comma, after which another one comes (*is_end false), or the
 * closing bracket. */
bool kineto_scan_next(struct kineto_scan *scan, char close, bool *is_end);

/* ---- What values say ---- */

static inline bool kineto_is(const struct kineto_value *value, const char *text)
{
    return strlen(text) == value->size && memcmp(text, value->at, strlen(text)) == 0;
}

/* A whole number, perhaps in quotes; false: it is none that fits. */
bool kineto_integer(const struct kineto_value *value, int64_t *number);

/* Microseconds, with decimals or an exponent, perhaps in quotes, to the nanosecond; false: it is no
 * number. What 64 bits cannot hold is INT64_MAX or INT64_MIN. */
bool kineto_nanoseconds(const struct kineto_value *value, int64_t *ns);

/* Any number, also NaN and Infinity, perhaps in quotes. */
bool kineto_real(const struct kineto_value *value, double *real);

/* Writes a string without its escapes; to: room for 2 * value->size bytes. Halves of characters,
 * and the character 0, become U+FFFD. Returns how many bytes there are. */
size_t kineto_unescape(const struct kineto_value *value, char *to);

#endif
