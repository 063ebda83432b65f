/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fields/event_names.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "model/fields/fields.h"
#include "model/payload/payload_sets.h"

static const char *name_at(const char *const *names, size_t n, uint64_t i)
{
    return i < n && names[i] != NULL ? names[i] : "unknown";
}

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

const char *rf_event_kind_name(int kind)
{
    return rf_row_kind(&rf_event_fields, (unsigned)kind)->name;
}

const char *rf_payload_type_name(int type)
{
    static const char *const names[] = {
        [RF_TYPE_UINT64] = "uint64",     [RF_TYPE_INT64] = "int64", [RF_TYPE_DOUBLE] = "double",
        [RF_TYPE_UINT32] = "uint32",     [RF_TYPE_INT32] = "int32", [RF_TYPE_FLOAT] = "float",
        [RF_TYPE_OTHER] = "unknown",     [RF_TYPE_JSON] = "json",   [RF_TYPE_BINARY] = "binary",
        [RF_TYPE_EXTENDED] = "extended",
    };
    return type == RF_TYPE_NONE ? NULL : name_at(names, N_OF(names), (uint64_t)type);
}

const char *rf_object_kind_name(int kind)
{
    static const char *const names[] = {
        [RF_NAMED_CU_DEVICE] = "cu_device",     [RF_NAMED_CU_CONTEXT] = "cu_context",
        [RF_NAMED_CU_STREAM] = "cu_stream",     [RF_NAMED_CU_EVENT] = "cu_event",
        [RF_NAMED_CUDA_DEVICE] = "cuda_device", [RF_NAMED_CUDA_STREAM] = "cuda_stream",
        [RF_NAMED_CUDA_EVENT] = "cuda_event",   [RF_NAMED_CL_DEVICE] = "cl_device",
        [RF_NAMED_CL_CONTEXT] = "cl_context",   [RF_NAMED_CL_QUEUE] = "cl_queue",
        [RF_NAMED_CL_MEM] = "cl_mem",           [RF_NAMED_CL_SAMPLER] = "cl_sampler",
        [RF_NAMED_CL_PROGRAM] = "cl_program",   [RF_NAMED_CL_EVENT] = "cl_event",
    };
    return name_at(names, N_OF(names), (uint64_t)kind);
}

const char *rf_sync_operation_name(int operation)
{
    static const char *const names[] = {
        [1] = "acquire_start",
        [2] = "acquire_failed",
        [3] = "acquire_success",
        [4] = "releasing",
    };
    return name_at(names, N_OF(names), (uint64_t)operation);
}

const char *rf_instant_label(const struct rf_event *event)
{
    return event->kind == RF_EVENT_SYNC ? rf_sync_operation_name((int)event->sync_operation)
                                        : rf_event_kind_name(event->kind);
}

void rf_sink_payload(struct rf_sink *sink, const struct rf_event *event)
{
    struct rf_value value;
    if (!rf_payload_number(event, &value))
        rf_sink_hex(sink, event->payload);
    else if (value.kind == RF_VALUE_UNSIGNED)
        rf_sink_u64(sink, value.number);
    else if (value.kind == RF_VALUE_SIGNED)
        rf_sink_i64(sink, value.integer);
    else if (value.flags & RF_VALUE_FLOAT)
        rf_sink_float(sink, (float)value.real);
    else
        rf_sink_double(sink, value.real);
}

int rf_is_payload_number(const struct rf_event *event)
{
    struct rf_value value;
    return rf_payload_number(event, &value) ? value.kind != RF_VALUE_REAL || isfinite(value.real)
                                            : event->payload_type < RF_TYPE_OTHER;
}

void rf_sink_color(struct rf_sink *sink, uint32_t argb)
{
    int shift = argb >> 24 == 0xff ? 20 : 28;
    char *out = rf_sink_reserve(sink, sizeof("#aarrggbb"));
    *out++ = '#';
    for (; shift >= 0; shift -= 4)
        *out++ = "0123456789abcdef"[argb >> shift & 15];
    sink->used = (size_t)(out - sink->buffer);
}

int rf_sink_json_name(struct rf_sink *sink, const rf_recording *rec, uint32_t string)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    if (text != NULL)
        return rf_sink_json(sink, text, size);
    rf_sink_text(sink, "null");
    return 0;
}

int rf_sink_csv_name(struct rf_sink *sink, const rf_recording *rec, uint32_t string)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    return text != NULL ? rf_sink_csv(sink, text, size) : 0;
}

bool rf_is_placed(const rf_recording *rec, const struct rf_event *event)
{
    if (event->payload_type != RF_TYPE_EXTENDED)
        return false;
    const struct rf_payload_set *set = rf_payload_set_of(rec, event);
    return set != NULL && set->is_placed;
}

int rf_has_flags(const rf_recording *rec, const struct rf_event *event)
{
    const uint8_t unusual = RF_EVENT_BAD_HANDLE | RF_EVENT_FOREIGN_END | RF_EVENT_CLAMPED |
                            RF_EVENT_CUT_AT_START | RF_EVENT_BAD_PAYLOAD;
    return (event->flags & unusual) != 0 || rf_is_placed(rec, event) ||
           !rf_domain_at(rec, event->domain)->is_valid;
}

void rf_sink_flags(struct rf_sink *sink, const rf_recording *rec, const struct rf_event *event)
{
    const struct {
        int is_set;
        const char *word;
    } flags[] = {
        {(event->flags & RF_EVENT_BAD_HANDLE) != 0, "bad_string"},
        {!rf_domain_at(rec, event->domain)->is_valid, "bad_domain"},
        {(event->flags & RF_EVENT_FOREIGN_END) != 0, "foreign_end"},
        {(event->flags & RF_EVENT_CLAMPED) != 0, "clamped"},
        {(event->flags & RF_EVENT_CUT_AT_START) != 0, "cut_at_start"},
        {(event->flags & RF_EVENT_BAD_PAYLOAD) != 0, "bad_payload"},
        {rf_is_placed(rec, event), "placed"},
    };
    const char *separator = "";
    for (size_t i = 0; i < N_OF(flags); i++) {
        if (!flags[i].is_set)
            continue;
        rf_sink_text(sink, separator);
        rf_sink_text(sink, flags[i].word);
        separator = "+";
    }
}

void rf_sink_utc(struct rf_sink *sink, int64_t epoch_ns)
{
    struct tm tm;
    char text[32];
    int64_t rest = epoch_ns % 1000000000;
    time_t seconds = (time_t)(epoch_ns / 1000000000);
    if (rest < 0) {
        rest += 1000000000;
        seconds--;
    }
    if (gmtime_r(&seconds, &tm) == NULL || strftime(text, sizeof(text), "%FT%T.", &tm) == 0)
        return;
    rf_sink_text(sink, text);
    for (int64_t digit = 100000000; digit > 0; digit /= 10)
        rf_sink_char(sink, (char)('0' + rest / digit % 10));
    rf_sink_char(sink, 'Z');
}

/* ---- Notes of databases ---- */

const char *rf_event_flag_note(size_t i, uint8_t *flag)
{
    static const struct {
        uint8_t flag;
        const char *note;
    } notes[] = {
        {RF_EVENT_BAD_HANDLE, "unknown string handle"},
        {RF_EVENT_FOREIGN_END, "another process tried to end it"},
        {RF_EVENT_CLAMPED, "end was before start"},
        {RF_EVENT_CUT_AT_START, "open when the capture began"},
        {RF_EVENT_BAD_PAYLOAD, "a payload could not be decoded whole"},
    };
    *flag = i < N_OF(notes) ? notes[i].flag : 0;
    return i < N_OF(notes) ? notes[i].note : NULL;
}

uint8_t rf_event_flag_of_note(const char *note, size_t size)
{
    uint8_t flag;
    const char *text;
    for (size_t i = 0; (text = rf_event_flag_note(i, &flag)) != NULL; i++)
        if (strlen(text) == size && memcmp(text, note, size) == 0)
            return flag;
    return 0;
}
