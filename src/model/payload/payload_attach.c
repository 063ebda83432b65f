/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/payload_attach.h"

#include "base/grow.h"
#include "model/payload/payload_visit.h"
#include "model/payload/schemas.h"
#include "model/recording.h"
#include "model/strings.h"

struct attributes {
    rf_recording *rec;
    struct rf_event *event;
};

/* What payloads say about their event: of several the last one is valid. */
static int take_attribute(void *context, const struct rf_value *value)
{
    struct attributes *a = context;
    if ((value->entry_flags & RF_ENTRY_MESSAGE) && value->kind == RF_VALUE_TEXT) {
        uint32_t name = rf_strings_add(&a->rec->strings, value->text, value->count);
        if (name == RF_NO_STRING)
            return RF_ERR_NO_MEMORY;
        a->event->name = name;
        a->event->flags &= (uint8_t) ~(RF_EVENT_REGISTERED | RF_EVENT_BAD_HANDLE);
    } else if (value->kind == RF_VALUE_UNSIGNED && value->number == 0) { /* none */
        return 0;
    } else if (value->type == RF_NVTX_CATEGORY && value->kind == RF_VALUE_UNSIGNED) {
        a->event->category = (uint32_t)value->number;
        a->event->flags |= RF_EVENT_HAS_CATEGORY;
    } else if (value->type == RF_NVTX_COLOR_ARGB && value->kind == RF_VALUE_UNSIGNED) {
        a->event->color = (uint32_t)value->number;
        a->event->flags |= RF_EVENT_HAS_COLOR;
    }
    return 0;
}

/* Finds the schemas of a group's items; *must_visit: an item has to be decoded to know what it
 * says of its event, or whether it can be. */
static void resolve(const rf_recording *rec, uint32_t domain, struct rf_payload_item *item,
                    struct rf_payload_group *group, bool *must_visit)
{
    for (uint32_t i = 0; i < group->n; i++) {
        if (!rf_payload_is_shown(&item[i]))
            continue;
        group->n_shown++;
        if (item[i].schema >= RF_NVTX_STATIC_IDS)
            item[i].definition = rf_nvtx_find(rec, RF_NVTX_DEF_SCHEMA, domain, item[i].schema);
        const struct rf_payload_schema *schema = rf_payload_schema_at(rec, item[i].definition);
        *must_visit |=
            !rf_payload_is_sound(rec, &item[i]) || (schema != NULL && schema->has_attributes);
    }
}

static void fill_group(const rf_recording *rec, uint32_t domain, struct rf_payload_items items,
                       struct rf_payload_group *out, bool *must_visit)
{
    if (items.n == 0)
        return;
    out->item = items.item;
    out->n = items.n;
    resolve(rec, domain, items.item, out, must_visit);
}

int rf_payload_attach(rf_recording *rec, struct rf_event *event, uint32_t process,
                      struct rf_payload_items begin, struct rf_payload_items end)
{
    struct rf_payloads *all = rec->payloads;
    struct rf_payload_set set = {.process = process, .scope = RF_NO_STRING};
    struct attributes attributes = {rec, event};
    bool must_visit = false, is_bad = false, is_end_bad = false;
    int status = RF_OK;
    fill_group(rec, event->domain, begin, &set.begin, &must_visit);
    fill_group(rec, event->domain, end, &set.end, &must_visit);
    if (set.begin.n_shown + set.end.n_shown == 0) {
        event->payload = 0;
        event->payload_type = RF_TYPE_NONE;
        return RF_OK;
    }
    if (rf_grow_array(&all->set, all->n, &all->room, sizeof(*all->set)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    event->payload_type = RF_TYPE_EXTENDED;
    event->payload = all->n;
    all->set[all->n++] = set;
    if (must_visit)
        status = rf_payload_visit_group(rec, process, &set.begin, 0, take_attribute, &attributes,
                                        &is_bad);
    if (must_visit && status == RF_OK)
        status = rf_payload_visit_group(rec, process, &set.end, 0, take_attribute, &attributes,
                                        &is_end_bad);
    if (is_bad || is_end_bad)
        event->flags |= RF_EVENT_BAD_PAYLOAD;
    return status;
}
