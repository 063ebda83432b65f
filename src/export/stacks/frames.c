/* SPDX-License-Identifier: Apache-2.0 */
#include "export/stacks/frames.h"

#include <string.h>

#include "base/escape.h"

static void put_folded(struct rf_sink *sink, const char *text, size_t size)
{
    const char *end = text + size;
    while (text < end) {
        const char *semicolon = memchr(text, ';', (size_t)(end - text));
        const char *until = semicolon != NULL ? semicolon : end;
        rf_sink_printable(sink, text, (size_t)(until - text));
        if (semicolon != NULL)
            rf_sink_char(sink, ':');
        text = until + (semicolon != NULL);
    }
}

static void put_json(struct rf_sink *sink, const char *text, size_t size)
{
    (void)rf_sink_json_inner(sink, text, size);
}

static void put_frame(struct rf_sink *sink, const struct rf_frame_name *frame,
                      void (*put)(struct rf_sink *sink, const char *text, size_t size))
{
    if (frame->domain != NULL && frame->domain_size > 0) {
        put(sink, frame->domain, frame->domain_size);
        rf_sink_char(sink, ':');
    }
    if (frame->name != NULL && frame->name_size > 0)
        put(sink, frame->name, frame->name_size);
    else
        rf_sink_text(sink, frame->name != NULL ? "(empty)" : "(null)");
}

void rf_sink_folded_frame(struct rf_sink *sink, const struct rf_frame_name *frame)
{
    put_frame(sink, frame, put_folded);
}

void rf_sink_json_frame(struct rf_sink *sink, const struct rf_frame_name *frame)
{
    rf_sink_char(sink, '"');
    put_frame(sink, frame, put_json);
    rf_sink_char(sink, '"');
}
