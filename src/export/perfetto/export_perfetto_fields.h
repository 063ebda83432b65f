/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of rows (model/fields/fields.h) as annotations of events or arguments of launches. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_FIELDS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_FIELDS_H

#include "export/perfetto/export_perfetto_packets.h"
#include "export/shown_fields.h"

#define PF_MAX_FIELDS 48
#define PF_FIELD_HEAD 5 /* bytes in front of a number: tag, size, tag, key, tag */

/* A field as the loop over them needs it: kernels have thirty. */
struct pf_field {
    struct rf_shown_field shown;
    uint8_t type;    /* enum rf_field_type */
    uint8_t key;     /* enum pf_key */
    uint8_t least;   /* what is less is left out */
    uint8_t head[8]; /* of which PF_FIELD_HEAD count; its size is filled in */
};

/* The parts of a row. */
enum pf_part {
    PF_ROW,
    PF_LINK, /* of GPU work: the number of its call */
    PF_TRACK,
    PF_DETAIL, /* but for */
    PF_OWN,    /* dimensions and nodes, which differ from launch to launch of a kernel */
    PF_N_PARTS
};

static inline bool pf_is_own(const struct rf_field *field)
{
    return field->type == RF_FIELD_NODE || field->type == RF_FIELD_TRIPLE;
}

/* What rows of one kind have, part by part. */
struct pf_fields {
    enum pf_kind kind;
    size_t begin[PF_N_PARTS + 1];
    struct pf_field field[PF_MAX_FIELDS];
};

void pf_fields_init(struct pf_fields *fields, struct pf_writer *to, const struct rf_fields *of,
                    unsigned row_kind, enum pf_kind kind);

/* The same in the order of the table, all in PF_ROW. */
void pf_row_fields_init(struct pf_fields *fields, struct pf_writer *to, const struct rf_fields *of,
                        unsigned row_kind);

/* All fields of pf_row_fields_init() that a row has. */
void pf_put_row(struct pf_writer *to, const struct pf_fields *fields, const struct rf_row *row);

/* The fields of one part of a row. at: where that lies (of PF_OWN, the detail); NULL: the row does
 * not have it. */
void pf_put_fields(struct pf_writer *to, const struct pf_fields *fields, enum pf_part part,
                   const void *at);

#endif
