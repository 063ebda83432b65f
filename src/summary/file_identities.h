/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a summary's file that says which recordings its inputs are of. */
#ifndef RF_SUMMARY_FILE_IDENTITIES_H
#define RF_SUMMARY_FILE_IDENTITIES_H

#include "summary/file.h"

extern const struct rf_summary_table rf_table_identities;

/* Identifies inputs of one recording by what the other tables say, where an older file has no such
 * table, and checks that no input has more recordings than it says. */
void rf_file_check_identities(struct rf_summary_file *file);

#endif
