/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of events other than ranges and marks, whose attributes each form writes in its own
 * way. */
#include <stddef.h>

#include "model/fields/event_names.h"
#include "model/fields/fields.h"

#define AT(member)                                                                                 \
    .part = RF_PART_ROW, .offset = offsetof(struct rf_event, member),                              \
    .size = sizeof(((const struct rf_event *)0)->member)
#define OF(kind) (1u << RF_EVENT_##kind)
#define BRIEF    .is_brief = 1
#define IN_LABEL .perfetto = "", .chrome = "" /* rf_instant_label() */

/* clang-format off */
static const struct rf_field event_fields[] = {
    {.name = "category", .kinds = OF(CATEGORY), AT(category), BRIEF,
     .about = "the category that was named"},
    {.name = "named_tid", .kinds = OF(THREAD_NAME), AT(named_tid), BRIEF,
     .about = "the thread that was named, as the system numbers it"},
    {.name = "object", .kinds = OF(OBJECT_NAME), AT(object_kind), .type = RF_FIELD_WORD,
     .word = rf_object_kind_name, BRIEF, .about = "the kind of object that was named"},
    {.name = "handle", .kinds = OF(OBJECT_NAME), AT(handle), .type = RF_FIELD_HEX, BRIEF,
     .about = "the object that was named"},
    {.name = "resource", .kinds = OF(RESOURCE) | OF(RESOURCE_DESTROY), AT(resource_index), BRIEF,
     .about = "tells the resources of a process apart"},
    {.name = "identifier_type", .kinds = OF(RESOURCE), AT(identifier_type),
     .about = "what identifier is, as NVTX numbers it"},
    {.name = "identifier", .kinds = OF(RESOURCE), AT(identifier), .type = RF_FIELD_HEX,
     .about = "names the resource"},
    {.name = "handle", .kinds = OF(RESOURCE_DESTROY) | OF(SYNC_DESTROY), AT(handle),
     .type = RF_FIELD_HEX, .about = "what the program passed"},
    {.name = "parent", .kinds = OF(START_END), .part = RF_PART_DETAIL,
     .offset = offsetof(struct rf_start_end, parent_number), .size = sizeof(uint32_t),
     .absent = RF_ABSENT_0, .own_column = "parentRangeId",
     .about = "the number of the start/end range that it is part of, or its own"},
    {.name = "sync", .kinds = OF(SYNC_CREATE) | OF(SYNC_DESTROY) | OF(SYNC), AT(sync_index), BRIEF,
     .about = "tells the synchronization objects of a process apart"},
    {.name = "operation", .kinds = OF(SYNC), AT(sync_operation), .type = RF_FIELD_WORD,
     .word = rf_sync_operation_name, BRIEF, IN_LABEL, .about = "what the program did with the object"},
    {.name = "handle", .kinds = OF(SYNC), AT(handle), .type = RF_FIELD_HEX,
     .about = "what the program passed"},
};
/* clang-format on */

static const struct rf_row_kind event_kinds[] = {
    [0] = {.name = "unknown"},
    [RF_EVENT_PUSH_POP] = {.name = "push_pop"},
    [RF_EVENT_START_END] = {.name = "start_end", .own_table = "RANGEFINDER_NVTX_PARENTS"},
    [RF_EVENT_MARK] = {.name = "mark"},
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

const struct rf_fields rf_event_fields = {
    .field = event_fields,
    .n = sizeof(event_fields) / sizeof(event_fields[0]),
    .kind = event_kinds,
    .n_kinds = sizeof(event_kinds) / sizeof(event_kinds[0]),
};
