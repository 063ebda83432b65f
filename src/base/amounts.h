/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts as people read them. */
#ifndef RF_BASE_AMOUNTS_H
#define RF_BASE_AMOUNTS_H

#include <stddef.h>
#include <stdint.h>

/* "1.2 MB" in a buffer of the caller, which is returned. */
const char *rf_format_size(char *buffer, size_t size, uint64_t bytes);

/* "1,234,567" in a buffer of the caller, which is returned. */
const char *rf_format_count(char *buffer, size_t size, uint64_t count);

/* "1.500 ms" in a buffer of the caller, which is returned. */
const char *rf_format_duration(char *buffer, size_t size, int64_t ns);

#endif
