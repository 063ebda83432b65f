/* SPDX-License-Identifier: Apache-2.0 */
/* The table of boots in a summary's file: which machine an input is from, since it booted. */
#ifndef RF_SUMMARY_FILE_BOOTS_H
#define RF_SUMMARY_FILE_BOOTS_H

#include "summary/file.h"

#define RF_BOOT_SIZE      16 /* of the id of a boot */
#define RF_BOOT_TEXT_SIZE (2 * RF_BOOT_SIZE + 1)

/* Hexadecimal digits for an id, and back; false: they are none. */
bool rf_boot_is_known(const uint8_t id[RF_BOOT_SIZE]);
void rf_boot_text(const uint8_t id[RF_BOOT_SIZE], char text[RF_BOOT_TEXT_SIZE]);
bool rf_boot_read(uint8_t id[RF_BOOT_SIZE], const char *text);

extern const struct rf_summary_table rf_table_boots;

#endif
