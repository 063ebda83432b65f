/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_defs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/output.h"
#include "nvtxw/nvtxw_error.h"
#include "nvtxw/nvtxw_schema.h"
#include "record/nvtx/read_sized.h"
#include "record/payload/entry_types.h"
#include "record/payload/payload.h"

static int no_memory(void)
{
    return nvtxw_fail(NVTXW_FAILED, "out of memory");
}

/* ---- Writing ---- */

static int write_at(const struct nvtxw_session *session, const void *bytes, size_t size,
                    uint64_t at)
{
    for (size_t done = 0; done < size;) {
        ssize_t n =
            pwrite(session->defs_fd, (const char *)bytes + done, size - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return nvtxw_fail(NVTXW_FAILED, "cannot write '%s': %s", session->dir.dir,
                              rf_write_error(n < 0 ? errno : ENOSPC));
        done += (size_t)n;
    }
    return NVTXW_SUCCESS;
}

/* kept: NULL, or becomes the definition with its text. */
static int define(struct nvtxw_session *session, enum rf_record_type type, struct rf_def def,
                  const void *text, size_t size, struct rf_def **kept)
{
    const size_t whole = (sizeof(def) + (text != NULL ? size : 0) + 7) & ~(size_t)7;
    uint8_t *bytes = calloc(1, whole);
    if (bytes == NULL)
        return no_memory();
    def.head = NVTXW_TICKS << RF_WORD_TICK_SHIFT | type;
    def.n_words = (uint32_t)(whole / 8);
    def.text_size = text != NULL ? (uint32_t)size : RF_NO_TEXT;
    memcpy(bytes + 8, (const uint8_t *)&def + 8, sizeof(def) - 8);
    if (text != NULL)
        memcpy(bytes + sizeof(def), text, size);
    /* head last: a definition without it was never finished */
    int result = write_at(session, bytes, whole, session->defs_size);
    if (result == NVTXW_SUCCESS)
        result = write_at(session, &def.head, sizeof(def.head), session->defs_size);
    if (result == NVTXW_SUCCESS)
        session->defs_size += whole;
    if (result == NVTXW_SUCCESS && kept != NULL) {
        memcpy(bytes, &def.head, sizeof(def.head));
        *kept = (struct rf_def *)(void *)bytes;
    } else {
        free(bytes);
    }
    return result;
}

int nvtxw_define(struct nvtxw_session *session, enum rf_record_type type, struct rf_def def,
                 const void *text, size_t size)
{
    return define(session, type, def, text, size, NULL);
}

int nvtxw_define_name(struct nvtxw_session *session, enum rf_record_type type, struct rf_def def,
                      const char *name)
{
    const size_t size = name != NULL ? strnlen(name, (size_t)RF_MOST_PAYLOAD_SIZE + 1) : 0;
    return size > RF_MOST_PAYLOAD_SIZE
               ? nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a name has more than 256 MiB")
               : nvtxw_define(session, type, def, name, size);
}

int nvtxw_define_struct(struct nvtxw_session *session, enum rf_nvtx_def kind, uint32_t domain,
                        uint64_t id, rf_put_function *put, const void *attributes,
                        struct rf_def **kept)
{
    struct rf_def_text text;
    const struct rf_def def = {.index = kind, .domain = domain, .value = id};
    int result = nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a definition is too large");
    rf_def_text_measure(&text);
    put(&text, attributes);
    if (!rf_def_text_fill(&text))
        return result;
    put(&text, attributes);
    if (rf_def_text_is_whole(&text))
        result = define(session, RF_REC_NVTX_DEF, def, text.data, text.size, kept);
    rf_def_text_release(&text);
    return result;
}

/* ---- Domains ---- */

static struct nvtxw_domain *domain_at(nvtxDomainHandle_t handle)
{
    return (struct nvtxw_domain *)(void *)handle;
}

struct nvtxw_domain *nvtxw_domain_of(struct nvtxw_session *session, nvtxDomainHandle_t handle)
{
    struct nvtxw_domain *domain = handle != NULL ? domain_at(handle) : session->domain[0];
    return domain->session == session ? domain : NULL;
}

/* Locks the session of a domain; NULL, with the reason kept: there is none that is open. */
static struct nvtxw_domain *enter(nvtxDomainHandle_t handle)
{
    struct nvtxw_domain *domain = domain_at(handle);
    if (domain == NULL) {
        (void)nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a domain is missing");
        return NULL;
    }
    if (nvtxw_is_ours(domain->session)) {
        (void)pthread_mutex_lock(&domain->session->lock);
        if (nvtxw_is_ours(domain->session))
            return domain;
        (void)pthread_mutex_unlock(&domain->session->lock);
    }
    (void)nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the session of the domain has ended");
    return NULL;
}

static int leave(struct nvtxw_domain *domain, int result)
{
    (void)pthread_mutex_unlock(&domain->session->lock);
    return result;
}

static int add_domain(struct nvtxw_session *session, const char *name, struct nvtxw_domain **out)
{
    struct nvtxw_domain *domain = calloc(1, sizeof(*domain));
    int result = no_memory();
    if (domain != NULL && rf_grow_array(&session->domain, session->n_domains, &session->domain_room,
                                        sizeof(*session->domain)) == RF_OK) {
        domain->session = session;
        domain->number = (uint32_t)session->n_domains;
        domain->name = name != NULL ? strdup(name) : NULL;
        result = name == NULL ? NVTXW_SUCCESS
                              : nvtxw_define_name(session, RF_REC_DOMAIN,
                                                  (struct rf_def){.index = domain->number}, name);
    }
    if (result == NVTXW_SUCCESS) {
        session->domain[session->n_domains++] = domain;
        *out = domain;
    } else if (domain != NULL) {
        nvtxw_domain_release(domain);
        free(domain);
    }
    return result;
}

static int find_domain(struct nvtxw_session *session, const char *name, struct nvtxw_domain **out)
{
    for (size_t i = 0; i < session->n_domains; i++) {
        const char *other = session->domain[i]->name;
        if (name == NULL ? other == NULL : other != NULL && strcmp(other, name) == 0) {
            *out = session->domain[i];
            return NVTXW_SUCCESS;
        }
    }
    return add_domain(session, name, out);
}

int nvtxw_domain_register(struct nvtxw_session *session,
                          const struct nvtxw_domain_attributes *given, nvtxDomainHandle_t *out)
{
    struct nvtxw_domain_attributes a = {.name = NULL};
    struct nvtxw_domain *domain = NULL;
    if (given != NULL)
        rf_read_sized(&a, sizeof(a), given, given->struct_size);
    (void)pthread_mutex_lock(&session->lock);
    const int result =
        session->has_ended
            ? nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the session has ended")
            : find_domain(session, a.name != NULL && a.name[0] != '\0' ? a.name : NULL, &domain);
    (void)pthread_mutex_unlock(&session->lock);
    *out = (nvtxDomainHandle_t)(void *)domain;
    return result;
}

void nvtxw_domain_release(struct nvtxw_domain *domain)
{
    for (size_t i = 0; i < domain->n_schemas; i++)
        nvtxw_schema_free(domain->schema[i]);
    for (size_t i = 0; i < domain->n_counters; i++)
        free(domain->counter[i]);
    free(domain->schema);
    free(domain->counter);
    free(domain->name);
    rf_map_release(&domain->id_of);
    domain->schema = NULL;
    domain->counter = NULL;
    domain->name = NULL;
    domain->n_schemas = domain->schema_room = domain->n_counters = domain->counter_room = 0;
}

/* ---- Names ---- */

int nvtxw_category_register(nvtxDomainHandle_t handle, uint32_t category, const char *name)
{
    struct nvtxw_domain *domain = enter(handle);
    if (domain == NULL)
        return NVTXW_INVALID_ARGUMENT;
    const struct rf_def def = {
        .index = category, .domain = domain->number, .value = domain->number};
    return leave(domain, nvtxw_define_name(domain->session, RF_REC_CATEGORY, def, name));
}

int nvtxw_string_register(nvtxDomainHandle_t handle, const char *text, nvtxStringHandle_t *out)
{
    struct nvtxw_domain *domain = enter(handle);
    int result;
    if (domain == NULL)
        return NVTXW_INVALID_ARGUMENT;
    struct nvtxw_session *session = domain->session;
    const struct rf_def def = {
        .index = session->n_strings + 1, .domain = domain->number, .value = domain->number};
    result = nvtxw_define_name(session, RF_REC_STRING, def, text);
    if (result == NVTXW_SUCCESS)
        *out = (nvtxStringHandle_t)(uintptr_t)++session->n_strings;
    return leave(domain, result);
}

int nvtxw_resource_register(nvtxDomainHandle_t handle, const nvtxResourceAttributes_t *given)
{
    struct nvtxw_domain *domain = enter(handle);
    nvtxResourceAttributes_t a;
    if (domain == NULL)
        return NVTXW_INVALID_ARGUMENT;
    rf_read_sized(&a, sizeof(a), given, given->size);
    const struct rf_def def = {.index = ++domain->session->n_resources,
                               .domain = domain->number,
                               .value = a.identifier.ullValue,
                               .detail = (uint32_t)a.identifierType};
    const char *text = a.messageType == NVTX_MESSAGE_TYPE_ASCII ? a.message.ascii : NULL;
    return leave(domain, nvtxw_define_name(domain->session, RF_REC_RESOURCE, def, text));
}

/* ---- What has ids ---- */

/* Schemas and enums share theirs. */
static uint32_t id_kind(enum rf_nvtx_def kind)
{
    return kind == RF_NVTX_DEF_ENUM ? RF_NVTX_DEF_SCHEMA : kind;
}

static bool has_id(const struct nvtxw_domain *domain, enum rf_nvtx_def kind, uint64_t id)
{
    return rf_map_find(&domain->id_of, id_kind(kind), id) != RF_MAP_NONE;
}

/* Defines something, and keeps its id. chosen: by the program, or 0. is_told: it wants to know the
 * id. index: in an array. kept: as nvtxw_define_struct() takes it. */
static int define_kept(struct nvtxw_domain *domain, enum rf_nvtx_def kind, uint64_t chosen,
                       bool is_told, rf_put_function *put, const void *attributes, uint32_t index,
                       uint64_t *id, struct rf_def **kept)
{
    struct nvtxw_session *session = domain->session;
    if (chosen == 0 && !is_told)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "an id is neither chosen nor wanted");
    if (chosen != 0 && (chosen < NVTXW_STATIC_IDS || chosen >= NVTXW_OWN_IDS))
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "an id is not one that a program may choose");
    if (chosen != 0 && has_id(domain, kind, chosen))
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "an id is registered twice");
    *id = chosen != 0 ? chosen : NVTXW_OWN_IDS + session->n_ids++;
    int result = nvtxw_define_struct(session, kind, domain->number, *id, put, attributes, kept);
    if (result == NVTXW_SUCCESS && rf_map_set(&domain->id_of, id_kind(kind), *id, index) != RF_OK)
        result = no_memory();
    if (result == NVTXW_SUCCESS && chosen == 0 && id_kind(kind) == RF_NVTX_DEF_SCHEMA &&
        rf_map_set(&session->domain_of, 0, *id, domain->number) != RF_OK)
        result = no_memory();
    return result;
}

static int define_id(struct nvtxw_domain *domain, enum rf_nvtx_def kind, uint64_t chosen,
                     bool is_told, rf_put_function *put, const void *attributes, uint32_t index,
                     uint64_t *id)
{
    return define_kept(domain, kind, chosen, is_told, put, attributes, index, id, NULL);
}

static void tell(uint64_t *out, uint64_t id, int result)
{
    if (out != NULL && result == NVTXW_SUCCESS)
        *out = id;
}

/* mask: of the ids that are, all below 64. */
static bool is_predefined(uint64_t id, uint64_t mask)
{
    return id < 64 && (mask >> id & 1) != 0;
}

#define BIT(id)          ((uint64_t)1 << (id))
#define BITS(first, end) (BIT((end) + 1) - BIT(first))

bool nvtxw_has_scope(const struct nvtxw_domain *domain, uint64_t id)
{
    return is_predefined(id, BIT(NVTX_SCOPE_NONE) | BIT(NVTX_SCOPE_ROOT)) ||
           has_id(domain, RF_NVTX_DEF_SCOPE, id);
}

bool nvtxw_has_any_scope(const struct nvtxw_domain *domain, uint64_t id)
{
    const uint64_t hardware =
        BITS(NVTX_SCOPE_CURRENT_HW_MACHINE, NVTX_SCOPE_CURRENT_HW_CPU_LOGICAL) |
        BIT(NVTX_SCOPE_CURRENT_HW_INNERMOST);
    const uint64_t software = BITS(NVTX_SCOPE_CURRENT_HYPERVISOR, NVTX_SCOPE_CURRENT_SW_THREAD) |
                              BIT(NVTX_SCOPE_CURRENT_SW_INNERMOST);
    return nvtxw_has_scope(domain, id) || is_predefined(id, hardware | software);
}

/* Scopes stand below these two of the machine that records, too. */
static bool has_parent(const struct nvtxw_domain *domain, uint64_t id)
{
    return nvtxw_has_scope(domain, id) ||
           is_predefined(id, BIT(NVTX_SCOPE_CURRENT_HW_MACHINE) | BIT(NVTX_SCOPE_CURRENT_VM));
}

bool nvtxw_has_time_domain(const struct nvtxw_domain *domain, uint64_t id)
{
    const uint64_t system =
        BITS(NVTX_TIMESTAMP_TYPE_NONE, NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED) |
        BITS(NVTX_TIMESTAMP_TYPE_CPU_TSC, NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_THREAD_CPUTIME_ID);
    const uint64_t others =
        BITS(NVTX_TIMESTAMP_TYPE_WIN_QPC, NVTX_TIMESTAMP_TYPE_WIN_GSTAFTP) |
        BITS(NVTX_TIMESTAMP_TYPE_C_TIME, NVTX_TIMESTAMP_TYPE_C_TIMESPEC_GET) |
        BITS(NVTX_TIMESTAMP_TYPE_CPP_STEADY_CLOCK, NVTX_TIMESTAMP_TYPE_CPP_FILE_CLOCK);
    return is_predefined(id, system | others) || id == NVTX_TIMESTAMP_TYPE_GPU_GLOBALTIMER ||
           has_id(domain, RF_NVTX_DEF_TIME_DOMAIN, id);
}

int nvtxw_scope_register(nvtxDomainHandle_t handle, const nvtxScopeAttr_t *given, uint64_t *out)
{
    struct nvtxw_domain *domain = enter(handle);
    nvtxScopeAttr_t a;
    uint64_t id = 0;
    int result;
    if (domain == NULL)
        return NVTXW_INVALID_ARGUMENT;
    rf_read_sized(&a, sizeof(a), given, given->structSize);
    result =
        has_parent(domain, a.parentScope)
            ? define_id(domain, RF_NVTX_DEF_SCOPE, a.scopeId, out != NULL, rf_put_scope, &a, 0, &id)
            : nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the parent of a scope is not registered");
    tell(out, id, result);
    return leave(domain, result);
}

static struct rf_schema find_layout(const void *where, uint64_t domain, uint64_t id)
{
    (void)domain;
    return nvtxw_layout_of(where, id);
}

static void add_layout(struct nvtxw_domain *domain, struct nvtxw_schema *schema)
{
    schema->layout = rf_schema_of(schema->def);
    schema->layout.has_pointers = rf_schema_finds_pointers(&schema->layout, find_layout, domain);
    domain->schema[domain->n_schemas++] = schema;
}

/* A schema or an enum. schema: a new one without an id; NULL: out of memory. */
static int add_schema(struct nvtxw_domain *domain, enum rf_nvtx_def kind, uint64_t chosen,
                      bool is_told, rf_put_function *put, const void *attributes,
                      struct nvtxw_schema *schema)
{
    int result = no_memory();
    if (schema != NULL && rf_grow_array(&domain->schema, domain->n_schemas, &domain->schema_room,
                                        sizeof(*domain->schema)) == RF_OK)
        result = define_kept(domain, kind, chosen, is_told, put, attributes,
                             (uint32_t)domain->n_schemas, &schema->id, &schema->def);
    if (result == NVTXW_SUCCESS)
        add_layout(domain, schema);
    else
        nvtxw_schema_free(schema);
    return result;
}

/* The id of the schema or enum that was added last. */
static void tell_last(uint64_t *out, const struct nvtxw_domain *domain, int result)
{
    if (result == NVTXW_SUCCESS)
        tell(out, domain->schema[domain->n_schemas - 1]->id, result);
}

/* Whether an entry can have a type: also that of its own schema, to which it points. */
static bool has_type(const struct nvtxw_domain *domain, uint64_t type, uint64_t own_id)
{
    return rf_type_size(type) != 0 ||
           (type >= NVTXW_STATIC_IDS &&
            (type == own_id || nvtxw_layout_of(domain, type).def != NULL));
}

int nvtxw_schema_register(nvtxDomainHandle_t handle, const nvtxPayloadSchemaAttr_t *given,
                          uint64_t *out)
{
    struct nvtxw_domain *domain = enter(handle);
    nvtxPayloadSchemaAttr_t a;
    if (domain == NULL)
        return NVTXW_INVALID_ARGUMENT;
    if (!rf_read_schema(&a, given))
        return leave(domain,
                     nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a schema has no type or no entries"));
    for (size_t i = 0; i < a.numEntries; i++)
        if (!has_type(domain, a.entries[i].type, a.schemaId))
            return leave(domain,
                         nvtxw_fail(NVTXW_INVALID_ARGUMENT,
                                    "entry %zu of a schema has a type that does not exist", i));
    const int result = add_schema(domain, RF_NVTX_DEF_SCHEMA, a.schemaId, out != NULL,
                                  rf_put_schema, &a, nvtxw_schema_new(domain, &a));
    tell_last(out, domain, result);
    return leave(domain, result);
}

int nvtxw_enum_register(nvtxDomainHandle_t handle, const nvtxPayloadEnumAttr_t *given,
                        uint64_t *out)
{
    struct nvtxw_domain *domain = enter(handle);
    nvtxPayloadEnumAttr_t a;
    if (domain == NULL)
        return NVTXW_INVALID_ARGUMENT;
    if (!rf_read_enum(&a, given))
        return leave(domain, nvtxw_fail(NVTXW_INVALID_ARGUMENT, "an enum has no values"));
    const int result = add_schema(domain, RF_NVTX_DEF_ENUM, a.schemaId, out != NULL, rf_put_enum,
                                  &a, nvtxw_schema_new(domain, NULL));
    tell_last(out, domain, result);
    return leave(domain, result);
}

static const struct nvtxw_schema *find_schema(const struct nvtxw_domain *domain, uint64_t id)
{
    const uint32_t i = rf_map_find(&domain->id_of, RF_NVTX_DEF_SCHEMA, id);
    return i < domain->n_schemas ? domain->schema[i] : NULL;
}

const struct nvtxw_schema *nvtxw_schema_of(const struct nvtxw_domain *domain, uint64_t id)
{
    const struct nvtxw_schema *found = find_schema(domain, id);
    return found != NULL && found->layout.schema != NULL ? found : NULL;
}

const struct nvtxw_schema *nvtxw_nested_of(const struct nvtxw_domain *domain, uint64_t id)
{
    const struct nvtxw_session *session = domain->session;
    const struct nvtxw_schema *found = find_schema(domain, id);
    const uint32_t other = found == NULL ? rf_map_find(&session->domain_of, 0, id) : RF_MAP_NONE;
    return other < session->n_domains ? find_schema(session->domain[other], id) : found;
}

struct rf_schema nvtxw_layout_of(const struct nvtxw_domain *domain, uint64_t id)
{
    const struct nvtxw_schema *found = nvtxw_nested_of(domain, id);
    return found != NULL ? found->layout : (struct rf_schema){.def = NULL};
}

const struct nvtxw_counter *nvtxw_counter_of(const struct nvtxw_domain *domain, uint64_t id)
{
    const uint32_t i = rf_map_find(&domain->id_of, RF_NVTX_DEF_COUNTER, id);
    return i < domain->n_counters ? domain->counter[i] : NULL;
}

static int add_counter(struct nvtxw_domain *domain, const nvtxCounterAttr_t *a, bool is_told,
                       uint64_t *id)
{
    const struct nvtxw_schema *schema = nvtxw_schema_of(domain, a->schemaId);
    struct nvtxw_counter *counter = calloc(1, sizeof(*counter));
    int result = no_memory();
    if (schema == NULL && rf_type_size(a->schemaId) == 0)
        result = nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the schema of a counter is not registered");
    else if (!nvtxw_has_any_scope(domain, a->scopeId)) /* nvtx.writer gives those of the machine */
        result = nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the scope of a counter is not registered");
    else if (counter != NULL &&
             rf_grow_array(&domain->counter, domain->n_counters, &domain->counter_room,
                           sizeof(*domain->counter)) == RF_OK)
        result = define_id(domain, RF_NVTX_DEF_COUNTER, a->counterId, is_told, rf_put_counter, a,
                           (uint32_t)domain->n_counters, id);
    if (result != NVTXW_SUCCESS) {
        free(counter);
        return result;
    }
    *counter =
        (struct nvtxw_counter){.id = *id,
                               .schema = a->schemaId,
                               .time_domain = nvtxw_semantics_time(a->semantics),
                               .size = schema != NULL ? schema->size : rf_type_size(a->schemaId)};
    domain->counter[domain->n_counters++] = counter;
    return NVTXW_SUCCESS;
}

int nvtxw_counter_register(nvtxDomainHandle_t handle, const nvtxCounterAttr_t *given, uint64_t *out)
{
    struct nvtxw_domain *domain = enter(handle);
    nvtxCounterAttr_t a;
    uint64_t id = 0;
    int result;
    if (domain == NULL)
        return NVTXW_INVALID_ARGUMENT;
    rf_read_sized(&a, sizeof(a), given, given->structSize);
    result = add_counter(domain, &a, out != NULL, &id);
    tell(out, id, result);
    return leave(domain, result);
}

/* ---- Time domains ---- */

struct rf_time_domain nvtxw_time_domain(const struct nvtxw_domain *domain, uint64_t id)
{
    return (struct rf_time_domain){
        id < NVTXW_STATIC_IDS || id >= NVTXW_OWN_IDS ? 0 : 1 + (uint64_t)domain->number, id};
}

static int add_time_domain(struct nvtxw_domain *domain, const nvtxTimeDomainAttr_t *a, uint64_t id)
{
    struct rf_time_relations *all = &domain->session->relations;
    const struct rf_time_domain own = nvtxw_time_domain(domain, id);
    int status = rf_time_relations_set_resolution(all, own, a->timerResolution);
    if (status == RF_OK)
        status = rf_time_relations_add_type(all, own, a->scopeId, a->timestampTypeId);
    return status == RF_OK ? NVTXW_SUCCESS : no_memory();
}

int nvtxw_time_domain_register(nvtxDomainHandle_t handle, const nvtxTimeDomainAttr_t *given,
                               uint64_t *out)
{
    struct nvtxw_domain *domain = enter(handle);
    uint64_t id = 0;
    int result;
    if (domain == NULL)
        return NVTXW_INVALID_ARGUMENT;
    result =
        nvtxw_has_any_scope(domain, given->scopeId)
            ? define_id(domain, RF_NVTX_DEF_TIME_DOMAIN, given->timeDomainId, out != NULL,
                        rf_put_time_domain, given, 0, &id)
            : nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the scope of a time domain is not registered");
    if (result == NVTXW_SUCCESS)
        result = add_time_domain(domain, given, id);
    tell(out, id, result);
    return leave(domain, result);
}

int nvtxw_relate(const struct nvtxw_domain *domain, const struct rf_time_relation *relation)
{
    struct nvtxw_session *session = domain->session;
    int result = nvtxw_define_struct(session, RF_NVTX_DEF_TIME_RELATION, domain->number, 0,
                                     rf_put_time_relation, relation, NULL);
    if (result == NVTXW_SUCCESS &&
        rf_time_relations_add(&session->relations, nvtxw_time_domain(domain, relation->from),
                              nvtxw_time_domain(domain, relation->to), relation->slope,
                              (const struct rf_sync_point *)(const void *)relation->point,
                              relation->n_points) != RF_OK)
        result = no_memory();
    return result;
}
