/* SPDX-License-Identifier: Apache-2.0 */
/* Counters and their samples as rows of fields. */
#ifndef RF_MODEL_FIELDS_FIELDS_COUNTER_H
#define RF_MODEL_FIELDS_FIELDS_COUNTER_H

#include "base/sink.h"
#include "model/fields/fields.h"

/* The row of a counter; sample: of one of its samples, or NULL. */
void rf_row_of_counter(const rf_recording *rec, const struct rf_counter *counter,
                       const struct rf_sample_at *sample, struct rf_row *row);

/* enum rf_sample_flags of a sample. */
static inline uint8_t rf_sample_flags(const struct rf_sample_at *at)
{
    const struct rf_nvtx_counter *nvtx = at->counter->nvtx;
    return nvtx != NULL && nvtx->flags != NULL ? nvtx->flags[at->i] : 0;
}

/* What a sample's value is. */
enum rf_sample_form {
    RF_SAMPLE_IS_NONE,
    RF_SAMPLE_IS_REAL,
    RF_SAMPLE_IS_INT64,
    RF_SAMPLE_IS_UINT64
};
enum rf_sample_form rf_sample_form(const struct rf_sample_at *at);

/* "double", "int64", "uint64", or "" where there is no value. */
const char *rf_sample_type_name(const struct rf_sample_at *at);

/* "double", "int64", "uint64" */
const char *rf_counter_number_name(int number);

/* Writes the value exactly; nothing where there is none. */
void rf_sink_sample(struct rf_sink *sink, const struct rf_sample_at *at);

/* Writes a limit exactly; doubles are those that JSON has no numbers for, too. */
void rf_sink_limit(struct rf_sink *sink, const struct rf_counter_limit *limit);

/* Whether JSON has the value as a number; others it has as text. */
bool rf_is_sample_number(const struct rf_sample_at *at);

/* Writes the flags that people are told of, joined with a plus: "no_value", "placed". */
void rf_sink_sample_flags(struct rf_sink *sink, const struct rf_sample_at *at);

#endif
