/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/next.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/say.h"

/* Appends a word; false: it does not fit. */
static bool append_word(char *line, size_t size, const char *before, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./+,:=@%";
    const bool is_plain = word[0] != '\0' && word[strspn(word, plain)] == '\0';
    size_t used = strlen(line);
    int n = snprintf(line + used, size - used, "%s%s", before, is_plain ? word : "'");
    used += (size_t)n;
    for (const char *p = word; !is_plain && *p != '\0' && used < size; p++)
        used += (size_t)snprintf(line + used, size - used, *p == '\'' ? "'\\''" : "%c", *p);
    if (!is_plain && used < size)
        used += (size_t)snprintf(line + used, size - used, "'");
    return used < size;
}

bool cli_append_words(char *line, size_t size, char *const *words, size_t n)
{
    for (size_t i = 0; i < n && words[i] != NULL; i++)
        if (!append_word(line, size, " ", words[i]))
            return false;
    return true;
}

void cli_say_next_about(const char *verb, const char *argument, const char *path)
{
    char line[2 * PATH_MAX] = "";
    if (argument != NULL && !append_word(line, sizeof(line), " ", argument))
        return;
    if (append_word(line, sizeof(line), path[0] == '-' ? " ./" : " ", path))
        cli_say("next: rangefinder %s%s", verb, line);
}

void cli_say_next(const char *verb, const char *path)
{
    cli_say_next_about(verb, NULL, path);
}

bool cli_is_read(void)
{
    return isatty(STDERR_FILENO) && isatty(STDOUT_FILENO);
}
