/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of a session, and what is registered with it. */
#ifndef RF_NVTXW_NVTXW_DEFS_H
#define RF_NVTXW_NVTXW_DEFS_H

#include "log/layout.h"
#include "nvtxw/nvtxw_state.h"
#include "record/nvtx/def_structs.h"

/* Appends a definition: def has all but head, n_words and text_size. text NULL: none. The session
 * is locked, or nobody has it yet. Returns enum nvtxw_result. */
int nvtxw_define(struct nvtxw_session *session, enum rf_record_type type, struct rf_def def,
                 const void *text, size_t size);

/* The same with a name, or NULL, of at most 256 MiB. */
int nvtxw_define_name(struct nvtxw_session *session, enum rf_record_type type, struct rf_def def,
                      const char *name);

/* Likewise a structure of NVTX. kept: NULL, or becomes a copy with its text, for free(). */
int nvtxw_define_struct(struct nvtxw_session *session, enum rf_nvtx_def kind, uint32_t domain,
                        uint64_t id, rf_put_function *put, const void *attributes,
                        struct rf_def **kept);

/* The functions of the interface. All of them lock the session. */
int nvtxw_domain_register(struct nvtxw_session *session,
                          const struct nvtxw_domain_attributes *given, nvtxDomainHandle_t *out);
int nvtxw_category_register(nvtxDomainHandle_t domain, uint32_t category, const char *name);
int nvtxw_string_register(nvtxDomainHandle_t domain, const char *text, nvtxStringHandle_t *out);
int nvtxw_resource_register(nvtxDomainHandle_t domain, const nvtxResourceAttributes_t *given);
int nvtxw_scope_register(nvtxDomainHandle_t domain, const nvtxScopeAttr_t *given, uint64_t *out);
int nvtxw_schema_register(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t *given,
                          uint64_t *out);
int nvtxw_enum_register(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t *given,
                        uint64_t *out);
int nvtxw_counter_register(nvtxDomainHandle_t domain, const nvtxCounterAttr_t *given,
                           uint64_t *out);
int nvtxw_time_domain_register(nvtxDomainHandle_t domain, const nvtxTimeDomainAttr_t *given,
                               uint64_t *out);

/* The default domain, or the one of a handle; NULL: it is none of this session. */
struct nvtxw_domain *nvtxw_domain_of(struct nvtxw_session *session, nvtxDomainHandle_t handle);

/* What an id of a domain stands for; NULL: it is not registered. The session is locked. */
const struct nvtxw_schema *nvtxw_schema_of(const struct nvtxw_domain *domain, uint64_t id);
/* Likewise the layout of a schema or enum. Dynamic ids are those of the whole session. */
/* What an entry of that type is made of: also an enum, and what another domain has given out. */
const struct nvtxw_schema *nvtxw_nested_of(const struct nvtxw_domain *domain, uint64_t id);
struct rf_schema nvtxw_layout_of(const struct nvtxw_domain *domain, uint64_t id);
const struct nvtxw_counter *nvtxw_counter_of(const struct nvtxw_domain *domain, uint64_t id);

/* Whether a scope or time domain may be named: a predefined one, or one that is registered. */
bool nvtxw_has_scope(const struct nvtxw_domain *domain, uint64_t id);
bool nvtxw_has_any_scope(const struct nvtxw_domain *domain, uint64_t id);
bool nvtxw_has_time_domain(const struct nvtxw_domain *domain, uint64_t id);

/* A time domain as relations name it. */
struct rf_time_domain nvtxw_time_domain(const struct nvtxw_domain *domain, uint64_t id);

/* Adds a relation of two time domains of a domain. The session is locked. */
int nvtxw_relate(const struct nvtxw_domain *domain, const struct rf_time_relation *relation);

/* Frees what a domain has but for itself. */
void nvtxw_domain_release(struct nvtxw_domain *domain);

#endif
