/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and times as options of a ring have them: 64M, 1.5s. */
#ifndef RF_CLI_RING_AMOUNTS_OPTION_H
#define RF_CLI_RING_AMOUNTS_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#define AMOUNT_TIME_UNITS "ns, us, ms, s, min, h"

/* Bytes, or nanoseconds, of `n` characters of text. A size may have the unit K, M or G, a time one
 * of AMOUNT_TIME_UNITS; a time without one is in seconds. Returns false where it is none. */
bool cli_parse_size(double *bytes, const char *text, size_t n);
bool cli_parse_time(double *ns, const char *text, size_t n);

/* "3x", as a number. */
bool cli_parse_times(double *times, const char *text, size_t n);

#endif
