/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of events and of other rows of databases, in the order in which JSON lines have
 * them. */
#include <stddef.h>

#include "model/fields/event_names.h"
#include "model/fields/fields.h"
#include "model/payload/payload_sets.h"

#define IN(which, type, member)                                                                    \
    .part = RF_PART_##which, .offset = offsetof(type, member),                                     \
    .size = sizeof(((const type *)0)->member)
#define AT(member)         IN(ROW, struct rf_event, member)
#define PART(part, member) IN(part, struct rf_event, member)
#define OF(kind)           (1u << RF_EVENT_##kind)
#define RANGES             (OF(PUSH_POP) | OF(START_END))
#define ANNOTATIONS        (RANGES | OF(MARK))
#define ALL                (~0u)
#define BRIEF              .is_brief = 1
#define IN_LABEL           NOT_IN_VIEWERS /* rf_instant_label() */
#define NOT_IN_VIEWERS     IN_VIEWERS("")
#define IN_VIEWERS(name)   .perfetto = (name), .chrome = (name)
#define CSV(column)        .csv = (column)
#define AS_PAYLOAD(type)   .csv = "payload", .csv_type = (type)
#define NOT_IN_CSV         .csv = ""
#define NOT_IN_TEXT        .is_beside = 1
#define NOT_IN_PYTHON      .is_not_in_python = 1

/* clang-format off */
static const struct rf_field event_fields[] = {
    {.name = "is_registered", .kinds = ANNOTATIONS, PART(REGISTERED, flags), .type = RF_FIELD_TRUE,
     NOT_IN_VIEWERS, NOT_IN_CSV, NOT_IN_TEXT, .about = "the message is a registered string"},
    {.name = "category", .kinds = ANNOTATIONS, PART(CATEGORY, category),
     .about = "as the program numbers it"},
    {.name = "category_name", .kinds = ANNOTATIONS, .part = RF_PART_CATEGORY_NAME,
     .chrome = "category_name",
     .size = sizeof(uint32_t), .type = RF_FIELD_STRING, .about = "what the program named the category"},
    {.name = "color", .kinds = ANNOTATIONS, PART(COLOR, color), .type = RF_FIELD_COLOR,
     .about = "0xAARRGGBB, in texts #rrggbb, or #aarrggbb where it is not opaque"},
    {.name = "payload_type", .kinds = ANNOTATIONS, PART(PAYLOAD, payload_type),
     .type = RF_FIELD_WORD, .word = rf_payload_type_name, NOT_IN_VIEWERS, NOT_IN_TEXT,
     .about = "how the payload is to be read"},
    {.name = "payload", .kinds = ANNOTATIONS, .part = RF_PART_PAYLOAD, .size = sizeof(uint64_t),
     .type = RF_FIELD_PAYLOAD, .about = "a number, or text"},
    {.name = "scope", .kinds = ANNOTATIONS, .part = RF_PART_SCOPE, .size = sizeof(uint32_t),
     .type = RF_FIELD_STRING, .own_column = "scope",
     .about = "where it was, as its payloads say: `process`, or a registered scope's path"},
    {.name = "category", .kinds = OF(CATEGORY), AT(category), BRIEF,
     .about = "the category that was named"},
    {.name = "named_tid", AS_PAYLOAD("tid"), .kinds = OF(THREAD_NAME), AT(named_tid), BRIEF,
     .about = "the thread that was named, as the system numbers it"},
    {.name = "object", CSV("operation"), .kinds = OF(OBJECT_NAME), AT(object_kind),
     .type = RF_FIELD_WORD, .word = rf_object_kind_name, BRIEF,
     .about = "the kind of object that was named"},
    {.name = "handle", AS_PAYLOAD("handle"), .kinds = OF(OBJECT_NAME), AT(handle),
     .type = RF_FIELD_HEX, BRIEF, .about = "the object that was named"},
    {.name = "resource", CSV("id"), .kinds = OF(RESOURCE) | OF(RESOURCE_DESTROY),
     AT(resource_index), BRIEF, .about = "tells the resources of a process apart"},
    {.name = "identifier_type", CSV("category"), .kinds = OF(RESOURCE), AT(identifier_type),
     .about = "what identifier is, as NVTX numbers it"},
    {.name = "identifier", AS_PAYLOAD("identifier"), .kinds = OF(RESOURCE), AT(identifier),
     .type = RF_FIELD_HEX, .about = "names the resource"},
    {.name = "handle", AS_PAYLOAD("handle"), .kinds = OF(RESOURCE_DESTROY) | OF(SYNC_DESTROY),
     AT(handle), .type = RF_FIELD_HEX, .about = "what the program passed"},
    {.name = "sync", CSV("id"), .kinds = OF(SYNC_CREATE) | OF(SYNC_DESTROY) | OF(SYNC),
     AT(sync_index), BRIEF, .about = "tells the synchronization objects of a process apart"},
    {.name = "operation", .kinds = OF(SYNC), AT(sync_operation), .type = RF_FIELD_WORD,
     .word = rf_sync_operation_name, BRIEF, IN_LABEL, .about = "what the program did with the object"},
    {.name = "handle", AS_PAYLOAD("handle"), .kinds = OF(SYNC), AT(handle), .type = RF_FIELD_HEX,
     .about = "what the program passed"},
};

#define OF_START_END(member)                                                                       \
    .kinds = OF(START_END), IN(DETAIL, struct rf_start_end, member)
#define OF_END(part, type, member) .kinds = OF(START_END), IN(part, type, member)

static const struct rf_field range_fields[] = {
    {.name = "range", OF_START_END(number), CSV("id"), .text = "start/end",
     NOT_IN_PYTHON,
     .about = "1, 2, ... in the order of starts in its process"},
    {.name = "range_id", OF_START_END(id), .type = RF_FIELD_HEX, .absent = RF_ABSENT_0, NOT_IN_VIEWERS, NOT_IN_CSV,
     NOT_IN_TEXT,
     .about = "as nvtxRangeStart returned it"},
    {.name = "end_thread", OF_END(ENDED, struct rf_start_end, end_thread), NOT_IN_VIEWERS,
     NOT_IN_CSV, NOT_IN_TEXT,
     .about = "the index of the thread that ended it, if it is another one"},
    {.name = "parent", OF_START_END(parent_number), .absent = RF_ABSENT_0,
     .own_column = "parentRangeId", .is_not_null = 1, NOT_IN_PYTHON,
     .about = "the number of the start/end range that it is part of, or its own"},
    {.name = "", OF_END(THREAD, struct rf_thread, tid), IN_VIEWERS("thread"), NOT_IN_CSV,
     NOT_IN_TEXT, .about = "the thread that began it, since viewers show it as one of its process"},
    {.name = "", OF_END(END_THREAD, struct rf_thread, tid), IN_VIEWERS("end_thread"),
     CSV("end_tid"), .text = "ended by thread", .about = "that thread, as the system numbers it"},
    {.name = "cut", .kinds = RANGES, AT(cut), .type = RF_FIELD_WORD, .word = rf_cut_name,
     .absent = RF_ABSENT_0, .text = "cut:", .about = "why its end was not recorded"},
};

#define IN_EXTRA(member) .kinds = ALL, IN(ROW, struct rf_extra, member)

static const struct rf_field extra_fields[] = {
    {.name = "device", IN_EXTRA(device), .absent = RF_ABSENT_MAX,
     .about = "the GPU as the process numbers it"},
    {.name = "context", IN_EXTRA(context), .absent = RF_ABSENT_MAX, .about = "the CUDA context"},
    {.name = "green_context", IN_EXTRA(green_context), .absent = RF_ABSENT_0,
     .about = "the green context"},
    {.name = "stream", IN_EXTRA(stream), .absent = RF_ABSENT_MAX, .about = "the stream"},
    {.name = "correlation", IN_EXTRA(correlation), .absent = RF_ABSENT_0, .about = "of the call"},
    {.name = "name", IN_EXTRA(name), .type = RF_FIELD_STRING, .absent = RF_ABSENT_MAX,
     .about = "what it is called"},
};
/* clang-format on */

static const struct rf_row_kind event_kinds[] = {
    [0] = {.name = "unknown"},
    [RF_EVENT_PUSH_POP] = {.name = "push_pop", .own_table = "RANGEFINDER_NVTX_PUSH_POP"},
    [RF_EVENT_START_END] = {.name = "start_end", .own_table = "RANGEFINDER_NVTX_PARENTS"},
    [RF_EVENT_MARK] = {.name = "mark", .own_table = "RANGEFINDER_NVTX_MARKS"},
    [RF_EVENT_CATEGORY] = {.name = "category"},
    [RF_EVENT_THREAD_NAME] = {.name = "thread_name"},
    [RF_EVENT_DOMAIN_CREATE] = {.name = "domain_create"},
    [RF_EVENT_DOMAIN_DESTROY] = {.name = "domain_destroy"},
    [RF_EVENT_OBJECT_NAME] = {.name = "object_name"},
    [RF_EVENT_RESOURCE] = {.name = "resource"},
    [RF_EVENT_RESOURCE_DESTROY] = {.name = "resource_destroy"},
    [RF_EVENT_SYNC_CREATE] = {.name = "sync_create"},
    [RF_EVENT_SYNC_DESTROY] = {.name = "sync_destroy"},
    [RF_EVENT_SYNC] = {.name = "sync", .chrome = "nvtx.sync", .is_instant = true},
};
_Static_assert(sizeof(event_kinds) / sizeof(event_kinds[0]) <= RF_MAX_KINDS, "arrays by kind");

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

const struct rf_fields rf_event_fields = {event_fields, N_OF(event_fields), event_kinds,
                                          N_OF(event_kinds)};
const struct rf_fields rf_range_fields = {range_fields, N_OF(range_fields), event_kinds,
                                          N_OF(event_kinds)};
const struct rf_fields rf_extra_fields = {.field = extra_fields, .n = N_OF(extra_fields)};

static const struct rf_start_end *find_start_end(const rf_recording *rec,
                                                 const struct rf_event *event)
{
    return event->kind == RF_EVENT_START_END ? rf_start_end_at(rec, event->link) : NULL;
}

static void add_start_end(const rf_recording *rec, const struct rf_event_at *at, struct rf_row *row)
{
    const struct rf_start_end *range = find_start_end(rec, at->event);
    row->part[RF_PART_DETAIL] = range;
    if (range == NULL)
        return;
    row->part[RF_PART_THREAD] = rf_thread_at(rec, at->thread);
    if (range->end_thread == at->thread || range->end_thread == RF_NO_INDEX)
        return;
    row->part[RF_PART_ENDED] = range;
    row->part[RF_PART_END_THREAD] = rf_thread_at(rec, range->end_thread);
}

static void add_category_name(const rf_recording *rec, const struct rf_event *event,
                              struct rf_row *row)
{
    if (event->kind > RF_EVENT_MARK || (event->flags & RF_EVENT_HAS_CATEGORY) == 0)
        return;
    row->category_name = rf_category_name(rec, event->domain, event->category);
    if (row->category_name != RF_NO_STRING)
        row->part[RF_PART_CATEGORY_NAME] = &row->category_name;
}

static const uint32_t *find_scope(const rf_recording *rec, const struct rf_event *event)
{
    const struct rf_payload_set *set = rf_payload_set_of(rec, event);
    return set != NULL && set->scope != RF_NO_STRING ? &set->scope : NULL;
}

static const struct rf_event *if_flagged(const struct rf_event *event, enum rf_event_flags flag)
{
    return (event->flags & flag) != 0 ? event : NULL;
}

/* The parts that are the event itself. Only ranges and marks have fields in those of attributes:
 * other events use their members for what they are about. */
static const struct rf_event *find_attribute(const struct rf_event *event, enum rf_field_part part)
{
    switch (part) {
    case RF_PART_REGISTERED:
        return if_flagged(event, RF_EVENT_REGISTERED);
    case RF_PART_CATEGORY:
        return if_flagged(event, RF_EVENT_HAS_CATEGORY);
    case RF_PART_COLOR:
        return if_flagged(event, RF_EVENT_HAS_COLOR);
    case RF_PART_PAYLOAD:
        return event->payload_type != RF_TYPE_NONE ? event : NULL;
    default:
        return event;
    }
}

void rf_row_of_event(const rf_recording *rec, const struct rf_event_at *at, struct rf_row *row)
{
    const struct rf_event *event = at->event;
    *row =
        (struct rf_row){.part = {[RF_PART_ROW] = event,
                                 [RF_PART_REGISTERED] = find_attribute(event, RF_PART_REGISTERED),
                                 [RF_PART_CATEGORY] = find_attribute(event, RF_PART_CATEGORY),
                                 [RF_PART_COLOR] = find_attribute(event, RF_PART_COLOR),
                                 [RF_PART_PAYLOAD] = find_attribute(event, RF_PART_PAYLOAD)}};
    add_category_name(rec, event, row);
    row->part[RF_PART_SCOPE] = find_scope(rec, event);
    add_start_end(rec, at, row);
}

const void *rf_part_of_event(const rf_recording *rec, const struct rf_event_at *at, unsigned part,
                             struct rf_row *room)
{
    switch (part) {
    case RF_PART_DETAIL:
        return find_start_end(rec, at->event);
    case RF_PART_CATEGORY_NAME:
        room->part[part] = NULL;
        add_category_name(rec, at->event, room);
        return room->part[part];
    case RF_PART_SCOPE:
        return find_scope(rec, at->event);
    case RF_PART_THREAD:
    case RF_PART_ENDED:
    case RF_PART_END_THREAD:
        room->part[part] = NULL;
        add_start_end(rec, at, room);
        return room->part[part];
    default:
        return find_attribute(at->event, part);
    }
}
