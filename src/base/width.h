/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that text takes on a terminal: two for East Asian characters and emoji, none for
 * marks that stand on the character before, as wcwidth() has it, whatever the locale. */
#ifndef RF_BASE_WIDTH_H
#define RF_BASE_WIDTH_H

#include <stddef.h>

/* Of UTF-8; bytes that are none count one each. */
size_t rf_utf8_columns(const char *text, size_t size);

/* The bytes at the beginning that take at most so many columns; *columns: how many they take. */
size_t rf_utf8_fitting(const char *text, size_t size, size_t most, size_t *columns);

#endif
