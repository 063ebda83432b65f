/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/arrays.h"
#include "model/load/load.h"
#include "model/load/samples.h"
#include "model/nvtx/nvtx_columns.h"
#include "model/nvtx/nvtx_layout.h"
#include "model/nvtx/nvtx_scope.h"
#include "model/strings.h"

/* NVTX_SEMANTIC_ID_, NVTX_COUNTER_FLAG_, NVTX_COUNTER_LIMIT_ */
enum { SEMANTICS_COUNTER = 5 };
enum { FLAG_NORMALIZE = 1 << 1, FLAG_LIMITS_SHIFT = 2, FLAG_LIMITS = 3 };
enum { LIMIT_I64 = 1, LIMIT_U64 = 2, LIMIT_F64 = 3 };

struct making {
    struct rf_load *load;
    const struct rf_nvtx_use *use;
    const struct rf_nvtx_definition *def;
    struct rf_counter_def head;
    const struct rf_nvtx_entry *entry;
    struct rf_nvtx_track *track;
    struct rf_nvtx_counter nvtx;
    struct rf_counter counter;
    int status;
};

static uint32_t add_string(struct making *m, const char *text)
{
    if (text == NULL)
        return RF_NO_STRING;
    uint32_t string = rf_strings_add(&m->load->rec->strings, text, strlen(text));
    if (string == RF_NO_STRING)
        m->status = RF_ERR_NO_MEMORY;
    return string;
}

/* ---- What the definition says ---- */

/* Fixed-point numbers are shown with the largest one as 1. */
static double largest_of(const struct rf_number_type *type)
{
    if (!rf_is_whole_number(type))
        return 1;
    return ldexp(1, 8 * type->size - (type->form == RF_ENTRY_SIGNED)) - 1;
}

static void set_semantics(struct making *m, const struct rf_nvtx_definition *def,
                          const struct rf_semantics *s)
{
    static const uint8_t value_types[] = {RF_COUNTER_ABSOLUTE, RF_COUNTER_ABSOLUTE,
                                          RF_COUNTER_DELTA, RF_COUNTER_DELTA_SINCE_START};
    static const uint8_t interpolations[] = {
        RF_COUNTER_UNTIL_NEXT, RF_COUNTER_POINT,      RF_COUNTER_SINCE_LAST, RF_COUNTER_UNTIL_NEXT,
        RF_COUNTER_LINEAR,     RF_COUNTER_UNTIL_NEXT, RF_COUNTER_UNTIL_NEXT, RF_COUNTER_UNTIL_NEXT};
    static const uint8_t limit_types[] = {[LIMIT_I64] = RF_COUNTER_INT64,
                                          [LIMIT_U64] = RF_COUNTER_UINT64,
                                          [LIMIT_F64] = RF_COUNTER_REAL};
    m->nvtx.unit = add_string(m, rf_nvtx_text(def, s->unit));
    m->nvtx.value_type = value_types[s->flags >> 4 & 3];
    m->nvtx.interpolation = interpolations[s->flags >> 8 & 7];
    if (s->limit_type >= LIMIT_I64 && s->limit_type <= LIMIT_F64) {
        const enum rf_counter_number number = limit_types[s->limit_type];
        m->nvtx.has_limits = s->flags >> FLAG_LIMITS_SHIFT & FLAG_LIMITS;
        if (m->nvtx.has_limits & 1)
            m->nvtx.min = rf_nvtx_limit(number, s->min);
        if (m->nvtx.has_limits & 2)
            m->nvtx.max = rf_nvtx_limit(number, s->max);
    }
    if (s->scale_numerator != 0 && s->scale_denominator != 0) {
        m->nvtx.scale_numerator = s->scale_numerator;
        m->nvtx.scale_denominator = s->scale_denominator;
    }
    m->nvtx.factor = (double)m->nvtx.scale_numerator / (double)m->nvtx.scale_denominator;
    if (s->flags & FLAG_NORMALIZE)
        m->nvtx.factor /= largest_of(&m->entry->type);
}

/* Those of an entry go before those of its group. */
static void take_semantics(struct making *m)
{
    struct rf_semantics s;
    const uint64_t scope = m->entry->scope != 0 ? m->entry->scope : m->use->scope;
    const struct rf_nvtx_definition *schema = rf_nvtx_definition_at(m->load->rec, m->entry->schema);
    if (schema != NULL && rf_nvtx_semantics(schema, m->entry->semantics, SEMANTICS_COUNTER, &s))
        set_semantics(m, schema, &s);
    else if (rf_nvtx_semantics(m->def, m->head.semantics, SEMANTICS_COUNTER, &s))
        set_semantics(m, m->def, &s);
    m->nvtx.scope = rf_nvtx_scope(m->load, m->use->domain, scope, &m->status);
}

/* "GROUP.ENTRY" of a group. */
static uint32_t name_of(struct making *m)
{
    struct rf_strings *strings = &m->load->rec->strings;
    size_t entry_size = 0;
    const char *name = rf_nvtx_text(m->def, m->head.name);
    size_t size = name != NULL ? strlen(name) : 0;
    const char *entry = m->entry->name != RF_NO_STRING
                            ? rf_string(m->load->rec, m->entry->name, &entry_size)
                            : NULL;
    char *text = malloc(size + entry_size + 2);
    if (text == NULL) {
        m->status = RF_ERR_NO_MEMORY;
        return RF_NO_STRING;
    }
    if (size > 0)
        memcpy(text, name, size);
    if (entry != NULL && size > 0)
        text[size++] = '.';
    if (entry != NULL)
        memcpy(text + size, entry, entry_size);
    uint32_t string = rf_strings_add(strings, text, size + entry_size);
    free(text);
    if (string == RF_NO_STRING)
        m->status = RF_ERR_NO_MEMORY;
    return string;
}

static void describe(struct making *m)
{
    m->nvtx = (struct rf_nvtx_counter){.domain = m->use->domain,
                                       .thread = m->track->thread,
                                       .description = add_string(m, m->entry->description),
                                       .unit = RF_NO_STRING,
                                       .number = (uint8_t)rf_counter_number_of(&m->entry->type),
                                       .scale_numerator = 1,
                                       .scale_denominator = 1,
                                       .factor = 1};
    if (m->nvtx.description == RF_NO_STRING)
        m->nvtx.description = add_string(m, rf_nvtx_text(m->def, m->head.description));
    if (m->use->is_memory)
        m->nvtx.unit = add_string(m, "bytes");
    take_semantics(m);
    m->counter = (struct rf_counter){.name = name_of(m),
                                     .set = RF_NO_STRING,
                                     .device = RF_NO_INDEX,
                                     .process = m->load->rec->domain[m->use->domain].process,
                                     .n_samples = 0};
}

/* ---- Counters ---- */

static void *make_columns(struct making *m)
{
    const size_t n = m->load->has_no_samples ? 0 : m->track->n;
    return rf_nvtx_columns_new(&m->counter, &m->nvtx, m->track->sample, n);
}

static int make_counter(struct rf_load *load, struct rf_nvtx_track *track)
{
    const struct rf_nvtx_use *use = &load->nvtx.counter[track->counter];
    struct making m = {.load = load,
                       .use = use,
                       .def = rf_nvtx_definition_at(load->rec, use->definition),
                       .entry = &use->layout->entry[track->entry],
                       .track = track};
    rf_recording *rec = load->rec;
    if (!use->is_entry)
        (void)rf_nvtx_read(m.def, 0, &m.head, sizeof(m.head));
    describe(&m);
    void *memory = m.status == RF_OK ? make_columns(&m) : NULL;
    if (memory == NULL)
        return RF_ERR_NO_MEMORY;
    rec->info.n_samples += track->n;
    free(track->sample);
    track->sample = NULL;
    rec->counter_origin[rec->n_counters] =
        (struct rf_counter_origin){.sum = track->sum, .metric = rec->n_counters};
    rec->counter[rec->n_counters++] = m.counter;
    const int status = rf_samples_keep(rec, track->sum);
    track->sum = NULL;
    const int other = rf_samples_keep(rec, memory);
    return status == RF_OK ? other : status;
}

static int make_room(rf_recording *rec, uint32_t n_more)
{
    size_t n = (size_t)rec->n_counters + n_more;
    struct rf_counter *counter = realloc(rec->counter, n * sizeof(*counter));
    if (counter != NULL)
        rec->counter = counter;
    struct rf_counter_origin *origin = realloc(rec->counter_origin, n * sizeof(*origin));
    if (origin != NULL)
        rec->counter_origin = origin;
    return counter != NULL && origin != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

/* In the order of registration, then by thread; the entries of a group together. */
static int compare_tracks(const void *left, const void *right, void *context)
{
    const struct rf_nvtx_use *use = context;
    const struct rf_nvtx_track *a = left, *b = right;
    if (use[a->counter].definition != use[b->counter].definition)
        return use[a->counter].definition < use[b->counter].definition ? -1 : 1;
    if (a->counter != b->counter)
        return a->counter < b->counter ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

int rf_load_nvtx_counters(struct rf_load *load)
{
    struct rf_nvtx_load *nvtx = &load->nvtx;
    if (nvtx->n_samples == 0)
        return RF_OK;
    int status = make_room(load->rec, nvtx->n_tracks);
    qsort_r(nvtx->track, nvtx->n_tracks, sizeof(*nvtx->track), compare_tracks, nvtx->counter);
    for (uint32_t i = 0; i < nvtx->n_tracks && status == RF_OK; i++)
        if (nvtx->track[i].n > 0)
            status = make_counter(load, &nvtx->track[i]);
    return status;
}
