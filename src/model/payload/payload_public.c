/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface to whole payloads: their bytes, their JSON. */
#include <string.h>

#include "model/fields/event_names.h"
#include "model/payload/payload_json.h"
#include "model/payload/payload_sets.h"
#include "model/payload/schemas.h"

static const struct rf_payload_item *shown_item(const struct rf_payload_group *group, uint32_t i)
{
    for (uint32_t k = 0; k < group->n; k++)
        if (rf_payload_is_shown(&group->item[k]) && i-- == 0)
            return &group->item[k];
    return NULL;
}

int rf_payload_at(const rf_recording *rec, const struct rf_event *event, uint32_t i,
                  struct rf_payload_bytes *out)
{
    const struct rf_payload_set *set =
        rec != NULL && event != NULL ? rf_payload_set_of(rec, event) : NULL;
    if (out == NULL)
        return 0;
    *out = (struct rf_payload_bytes){.schema = 0};
    if (set == NULL)
        return 0;
    bool is_of_end = i >= set->begin.n_shown;
    const struct rf_payload_item *item =
        is_of_end ? shown_item(&set->end, i - set->begin.n_shown) : shown_item(&set->begin, i);
    if (item == NULL)
        return 0;
    const struct rf_payload_schema *schema = rf_payload_schema_at(rec, item->definition);
    *out = (struct rf_payload_bytes){.schema = item->schema,
                                     .schema_name = schema != NULL ? schema->name : NULL,
                                     .size = item->size,
                                     .n_bytes = item->n_bytes,
                                     .bytes = item->bytes,
                                     .is_of_end = is_of_end};
    return 1;
}

static size_t copy(char *to, size_t room, const char *text, size_t size)
{
    if (text == NULL)
        return SIZE_MAX;
    if (to != NULL && room > 0) {
        size_t n = size < room ? size : room - 1;
        memcpy(to, text, n);
        to[n] = '\0';
    }
    return size;
}

size_t rf_payload_json(const rf_recording *rec, const struct rf_event *event, unsigned flags,
                       char *text, size_t room)
{
    struct rf_json_text json = {.text = NULL};
    const char *from = "";
    size_t size = 0;
    bool is_text = rec != NULL && event != NULL && event->kind <= RF_EVENT_MARK &&
                   event->payload_type == RF_TYPE_JSON;
    if (is_text)
        from = rf_string(rec, rf_payload_string(event), &size);
    else if (rec != NULL && event != NULL && rf_payload_set_of(rec, event) != NULL)
        from = rf_json_text_of(&json, rec, event, flags & RF_VISIT_SHOWN, &size);
    size_t all = copy(text, room, is_text && from == NULL ? "" : from, size);
    rf_json_text_release(&json);
    return all;
}
