/* SPDX-License-Identifier: Apache-2.0 */
/* A dictionary or a list of annotations is an annotation itself. Bytes are hexadecimal digits. */
#include "export/perfetto/export_perfetto_payloads.h"

#include "base/error.h"

#define MAX_OPEN  64   /* more than rf_visit_payloads() nests */
#define MAX_BYTES 2048 /* of a value that is shown as digits */

/* Field numbers of DebugAnnotation, as Perfetto's .proto files have them. */
enum annotation_field {
    ANNOTATION_UINT = 3,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_TEXT = 6,
    ANNOTATION_POINTER = 7,
    ANNOTATION_NAME = 10,
    ANNOTATION_DICT = 11,
    ANNOTATION_ARRAY = 12,
};

struct visit {
    struct rf_proto *proto;
    size_t begin[MAX_OPEN];
    uint64_t dicts; /* bit d: what is open at depth d is a dictionary */
    unsigned depth;
    bool is_empty; /* so far nothing stands in what was opened last */
};

static void put_bytes(struct rf_proto *proto, const struct rf_value *value)
{
    char text[2 * MAX_BYTES];
    size_t n = value->count < MAX_BYTES ? value->count : MAX_BYTES;
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = "0123456789abcdef"[value->bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[value->bytes[i] & 15];
    }
    rf_proto_text(proto, ANNOTATION_TEXT, text, 2 * n);
}

static void put_scalar(struct rf_proto *proto, const struct rf_value *value)
{
    switch (value->kind) {
    case RF_VALUE_UNSIGNED:
        rf_proto_u64(proto, ANNOTATION_UINT, value->number);
        break;
    case RF_VALUE_SIGNED:
        rf_proto_u64(proto, ANNOTATION_INT, value->number);
        break;
    case RF_VALUE_REAL:
        rf_proto_double(proto, ANNOTATION_DOUBLE, value->real);
        break;
    case RF_VALUE_DIGITS:
    case RF_VALUE_TEXT:
        rf_proto_text(proto, ANNOTATION_TEXT, value->text, value->count);
        break;
    case RF_VALUE_BYTES:
        put_bytes(proto, value);
        break;
    case RF_VALUE_ADDRESS:
        rf_proto_u64(proto, ANNOTATION_POINTER, value->number);
        break;
    default: /* NULL */
        rf_proto_words(proto, ANNOTATION_TEXT, "null");
        break;
    }
}

/* An annotation must have a value: one without members is a text. */
static void end_nested(struct visit *v)
{
    v->depth--;
    if (v->is_empty)
        rf_proto_words(v->proto, ANNOTATION_TEXT, (v->dicts >> v->depth & 1) != 0 ? "{}" : "[]");
    v->is_empty = false;
    if (v->depth > 0)
        rf_proto_end(v->proto, v->begin[v->depth]);
}

/* The message of the outermost value is that of the caller. */
static int put_value(void *context, const struct rf_value *value)
{
    struct visit *v = context;
    bool is_nested = value->kind == RF_VALUE_OBJECT || value->kind == RF_VALUE_ARRAY;
    if (value->kind == RF_VALUE_END) {
        end_nested(v);
        return 0;
    }
    v->is_empty = is_nested;
    size_t begin = 0;
    if (v->depth > 0) {
        bool is_dict = (v->dicts >> (v->depth - 1) & 1) != 0;
        begin = rf_proto_begin(v->proto, is_dict ? ANNOTATION_DICT : ANNOTATION_ARRAY);
        if (is_dict)
            rf_proto_words(v->proto, ANNOTATION_NAME, value->name);
    }
    if (is_nested) {
        uint64_t bit = (uint64_t)1 << v->depth;
        v->dicts = value->kind == RF_VALUE_OBJECT ? v->dicts | bit : v->dicts & ~bit;
        v->begin[v->depth++] = begin;
        return v->depth < MAX_OPEN ? 0 : RF_ERR_FORMAT;
    }
    put_scalar(v->proto, value);
    if (v->depth > 0)
        rf_proto_end(v->proto, begin);
    return 0;
}

void pf_put_payloads(struct pf_writer *to, enum pf_key key, const struct rf_event *event)
{
    struct visit v = {.proto = &to->packet};
    size_t begin = pf_begin_value(to, PF_ANNOTATION, key);
    int status = rf_visit_payloads(to->rec, event, RF_VISIT_SHOWN, put_value, &v);
    if (status != 0 && to->status == RF_OK)
        to->status = rf_fail(to->job->err, status, "out of memory");
    rf_proto_end(&to->packet, begin);
}
