/* SPDX-License-Identifier: Apache-2.0 */
#include "model/quote.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/strings.h"
#include "rangefinder/rangefinder.h"

static bool needs_quotes(const char *text, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    return size == 0 || strspn(text, plain) != size;
}

/* Writes one argument to `at` and returns the end; 4 bytes per byte and 3 more are enough. */
static char *quote(char *at, const char *text, size_t size)
{
    if (!needs_quotes(text, size)) {
        memcpy(at, text, size);
        return at + size;
    }
    *at++ = '\'';
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\'') {
            memcpy(at, "'\\''", 4);
            at += 4;
        } else {
            *at++ = text[i];
        }
    }
    *at++ = '\'';
    return at;
}

int rf_quote_command(struct rf_strings *strings, const uint32_t *args, uint32_t n, uint32_t *out)
{
    size_t room = 1;
    for (uint32_t i = 0; i < n; i++)
        room += args[i] == RF_NO_STRING ? 3 : 4 * (size_t)strings->entry[args[i]].size + 3;
    char *command = malloc(room), *at = command;
    if (command == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            *at++ = ' ';
        if (args[i] == RF_NO_STRING)
            at = quote(at, "", 0);
        else
            at = quote(at, strings->entry[args[i]].text, strings->entry[args[i]].size);
    }
    *out = rf_strings_add(strings, command, (size_t)(at - command));
    free(command);
    return *out != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
}
