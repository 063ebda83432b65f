/* SPDX-License-Identifier: Apache-2.0 */
/* The table of settings in a summary's file. */
#ifndef RF_SUMMARY_FILE_SETTINGS_H
#define RF_SUMMARY_FILE_SETTINGS_H

#include "summary/file.h"

extern const struct rf_summary_table rf_table_settings;

#endif
