/* SPDX-License-Identifier: Apache-2.0 */
/* What a call, a piece of GPU work, an event or another row consists of, field by field: where a
 * field lies, what it is called in each form, when it is absent. The exporters, the importer and
 * Python read these tables, so that a new field is one row here.
 *
 * Not in the tables: times, who did it (process, thread), and the name and domain of events, which
 * every form arranges in its own way. */
#ifndef RF_MODEL_FIELDS_FIELDS_H
#define RF_MODEL_FIELDS_FIELDS_H

#include <stdbool.h>
#include <string.h>

#include "rangefinder/rangefinder.h"

/* The structs that a row is put together from. */
enum rf_field_part {
    RF_PART_ROW,    /* struct rf_call, rf_gpu_op, rf_event, rf_extra or rf_counter */
    RF_PART_TRACK,  /* struct rf_gpu_track of GPU work */
    RF_PART_DETAIL, /* what rf_gpu_op_detail() returns; struct rf_start_end of a start/end range;
                     * struct rf_sample_at of a sample */
    /* Attributes of ranges and marks: the event, if it has the attribute. */
    RF_PART_REGISTERED,
    RF_PART_CATEGORY,
    RF_PART_COLOR,
    RF_PART_PAYLOAD,
    RF_PART_CATEGORY_NAME, /* a uint32_t: the string */
    RF_PART_SCOPE,         /* likewise */
    RF_PART_THREAD,        /* struct rf_thread: where a start/end range began */
    /* Of start/end ranges that another thread ended: */
    RF_PART_ENDED,      /* struct rf_start_end */
    RF_PART_END_THREAD, /* struct rf_thread */
    RF_PART_LAUNCH,     /* a uint64_t: the number of a kernel's launch */
    RF_N_PARTS,
    /* Of counters of NVTX, in places that they do not use: */
    RF_PART_NVTX = RF_PART_TRACK, /* struct rf_nvtx_counter; if it has what they are named after: */
    RF_PART_MIN = RF_PART_REGISTERED,
    RF_PART_MAX = RF_PART_CATEGORY,
    RF_PART_SCALE = RF_PART_COLOR,
    RF_PART_DOMAIN = RF_PART_PAYLOAD, /* struct rf_domain */
};

enum rf_field_type {
    RF_FIELD_NUMBER, /* unsigned */
    RF_FIELD_SIGNED,
    RF_FIELD_STRING,  /* the id of a string; RF_NO_STRING is NULL */
    RF_FIELD_WORD,    /* a number that field->word() has words for */
    RF_FIELD_TRIPLE,  /* three uint32_t: x, y, z */
    RF_FIELD_HEX,     /* a handle or an address */
    RF_FIELD_NODE,    /* a number that may be beyond 2^53 */
    RF_FIELD_PROCESS, /* the index of a process: globalPid in databases, by hand in other forms */
    RF_FIELD_EMPTY,   /* a column of nsys's databases that is always NULL */
    RF_FIELD_LIMIT,   /* of the struct rf_counter_limit at that place: rf_sink_limit() */
    RF_FIELD_SAMPLE,  /* of the struct rf_sample_at at that place: rf_sink_sample() */
    RF_FIELD_TRUE,    /* true, since its part exists */
    RF_FIELD_COLOR,   /* rf_sink_color() */
    RF_FIELD_PAYLOAD, /* of the event at that place: rf_payload_string(), or rf_sink_payload() */
};

/* Which values are left out. */
enum rf_field_absent {
    RF_ABSENT_NEVER,
    RF_ABSENT_0,         /* 0 means that the value is not known: NULL in databases */
    RF_ABSENT_MAX,       /* the same of UINT32_MAX, which RF_NO_INDEX and RF_NO_STRING are */
    RF_ABSENT_0_SHOWN,   /* 0 is a value, but the usual one: databases have it, texts and viewers do
                          * not; Python has it of a detail */
    RF_ABSENT_MAX_SHOWN, /* the same of UINT32_MAX; Python has None */
    RF_ABSENT_0_IN_VIEWERS, /* 0 is a value, but the usual one: only viewers leave it out */
};

struct rf_field {
    /* In JSON lines, CSV and Python; of a triple Python adds _x, _y, _z. "": in none of them, or
     * only in CSV */
    const char *name;
    const char *column;     /* in nsys's databases; of a triple without X, Y, Z; NULL: in none */
    const char *own_column; /* what nsys has no column for: in the table of our own of its kind */
    /* Of the argument in viewers; "": not one of them, since something else says it */
    const char *perfetto; /* in Perfetto's traces; NULL: name */
    const char *chrome;   /* in Chrome's; NULL: name with blanks */
    const char *csv;      /* the column of CSV; NULL: name; "": none */
    const char *csv_type; /* what CSV has as payload_type beside a payload that is this field */
    const char *text;     /* before the value in the form for people; NULL: name with blanks */
    const char *about;    /* one line for people, with the unit */
    const char *(*word)(int value);
    uint32_t kinds; /* bit k: rows of kind k have it */
    uint16_t offset;
    uint8_t size;             /* 1, 4 or 8 bytes; of a triple: of one number */
    uint8_t part;             /* enum rf_field_part */
    uint8_t type;             /* enum rf_field_type */
    uint8_t absent;           /* enum rf_field_absent */
    uint8_t position;         /* columns of a table stand in the order of these */
    uint8_t is_not_null;      /* the column is NOT NULL; one of our own, where it is alone */
    uint8_t is_not_in_python; /* it is no column there */
    uint8_t is_brief;         /* the form for people shows it beside the kind of an event */
    uint8_t slices_from; /* slices of Perfetto's traces leave out what is less, the usual case: a
                          * trace loads as fast as it has few arguments */
    uint8_t is_beside;   /* the form for people has it elsewhere on the line of calls and GPU work,
                          * or leaves it out: the long names of kernels */
};

/* What the rows of a kind are called in each form. */
struct rf_row_kind {
    const char *name;      /* in texts, JSON, CSV and Python */
    const char *table;     /* in nsys's databases; kinds may share one; NULL: in none */
    const char *own_table; /* of our own, beside it; made where a row has a field of own_column */
    const char *chrome;    /* the category in Chrome's traces; NULL: name */
    bool is_instant;       /* of events: a moment of its thread, with the fields that it has */
    /* Of GPU work: */
    const char *perfetto; /* the category in Perfetto's traces */
    const char *label;    /* what work without a name is called */
    uint16_t
        detail_size;   /* of the struct that RF_PART_DETAIL is, a multiple of 8; 0: it has none */
    uint8_t detail_of; /* the kind that it shares the struct with, or itself */
};

#define RF_MAX_KINDS 16

struct rf_fields {
    const struct rf_field *field;
    size_t n;
    const struct rf_row_kind *kind; /* [0]: of kinds that this version does not have */
    unsigned n_kinds;               /* with kind[0] */
};

extern const struct rf_fields rf_call_fields;  /* kinds: enum rf_call_kind */
extern const struct rf_fields rf_op_fields;    /* kinds: enum rf_gpu_op_kind */
extern const struct rf_fields rf_event_fields; /* kinds: enum rf_event_kind */
extern const struct rf_fields rf_range_fields; /* how a range ended, and its relations: likewise */
extern const struct rf_fields rf_extra_fields; /* what rows of each enum rf_extra_kind have */
extern const struct rf_fields rf_counter_fields;

/* A sample of a counter. */
struct rf_sample_at {
    const struct rf_counter *counter;
    size_t i;
};

/* One row: where its parts lie; NULL: it does not have that part. */
struct rf_row {
    const void *part[RF_N_PARTS];
    uint32_t category_name; /* of an event: string */
};

void rf_row_of_op(const rf_recording *rec, const struct rf_gpu_op *op, struct rf_row *row);

static inline void rf_row_of_call(const struct rf_call *call, struct rf_row *row)
{
    *row = (struct rf_row){.part = {call}};
}

/* Whether an event has none of the fields of its tables, as most ranges and marks. */
static inline bool rf_event_is_plain(const struct rf_event *event)
{
    const uint8_t attributes = RF_EVENT_REGISTERED | RF_EVENT_HAS_CATEGORY | RF_EVENT_HAS_COLOR;
    return (event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_MARK) &&
           (event->flags & attributes) == 0 && event->payload_type == RF_TYPE_NONE &&
           event->cut == RF_CUT_NONE;
}

/* Of an event that is not plain. */
void rf_row_of_event(const rf_recording *rec, const struct rf_event_at *at, struct rf_row *row);

/* One part of any event. room: for what is put together; the result may point into it. */
const void *rf_part_of_event(const rf_recording *rec, const struct rf_event_at *at, unsigned part,
                             struct rf_row *room);

static inline const struct rf_row_kind *rf_row_kind(const struct rf_fields *fields, unsigned kind)
{
    return &fields->kind[kind < fields->n_kinds ? kind : 0];
}

/* Whether rows of a kind have a field. */
static inline bool rf_field_is_of(const struct rf_field *field, unsigned kind)
{
    return kind < 32 && (field->kinds >> kind & 1) != 0;
}

/* Where a field lies in a row; NULL: the row does not have that part. */
static inline const void *rf_field_at(const struct rf_field *field, const struct rf_row *row)
{
    const char *part = (const char *)row->part[field->part];
    return part != NULL ? part + field->offset : NULL;
}

/* The number at a place: sign-extended where the field is signed. Not of triples. */
static inline uint64_t rf_field_number(const struct rf_field *field, const void *at)
{
    uint64_t u64;
    uint32_t u32;
    switch (field->size) {
    case 1:
        return *(const uint8_t *)at;
    case 4:
        memcpy(&u32, at, sizeof(u32));
        return field->type == RF_FIELD_SIGNED ? (uint64_t)(int64_t)(int32_t)u32 : u32;
    default:
        memcpy(&u64, at, sizeof(u64));
        return u64;
    }
}

/* Whether a number stands for one that is not known. */
static inline bool rf_field_is_unknown(const struct rf_field *field, uint64_t number)
{
    return (field->absent == RF_ABSENT_0 && number == 0) ||
           (field->absent == RF_ABSENT_MAX && number == UINT32_MAX);
}

/* Whether texts leave a number out. */
static inline bool rf_field_is_hidden(const struct rf_field *field, uint64_t number)
{
    return ((field->absent == RF_ABSENT_0 || field->absent == RF_ABSENT_0_SHOWN) && number == 0) ||
           ((field->absent == RF_ABSENT_MAX || field->absent == RF_ABSENT_MAX_SHOWN) &&
            number == UINT32_MAX);
}

/* Whether viewers leave a number out. */
static inline bool rf_field_is_hidden_in_viewers(const struct rf_field *field, uint64_t number)
{
    return rf_field_is_hidden(field, number) ||
           (field->absent == RF_ABSENT_0_IN_VIEWERS && number == 0);
}

/* The three numbers of a triple. Where absent says RF_ABSENT_0, a triple of zeros is left out. */
static inline void rf_field_triple(const void *at, uint32_t triple[3])
{
    memcpy(triple, at, 3 * sizeof(*triple));
}

#endif
