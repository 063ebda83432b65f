/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page_html.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/text_sink.h"

size_t rf_html_cut(const char *name, size_t size)
{
    if (size <= RF_HTML_MAX_NAME)
        return size;
    size = RF_HTML_MAX_NAME;
    while (size > 0 && ((unsigned char)name[size] & 0xc0) == 0x80)
        size--;
    return size;
}

/* NULL: out of memory, which the sink says. */
static char *new_printable(struct rf_sink *sink, const char *text, size_t size)
{
    struct rf_text_sink printable;
    char *line = NULL;
    if (rf_text_sink_init(&printable) == RF_OK) {
        rf_sink_printable(&printable.sink, text, size);
        line = rf_text_sink_take(&printable);
    }
    rf_text_sink_release(&printable);
    if (line == NULL && sink->status == RF_OK)
        sink->status = RF_ERR_NO_MEMORY;
    return line;
}

void rf_html_put_bytes(struct rf_sink *sink, const char *text, size_t size)
{
    char *line = new_printable(sink, text, size);
    if (line != NULL)
        rf_sink_html(sink, line, strlen(line));
    free(line);
}

void rf_html_put_text(struct rf_sink *sink, const char *text)
{
    rf_html_put_bytes(sink, text, strlen(text));
}

/* Nothing that an HTML parser knows stands in it: no </script>, no <!--. */
void rf_html_put_json(struct rf_sink *sink, const char *text, size_t size)
{
    char *line = new_printable(sink, text, size);
    rf_sink_char(sink, '"');
    for (const char *p = line; p != NULL && *p != '\0'; p++)
        if (*p == '<' || *p == '>' || *p == '&')
            rf_sink_format(sink, "\\u%04x", (unsigned)*p);
        else if (*p == '"' || *p == '\\')
            rf_sink_format(sink, "\\%c", *p);
        else
            rf_sink_char(sink, *p);
    rf_sink_char(sink, '"');
    free(line);
}
