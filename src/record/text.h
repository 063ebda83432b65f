/* SPDX-License-Identifier: Apache-2.0 */
/* Text without stdio, locale or memory of the program's. */
#ifndef RF_RECORD_TEXT_H
#define RF_RECORD_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Formats into a fixed buffer, always NUL-ended: appends text or a number at offset `at` and
 * returns the new offset. */
size_t rf_put_text(char *buffer, size_t size, size_t at, const char *text);
size_t rf_put_number(char *buffer, size_t size, size_t at, uint64_t number, int min_digits);

#endif
