/* SPDX-License-Identifier: Apache-2.0 */
/* Packets, and what is said once and then referred to by number. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_PACKETS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_PACKETS_H

#include "export/perfetto/export_perfetto.h"

int pf_packets_init(struct pf_writer *to);
void pf_packets_release(struct pf_writer *to);

/* A packet without time, for descriptions. */
void pf_begin_packet(struct pf_writer *to);
void pf_begin_packet_at(struct pf_writer *to, int64_t at_ns);
/* Returns the writer's status, as all that end something. */
int pf_end_packet(struct pf_writer *to);
/* Ends the packet and its message, an event for example, that began at begin. */
int pf_end_message(struct pf_writer *to, size_t begin);
/* Writes the packets that are left. */
int pf_flush(struct pf_writer *to);

/* An event of a track. category: enum pf_category or pf_category_of_work(); 0: it has none. Returns
 * what pf_end_message() needs. */
size_t pf_begin_event(struct pf_writer *to, int64_t at_ns, enum pf_event_type type, uint64_t uuid,
                      unsigned category);
/* Its name: a string of the recording, or "(null)" where there is none. */
void pf_put_name(struct pf_writer *to, uint32_t string);
/* The end of the innermost range of a track. */
void pf_put_end(struct pf_writer *to, int64_t at_ns, uint64_t uuid);

/* Numbers for what may be said again; defines it in this packet where that is needed. */
uint64_t pf_name(struct pf_writer *to, uint32_t string);
uint64_t pf_fixed_name(struct pf_writer *to, enum pf_fixed_name name);
uint64_t pf_category(struct pf_writer *to, unsigned category);

static inline bool pf_is_known(const struct pf_writer *to, enum pf_set set, uint64_t iid)
{
    return (to->known.bits[set][iid / 64] >> (iid % 64) & 1) != 0;
}

/* It is known from now on: the caller puts what it is into to->interned. */
void pf_define(struct pf_writer *to, enum pf_set set, uint64_t iid);
/* The same with a message that has its number. Returns what rf_proto_end() of to->interned needs.
 */
size_t pf_begin_definition(struct pf_writer *to, enum pf_set set, uint64_t iid);
void pf_define_key(struct pf_writer *to, enum pf_set set, enum pf_key key);
/* The key of a word, which is not copied; one word has one key. */
enum pf_key pf_add_key(struct pf_writer *to, const char *word);

/* ---- Annotations and arguments ---- */

/* Annotations of an event, or, inside a launch, arguments of GPU work. */
enum pf_kind { PF_ANNOTATION, PF_ARGUMENT };

/* The fields of DebugAnnotation and of ExtraComputeArg. */
enum { PF_LAUNCH_ARGS = 3, PF_VALUE_NAME_IID = 1, PF_VALUE_TEXT = 6 };

static inline uint32_t pf_tag_of_values(enum pf_kind kind)
{
    return kind == PF_ARGUMENT ? PF_LAUNCH_ARGS : PF_EVENT_ANNOTATIONS;
}

static inline uint32_t pf_tag_of_u64(enum pf_kind kind)
{
    return kind == PF_ARGUMENT ? 4 : 3;
}

static inline uint32_t pf_tag_of_i64(enum pf_kind kind)
{
    return kind == PF_ARGUMENT ? 3 : 4;
}

static inline size_t pf_begin_value(struct pf_writer *to, enum pf_kind kind, enum pf_key key)
{
    enum pf_set set = kind == PF_ARGUMENT ? PF_ARGS : PF_ANNOTATIONS;
    if (!pf_is_known(to, set, key))
        pf_define_key(to, set, key);
    size_t begin = rf_proto_begin(&to->packet, pf_tag_of_values(kind));
    rf_proto_u64(&to->packet, PF_VALUE_NAME_IID, key);
    return begin;
}

static inline void pf_put_number(struct pf_writer *to, enum pf_kind kind, enum pf_key key,
                                 uint32_t field, uint64_t value)
{
    size_t begin = pf_begin_value(to, kind, key);
    rf_proto_u64(&to->packet, field, value);
    rf_proto_end(&to->packet, begin);
}

static inline void pf_put_u64(struct pf_writer *to, enum pf_kind kind, enum pf_key key,
                              uint64_t value)
{
    pf_put_number(to, kind, key, pf_tag_of_u64(kind), value);
}

static inline void pf_put_i64(struct pf_writer *to, enum pf_kind kind, enum pf_key key,
                              int64_t value)
{
    pf_put_number(to, kind, key, pf_tag_of_i64(kind), (uint64_t)value);
}

void pf_put_double(struct pf_writer *to, enum pf_kind kind, enum pf_key key, double value);
void pf_put_text(struct pf_writer *to, enum pf_kind kind, enum pf_key key, const char *text,
                 size_t size);
void pf_put_words(struct pf_writer *to, enum pf_kind kind, enum pf_key key, const char *text);
/* A string of the recording, interned. */
void pf_put_string(struct pf_writer *to, enum pf_kind kind, enum pf_key key, uint32_t string);
/* What was written to to->words since it was last taken. */
void pf_put_sunk(struct pf_writer *to, enum pf_kind kind, enum pf_key key);

/* A string of the recording as a field, not interned; nothing where there is none. Returns its
 * size. */
size_t pf_put_whole(const struct pf_writer *to, struct rf_proto *into, uint32_t field,
                    uint32_t string);
/* A string of the recording, in part where it is long, to to->words; nothing where there is none.
 */
void pf_sink_string(struct pf_writer *to, uint32_t string);
/* The same as a field. */
void pf_take_words(struct pf_writer *to, struct rf_proto *into, uint32_t field);

#endif
