/* SPDX-License-Identifier: Apache-2.0 */
/* Text from programs as JSON, CSV or something that is safe on a terminal. Programs annotate with
 * any bytes; what is not UTF-8 becomes U+FFFD, one for each maximal part of a sequence, as the
 * Unicode standard advises. */
#ifndef RF_BASE_ESCAPE_H
#define RF_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sink.h"

/* A JSON string, quotes included. Returns true if bytes had to be replaced. */
bool rf_sink_json(struct rf_sink *sink, const char *text, size_t size);

/* Text for inside a JSON string: the same without the quotes. */
bool rf_sink_json_inner(struct rf_sink *sink, const char *text, size_t size);

/* A JSON string of ASCII characters alone, as Python's json.dumps() writes it: everything else, and
 * DEL, stands as \uXXXX, above U+FFFF as a surrogate pair. */
void rf_sink_json_ascii(struct rf_sink *sink, const char *text, size_t size);

/* Does rf_sink_json_ascii() write the text as it is, between quotes? */
bool rf_is_plain_json(const char *text, size_t size);

/* A CSV field as RFC 4180 has it, in quotes where it must be. The empty text is "", so that it
 * differs from a field that is not there. Unless sink->is_raw, control characters stand as in
 * rf_sink_printable(), and an apostrophe before what a spreadsheet would take for a formula.
 * Returns true if bytes had to be replaced. */
bool rf_sink_csv(struct rf_sink *sink, const char *text, size_t size);

/* Whether a spreadsheet takes the text for a formula, by its first character. */
bool rf_is_formula(const char *text, size_t size);

/* The same as rf_sink_csv() of a text before which dashes stand that are ours. */
bool rf_sink_csv_tree(struct rf_sink *sink, const char *text, size_t size);

/* One line that moves no cursor, rings no bell and reads as it is written: control characters and
 * what is not UTF-8 stand as C escapes (\n, \x1b), what turns the direction of text as \u202e, a
 * backslash as \\. With sink->is_raw the text stands as it is. */
void rf_sink_printable(struct rf_sink *sink, const char *text, size_t size);

/* One line as rf_sink_printable() writes it, which may have such escapes already: a backslash
 * stands as it is. Also where sink->is_raw. */
void rf_sink_safe(struct rf_sink *sink, const char *text, size_t size);

/* Does rf_sink_safe() write the text as it is? */
bool rf_is_safe(const char *text, size_t size);

/* A name as rf_sink_printable() writes it, between apostrophes. */
void rf_sink_quoted(struct rf_sink *sink, const char *name);

/* One word of a command for a shell: 'it'\''s', and $'a\nb' where the word has what
 * rf_sink_printable() does not write as it is (bash, zsh and ksh know that). */
void rf_sink_shell_word(struct rf_sink *sink, const char *word);

/* Text of HTML, also between quotes. The bytes are to be printable UTF-8. */
void rf_sink_html(struct rf_sink *sink, const char *text, size_t size);

/* Are the bytes UTF-8? */
bool rf_is_utf8(const char *text, size_t size);

/* The text with U+FFFD for what is not UTF-8, in out, which has room for 3 * size bytes. Returns
 * how many were written. */
size_t rf_utf8_replace(char *out, const char *text, size_t size);

#endif
