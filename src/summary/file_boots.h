/* SPDX-License-Identifier: Apache-2.0 */
/* The table of boots in a summary's file: which machine an input is from, since it booted. */
#ifndef RF_SUMMARY_FILE_BOOTS_H
#define RF_SUMMARY_FILE_BOOTS_H

#include "summary/file.h"

extern const struct rf_summary_table rf_table_boots;

#endif
