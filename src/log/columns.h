/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a part as columns, which compress better and faster than the records
 * (docs/format.md, section 2.6). Both ways are exact: what cannot be restored to the byte is not
 * split. */
#ifndef RF_LOG_COLUMNS_H
#define RF_LOG_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "log/layout.h"
#include "log/time_steps.h"

#define RF_SPLIT_MOST RF_PART_SIZE /* bytes of one column, at most */

struct rf_split {
    uint8_t *data; /* RF_SPLIT_MOST bytes */
    uint32_t size;
};

/* What a record is but for its time. */
struct rf_form {
    uint64_t body[RF_FORM_MOST]; /* words from 1 on; of END the id less that of the next range */
    uint32_t head;               /* type and length of word 0 */
    uint32_t n_words;            /* 0: none */
};

/* Scratch of one thread; large. */
struct rf_columns {
    struct rf_split column[RF_N_SPLITS];
    struct rf_split_step step;                        /* RF_STEP_ONE: times are in ticks */
    uint32_t n_split;                                 /* parts that were split */
    struct rf_part_times ticks, steps;                /* times, before they are bytes */
    struct rf_form form[RF_N_FORMS + 1];              /* the last one: of what is not kept */
    uint8_t next[RF_N_FORMS + 1];                     /* by form: the one that followed it last */
    uint8_t place[4096];                              /* by hash: of a form */
    uint32_t next_form;                               /* where the next new one goes */
    uint8_t memory[RF_N_SPLITS * RF_SPLIT_MOST + 64]; /* bodies are copied in larger pieces */
};

/* What the records of a part refer to: fields of its headers. */
struct rf_columns_base {
    uint64_t ticks;
    uint64_t first_id; /* rf_range_id() of the first range that begins in it */
};

/* The memory of the columns is in the structure: it must not be moved. */
void rf_columns_init(struct rf_columns *c);

/* Splits the records, size bytes, with times in steps where the clock has some. Returns false if
 * they do not end where their last one does. */
bool rf_columns_split(struct rf_columns *c, const struct rf_columns_base *base,
                      const uint8_t *records, uint32_t size);

/* Joins what the columns hold into size bytes of records. Returns false if they hold anything else:
 * nothing in them is trusted. */
bool rf_columns_join(struct rf_columns *c, const struct rf_columns_base *base, uint8_t *records,
                     uint32_t size);

#endif
