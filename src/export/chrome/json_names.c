/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/json_names.h"
#include "export/chrome/json_tracks.h"

#include "base/escape.h"
#include "model/fields/event_names.h"

void json_put_event_name(struct json_writer *to, const struct rf_event *event)
{
    size_t size;
    const char *text = rf_string(to->rec, event->name, &size);
    rf_sink_text(to->sink, "\"name\":\"");
    if (text != NULL)
        rf_sink_json_inner(to->sink, text, size);
    else
        rf_sink_text(to->sink, "(null)");
    rf_sink_char(to->sink, '"');
}

void json_put_domain_arg(struct json_writer *to, const struct rf_event *event, int *n_args)
{
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    if (domain->id == 0 && domain->is_valid)
        return;
    json_put_arg(to->sink, n_args, "domain");
    if (domain->is_valid) {
        rf_sink_json_name(to->sink, to->rec, domain->name);
        return;
    }
    rf_sink_char(to->sink, '"');
    rf_sink_hex(to->sink, domain->handle);
    rf_sink_char(to->sink, '"');
}
