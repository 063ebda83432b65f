/* SPDX-License-Identifier: Apache-2.0 */
#include "export/extra_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "model/fields/event_names.h"

/* Members that every row may have. */
static const char *const taken[] = {
    "type",   "start_ns", "end_ns",        "duration_ns", "pid",         "tid",  "thread",
    "device", "context",  "green_context", "stream",      "correlation", "name",
};

static bool is_taken(const char *word)
{
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        if (strcmp(word, taken[i]) == 0)
            return true;
    return false;
}

const char *rf_snake_case(const char *name, char buffer[RF_SNAKE_CASE_SIZE])
{
    size_t n = 0;
    for (size_t i = 0; name[i] != '\0' && n + 2 < RF_SNAKE_CASE_SIZE; i++) {
        bool is_upper = isupper((unsigned char)name[i]) != 0;
        if (is_upper && i > 0 && !isupper((unsigned char)name[i - 1]))
            buffer[n++] = '_';
        buffer[n++] = (char)tolower((unsigned char)name[i]);
    }
    buffer[n] = '\0';
    return buffer;
}

const char *rf_extra_word(int kind, const char *name, char buffer[RF_EXTRA_WORD_SIZE])
{
    char word[RF_SNAKE_CASE_SIZE];
    (void)rf_snake_case(name, word);
    if (is_taken(word))
        (void)snprintf(buffer, RF_EXTRA_WORD_SIZE, "%.30s_%s", rf_extra_kind_name(kind), word);
    else
        (void)snprintf(buffer, RF_EXTRA_WORD_SIZE, "%s", word);
    return buffer;
}

static void put_string(struct rf_sink *sink, const rf_recording *rec, uint32_t string,
                       bool is_quoted)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    while (is_quoted && size > 0) {
        const char *quote = memchr(text, '"', size);
        size_t n = quote != NULL ? (size_t)(quote - text) : size;
        rf_sink_printable(sink, text, n);
        if (quote == NULL)
            return;
        rf_sink_text(sink, "\"\"");
        text += n + 1;
        size -= n + 1;
    }
    if (size > 0)
        rf_sink_printable(sink, text, size);
}

void rf_sink_extra_words(struct rf_sink *sink, const rf_recording *rec,
                         const struct rf_extra *extra, bool is_quoted)
{
    char buffer[RF_EXTRA_WORD_SIZE];
    const char *name;
    int64_t value;
    int n = 0;
    for (unsigned i = 0; (name = rf_extra_value_name(extra->kind, i)) != NULL; i++) {
        int type = rf_extra_value(rec, extra, i, &value);
        if (type == RF_VALUE_NONE)
            continue;
        if (n++ > 0)
            rf_sink_char(sink, ' ');
        rf_sink_text(sink, rf_extra_word(extra->kind, name, buffer));
        rf_sink_char(sink, '=');
        if (type == RF_VALUE_NUMBER)
            rf_sink_i64(sink, value);
        else
            put_string(sink, rec, (uint32_t)value, is_quoted);
    }
}

void rf_sink_extra_members(struct rf_sink *sink, const rf_recording *rec,
                           const struct rf_extra *extra)
{
    char buffer[RF_EXTRA_WORD_SIZE];
    const char *name;
    int64_t value;
    for (unsigned i = 0; (name = rf_extra_value_name(extra->kind, i)) != NULL; i++) {
        int type = rf_extra_value(rec, extra, i, &value);
        if (type == RF_VALUE_NONE)
            continue;
        rf_sink_text(sink, ",\"");
        rf_sink_text(sink, rf_extra_word(extra->kind, name, buffer));
        rf_sink_text(sink, "\":");
        if (type == RF_VALUE_NUMBER)
            rf_sink_i64(sink, value);
        else
            rf_sink_json_name(sink, rec, (uint32_t)value);
    }
}

bool rf_find_extra_value(const rf_recording *rec, const struct rf_extra *extra, const char *name,
                         int64_t *value)
{
    const char *found;
    for (unsigned i = 0; (found = rf_extra_value_name(extra->kind, i)) != NULL; i++)
        if (strcmp(found, name) == 0)
            return rf_extra_value(rec, extra, i, value) != RF_VALUE_NONE;
    return false;
}
