/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fields/fields_counter.h"

#include <math.h>
#include <stddef.h>

#define IN(which, type, member)                                                                    \
    .part = RF_PART_##which, .offset = offsetof(type, member),                                     \
    .size = sizeof(((const type *)0)->member)
#define LIMIT(which, member)                                                                       \
    ALL, .part = RF_PART_##which, .offset = offsetof(struct rf_nvtx_counter, member),              \
         .size = sizeof(double), .type = RF_FIELD_LIMIT, NOT_IN_CSV
#define ALL            .kinds = ~0u
#define AT(member)     ALL, IN(ROW, struct rf_counter, member)
#define NVTX(member)   ALL, IN(NVTX, struct rf_nvtx_counter, member)
#define CSV(column)    .csv = (column)
#define NOT_IN_CSV     .csv = ""
#define SELDOM(column) .own_column = (column)

/* clang-format off */
static const struct rf_field fields[] = {
    {.name = "name", AT(name), .type = RF_FIELD_STRING, .about = "what was counted"},
    {.name = "set", AT(set), .type = RF_FIELD_STRING, .absent = RF_ABSENT_MAX,
     CSV("full_name"), .about = "what it was sampled with"},
    {.name = "device", AT(device), .absent = RF_ABSENT_MAX,
     .about = "the GPU as the driver numbers it"},
    {.name = "domain", ALL, IN(DOMAIN, struct rf_domain, name), .type = RF_FIELD_STRING,
     .absent = RF_ABSENT_MAX, .about = "the domain of a counter of NVTX"},
    {.name = "thread", NVTX(thread), .absent = RF_ABSENT_MAX, NOT_IN_CSV,
     .about = "the index of the thread that its scope is"},
    {.name = "unit", NVTX(unit), .type = RF_FIELD_STRING, .absent = RF_ABSENT_MAX, SELDOM("unit"),
     .about = "of the values times scale_numerator / scale_denominator"},
    {.name = "description", NVTX(description), .type = RF_FIELD_STRING, .absent = RF_ABSENT_MAX,
     NOT_IN_CSV, SELDOM("description"), .about = "what the program says of it"},
    {.name = "scope", NVTX(scope), .type = RF_FIELD_STRING, .absent = RF_ABSENT_MAX, NOT_IN_CSV,
     SELDOM("scope"), .about = "what it is counted of: a path, or thread, process, machine, ..."},
    {.name = "number", NVTX(number), .type = RF_FIELD_WORD, .word = rf_counter_number_name,
     NOT_IN_CSV, SELDOM("number"), .about = "the type of its values"},
    {.name = "value_type", NVTX(value_type), .type = RF_FIELD_WORD,
     .word = rf_counter_value_type_name, NOT_IN_CSV, SELDOM("valueType"),
     .about = "whether values are absolute or differences"},
    {.name = "interpolation", NVTX(interpolation), .type = RF_FIELD_WORD,
     .word = rf_counter_interpolation_name, NOT_IN_CSV, SELDOM("interpolation"),
     .about = "for which times a sample stands"},
    {.name = "min", LIMIT(MIN, min),
     SELDOM("minimum"), .about = "the least value that the program expects"},
    {.name = "max", LIMIT(MAX, max),
     SELDOM("maximum"), .about = "the largest one"},
    {.name = "scale_numerator", ALL, IN(SCALE, struct rf_nvtx_counter, scale_numerator),
     SELDOM("scaleNumerator"), .about = "what values are multiplied by to be in the unit"},
    {.name = "scale_denominator", ALL, IN(SCALE, struct rf_nvtx_counter, scale_denominator),
     SELDOM("scaleDenominator"), .about = "what they are then divided by"},
    {.name = "value", ALL, .part = RF_PART_DETAIL, .size = sizeof(struct rf_sample_at),
     .type = RF_FIELD_SAMPLE, CSV("payload"), .about = "of a sample"},
};
/* clang-format on */

const struct rf_fields rf_counter_fields = {.field = fields,
                                            .n = sizeof(fields) / sizeof(fields[0])};

void rf_row_of_counter(const rf_recording *rec, const struct rf_counter *counter,
                       const struct rf_sample_at *sample, struct rf_row *row)
{
    const struct rf_nvtx_counter *nvtx = counter->nvtx;
    *row = (struct rf_row){.part = {counter, [RF_PART_DETAIL] = sample}};
    if (nvtx == NULL)
        return;
    row->part[RF_PART_NVTX] = nvtx;
    row->part[RF_PART_DOMAIN] = rf_domain_at(rec, nvtx->domain);
    if (nvtx->has_limits & 1)
        row->part[RF_PART_MIN] = nvtx;
    if (nvtx->has_limits & 2)
        row->part[RF_PART_MAX] = nvtx;
    if (nvtx->scale_numerator != nvtx->scale_denominator)
        row->part[RF_PART_SCALE] = nvtx;
}

/* ---- Names ---- */

static const char *name_in(const char *const *names, size_t n, int i)
{
    return i >= 0 && (size_t)i < n ? names[i] : NULL;
}

const char *rf_counter_value_type_name(int value_type)
{
    static const char *const names[] = {"absolute", "delta", "delta_since_start"};
    return name_in(names, sizeof(names) / sizeof(names[0]), value_type);
}

const char *rf_counter_interpolation_name(int interpolation)
{
    static const char *const names[] = {"until_next", "since_last", "linear", "point"};
    return name_in(names, sizeof(names) / sizeof(names[0]), interpolation);
}

const char *rf_counter_number_name(int number)
{
    static const char *const names[] = {"double", "int64", "uint64"};
    return name_in(names, sizeof(names) / sizeof(names[0]), number);
}

/* ---- Samples ---- */

enum rf_sample_form rf_sample_form(const struct rf_sample_at *at)
{
    const struct rf_nvtx_counter *nvtx = at->counter->nvtx;
    const uint8_t flags = rf_sample_flags(at);
    if (flags & RF_SAMPLE_NO_VALUE)
        return RF_SAMPLE_IS_NONE;
    if (nvtx == NULL || nvtx->integer == NULL || (flags & RF_SAMPLE_REAL) != 0)
        return RF_SAMPLE_IS_REAL;
    return nvtx->number == RF_COUNTER_UINT64 ? RF_SAMPLE_IS_UINT64 : RF_SAMPLE_IS_INT64;
}

const char *rf_sample_type_name(const struct rf_sample_at *at)
{
    static const char *const names[] = {"", "double", "int64", "uint64"};
    return names[rf_sample_form(at)];
}

void rf_sink_sample(struct rf_sink *sink, const struct rf_sample_at *at)
{
    switch (rf_sample_form(at)) {
    case RF_SAMPLE_IS_REAL:
        rf_sink_double(sink, at->counter->value[at->i]);
        break;
    case RF_SAMPLE_IS_INT64:
        rf_sink_i64(sink, at->counter->nvtx->integer[at->i]);
        break;
    case RF_SAMPLE_IS_UINT64:
        rf_sink_u64(sink, (uint64_t)at->counter->nvtx->integer[at->i]);
        break;
    default:
        break;
    }
}

bool rf_is_sample_number(const struct rf_sample_at *at)
{
    return rf_sample_form(at) != RF_SAMPLE_IS_REAL || isfinite(at->counter->value[at->i]);
}

void rf_sink_limit(struct rf_sink *sink, const struct rf_counter_limit *limit)
{
    if (limit->number == RF_COUNTER_INT64)
        rf_sink_i64(sink, limit->integer);
    else if (limit->number == RF_COUNTER_UINT64)
        rf_sink_u64(sink, (uint64_t)limit->integer);
    else
        rf_sink_double(sink, limit->value);
}

void rf_sink_sample_flags(struct rf_sink *sink, const struct rf_sample_at *at)
{
    const uint8_t flags = rf_sample_flags(at);
    if (flags & RF_SAMPLE_NO_VALUE)
        rf_sink_text(sink, "no_value");
    if ((flags & RF_SAMPLE_NO_VALUE) && (flags & RF_SAMPLE_PLACED))
        rf_sink_char(sink, '+');
    if (flags & RF_SAMPLE_PLACED)
        rf_sink_text(sink, "placed");
}
