/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a watched stream. */
#ifndef RF_CLI_TOP_TOP_DECODE_H
#define RF_CLI_TOP_TOP_DECODE_H

#include "cli/top/top_process.h"

/* A part begins: its two headers. is_gap: what was between it and the one before was missed. */
void top_decode_part(struct top_reading *reading, struct top_process *p, struct top_stream *s,
                     const uint8_t *part, bool is_gap);

/* Whole records that follow. is_counted: they are of this interval; otherwise they only say what is
 * open. */
void top_decode(struct top_reading *reading, struct top_process *p, struct top_stream *s,
                const uint8_t *records, size_t size, bool is_counted);

#endif
