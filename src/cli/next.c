/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/next.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text_sink.h"
#include "cli/overlaps.h"
#include "cli/say.h"

/* Appends a word, quoted where it has to be; false: it does not fit. */
static bool append_word(char *line, size_t size, const char *before, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./+,:=@%";
    struct rf_text_sink words;
    char *text = NULL;
    size_t used = strlen(line);
    if (rf_text_sink_init(&words) == RF_OK) {
        rf_sink_text(&words.sink, before);
        if (word[0] != '\0' && word[strspn(word, plain)] == '\0')
            rf_sink_text(&words.sink, word);
        else
            rf_sink_shell_word(&words.sink, word);
        text = rf_text_sink_take(&words);
    }
    rf_text_sink_release(&words);
    const bool fits = text != NULL && strlen(text) < size - used;
    if (fits)
        memcpy(line + used, text, strlen(text) + 1);
    free(text);
    return fits;
}

bool cli_append_words(char *line, size_t size, char *const *words, size_t n)
{
    for (size_t i = 0; i < n && words[i] != NULL; i++)
        if (!append_word(line, size, " ", words[i]))
            return false;
    return true;
}

bool cli_next_about(char line[CLI_NEXT_SIZE], const char *verb, const char *argument,
                    const char *path)
{
    (void)snprintf(line, CLI_NEXT_SIZE, "rangefinder %s", verb);
    if ((argument == NULL || append_word(line, CLI_NEXT_SIZE, " ", argument)) &&
        append_word(line, CLI_NEXT_SIZE, path[0] == '-' ? " ./" : " ", path))
        return true;
    line[0] = '\0';
    return false;
}

void cli_say_next_about(const char *verb, const char *argument, const char *path)
{
    char line[CLI_NEXT_SIZE];
    cli_overlaps_say();
    if (cli_next_about(line, verb, argument, path))
        cli_say("next: %s", line);
}

void cli_say_next(const char *verb, const char *path)
{
    cli_say_next_about(verb, NULL, path);
}

void cli_say_next_of(const char *verb, char *const *operands, size_t n)
{
    char line[2 * PATH_MAX] = "";
    cli_overlaps_say();
    for (size_t i = 0; i < n; i++)
        if (!append_word(line, sizeof(line), operands[i][0] == '-' ? " ./" : " ", operands[i]))
            return;
    cli_say("next: rangefinder %s%s", verb, line);
}
