/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_sink.h"

#include <stdlib.h>

static int append(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct rf_text_sink *to = context;
    (void)err;
    if (to->room - to->n <= size) {
        const size_t room = 2 * to->room + size + 64;
        char *text = realloc(to->text, room);
        if (text == NULL)
            return RF_ERR_NO_MEMORY;
        to->text = text;
        to->room = room;
    }
    memcpy(to->text + to->n, data, size);
    to->n += size;
    return RF_OK;
}

int rf_text_sink_init(struct rf_text_sink *to)
{
    *to = (struct rf_text_sink){.n = 0};
    return rf_sink_init(&to->sink, append, to, NULL);
}

void rf_text_sink_release(struct rf_text_sink *to)
{
    rf_sink_release(&to->sink);
    free(to->text);
    *to = (struct rf_text_sink){.n = 0};
}

char *rf_text_sink_take(struct rf_text_sink *to)
{
    rf_sink_char(&to->sink, '\0');
    if (rf_sink_finish(&to->sink) != RF_OK)
        return NULL;
    char *text = to->text;
    to->text = NULL;
    to->n = to->room = 0;
    return text;
}

void rf_cut_text(char *to, size_t size, const char *text)
{
    static const char dots[] = "...";
    size_t n = strlen(text);
    const bool is_cut = n >= size;
    if (is_cut) {
        n = size > sizeof(dots) ? size - sizeof(dots) : 0;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) /* within a character */
            n--;
    }
    memcpy(to, text, n);
    to[n] = '\0';
    if (is_cut && n + sizeof(dots) <= size)
        memcpy(to + n, dots, sizeof(dots));
}
