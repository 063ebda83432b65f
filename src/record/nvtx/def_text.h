/* SPDX-License-Identifier: Apache-2.0 */
/* The text of an NVTX_DEF definition while it is made, in two passes: the first one measures, the
 * second one fills memory of that size. A name that another thread makes longer in between makes
 * the text fail, and nothing is written behind its end. */
#ifndef RF_RECORD_NVTX_DEF_TEXT_H
#define RF_RECORD_NVTX_DEF_TEXT_H

#include <stdbool.h>

#include "log/nvtx_ext.h"
#include "record/nvtx/nvtx.h"

struct rf_def_text {
    uint8_t *data; /* NULL: measuring */
    uint64_t size;
    uint64_t capacity; /* at most this many bytes */
};

#define RF_MOST_DEF_TEXT (1u << 24)

/* Begins the pass that measures. */
void rf_def_text_measure(struct rf_def_text *text);

/* Begins the pass that fills. False: too long, or no memory. */
bool rf_def_text_fill(struct rf_def_text *text);

/* Is every byte there that was added? */
bool rf_def_text_is_whole(const struct rf_def_text *text);

void rf_def_text_release(struct rf_def_text *text);

/* Room for size bytes, filled later by rf_def_text_set(); its offset. */
uint32_t rf_def_text_reserve(struct rf_def_text *text, uint64_t size);
void rf_def_text_set(struct rf_def_text *text, uint64_t offset, const void *bytes, size_t size);

/* A name, or a chain of semantics; its offset. NULL: 0. */
uint32_t rf_def_text_name(struct rf_def_text *text, const char *name);
uint32_t rf_def_text_semantics(struct rf_def_text *text, const nvtxSemanticsHeader_t *first);

#endif
