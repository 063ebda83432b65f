/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of CUDA definitions (docs/format.md, section 9): lines NAME=VALUE, read one by one. A line
 * without '=' is passed over. */
#ifndef RF_MODEL_LOAD_FACTS_H
#define RF_MODEL_LOAD_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_fact {
    const char *name, *value; /* in the text, not NUL-ended */
    size_t name_size, value_size;
};

/* What is left of a text. */
struct rf_facts {
    const char *at, *end;
};

/* The next fact; 0: there are no more. */
bool rf_facts_next(struct rf_facts *facts, struct rf_fact *fact);

bool rf_fact_is(const struct rf_fact *fact, const char *name);

/* The value as a number; 0: it is none of 64 bits. */
bool rf_fact_number(const struct rf_fact *fact, int64_t *number);

#endif
