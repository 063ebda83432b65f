/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_dates.h"

#include "model/load/load.h"
#include "model/payload/payload_visit.h"

enum { SEMANTICS_SCOPE = 1, SEMANTICS_TIME = 2 };
enum { KIND_SHIFT = 3, KIND_MASK = 15 };

/* What goes before what, of scopes; RF_NVTX_BATCH_RANK is between. */
enum {
    RANK_GENERAL_SEMANTICS = 1,
    RANK_GENERAL_ENTRY = 3,
    RANK_SEMANTICS = 4,
    RANK_ENTRY = 5,
};

struct dating {
    struct rf_nvtx_clocks *clocks;
    struct rf_nvtx_dates *to;
    const struct rf_payload_entry *entry; /* of the value that is visited */
    int status;
};

static bool find_semantics(const struct dating *d, uint16_t id, struct rf_semantics *out)
{
    const struct rf_nvtx_definition *schema =
        d->entry != NULL ? rf_nvtx_definition_at(d->clocks->load->rec, d->entry->schema) : NULL;
    return schema != NULL && rf_nvtx_semantics(schema, d->entry->semantics, id, out);
}

static void take_scope(struct rf_nvtx_dates *to, uint64_t scope, uint8_t rank)
{
    if (scope == 0 || rank < to->scope_rank)
        return;
    to->scope = scope;
    to->scope_rank = rank;
    to->has_tid = false;
}

static void take_tid(struct rf_nvtx_dates *to, uint64_t tid)
{
    if (to->scope_rank > RANK_GENERAL_ENTRY || tid > UINT32_MAX)
        return;
    to->scope_rank = RANK_GENERAL_ENTRY;
    to->tid = (uint32_t)tid;
    to->has_tid = true;
}

/* Scopes with the purpose of a counter, or of the end of a range, are not the event's. */
static void take_place(struct dating *d, const struct rf_value *value, uint64_t role)
{
    struct rf_semantics scope;
    const bool has_purpose = (value->entry_flags & (RF_ENTRY_ROLE | RF_ENTRY_TIMESTAMP)) != 0;
    if (role == RF_ENTRY_COUNTER || role == RF_ENTRY_RANGE_END)
        return;
    if (find_semantics(d, SEMANTICS_SCOPE, &scope))
        take_scope(d->to, scope.value, has_purpose ? RANK_SEMANTICS : RANK_GENERAL_SEMANTICS);
    if (value->type == RF_NVTX_SCOPE_ID)
        take_scope(d->to, value->number, has_purpose ? RANK_ENTRY : RANK_GENERAL_ENTRY);
    else if (value->type == RF_NVTX_TID_UINT32 || value->type == RF_NVTX_TID_UINT64)
        take_tid(d->to, value->number);
}

static void take_time(struct dating *d, const struct rf_value *value, uint64_t role)
{
    struct rf_semantics time = {.value = 0};
    const enum rf_nvtx_date which = role == RF_ENTRY_RANGE_BEGIN ? RF_NVTX_BEGIN
                                    : role == RF_ENTRY_RANGE_END ? RF_NVTX_END
                                                                 : RF_NVTX_POINT;
    if (role == 0 && d->to->is_named[which])
        return;
    (void)find_semantics(d, SEMANTICS_TIME, &time);
    const uint64_t clock = time.value != 0 ? time.value : d->to->time_domain;
    if (!rf_nvtx_knows_clock(d->clocks, d->to->domain, clock))
        return;
    const int64_t ns = rf_nvtx_ns(d->clocks, d->to->domain, clock, value->integer, &d->status);
    if (!rf_nvtx_is_near(d->clocks, ns)) {
        d->to->is_far = true;
        return;
    }
    d->to->is_named[which] = role != 0;
    d->to->ns[which] = ns;
}

static int take_value(void *context, const struct rf_value *value)
{
    struct dating *d = context;
    const uint64_t flags = value->entry_flags, role = flags & RF_ENTRY_ROLE;
    if ((value->kind != RF_VALUE_UNSIGNED && value->kind != RF_VALUE_SIGNED) ||
        (flags & RF_ENTRY_MESSAGE) != 0)
        return 0;
    take_place(d, value, role);
    if (value->type == RF_NVTX_RANGE_ID) {
        d->to->id = value->number;
        d->to->has_id = true;
    } else if ((value->type < RF_NVTX_RANGE_ID || value->type > RF_NVTX_TID_UINT64) &&
               role != RF_ENTRY_COUNTER && (role != 0 || (flags & RF_ENTRY_TIMESTAMP) != 0)) {
        take_time(d, value, role);
    }
    return d->status;
}

bool rf_nvtx_has_dates(const rf_recording *rec, const struct rf_payload_group *group)
{
    for (uint32_t i = 0; i < group->n; i++) {
        const struct rf_payload_schema *schema =
            rf_payload_schema_at(rec, group->item[i].definition);
        if (schema != NULL && schema->has_dates)
            return true;
    }
    return false;
}

int rf_nvtx_read_dates(struct rf_nvtx_clocks *clocks, uint32_t process,
                       const struct rf_payload_group *group, struct rf_nvtx_dates *dates)
{
    const rf_recording *rec = clocks->load->rec;
    struct dating d = {.clocks = clocks, .to = dates};
    for (unsigned i = 0; i < RF_NVTX_DATES; i++)
        dates->ns[i] = RF_NO_TIME;
    for (uint32_t i = 0; i < group->n; i++) {
        const struct rf_payload_schema *schema =
            rf_payload_schema_at(rec, group->item[i].definition);
        const uint8_t kind =
            schema != NULL ? (uint8_t)(schema->flags >> KIND_SHIFT & KIND_MASK) : 0;
        if (kind >= RF_NVTX_COUNTERS && kind <= RF_NVTX_STOP)
            dates->kind = kind;
    }
    return rf_nvtx_has_dates(rec, group)
               ? rf_payload_visit_entries(rec, process, group, take_value, &d, &d.entry)
               : RF_OK;
}
