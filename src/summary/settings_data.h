/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the machines and settings of a summary's inputs: names and values. */
#ifndef RF_SUMMARY_SETTINGS_DATA_H
#define RF_SUMMARY_SETTINGS_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_summary;

struct rf_summary_setting {
    uint32_t input;
    uint32_t name, value; /* strings of the summary */
};

/* All zero: none. An input has a name several times where its processes or recordings differ. */
struct rf_summary_settings {
    struct rf_summary_setting *item;
    size_t n, room;
};

#define RF_SUMMARY_JOB     "job"     /* the name of what tells jobs apart, whose ranks are inputs */
#define RF_SUMMARY_PROGRAM "program" /* which one was recorded */

/* Adds one, unless it is there; RF_OK or RF_ERR_NO_MEMORY. */
int rf_summary_setting_add(struct rf_summary *summary, uint32_t input, const char *name,
                           const char *value);

/* Whether a variable says which rank a process is. */
bool rf_summary_is_rank_variable(const char *name);

/* Adds those of another summary. input: by its inputs, which one they go to; RF_NO_INDEX: none;
 * NULL: the same one. is_merged: without what says which rank it is. RF_OK or RF_ERR_NO_MEMORY. */
int rf_summary_settings_absorb(struct rf_summary *to, const struct rf_summary *from,
                               const uint32_t *input, bool is_merged);

/* Puts them into the order of a file, which is the same for every order of adding, each once. */
void rf_summary_settings_sort(struct rf_summary *summary);

void rf_summary_settings_release(struct rf_summary_settings *settings);

#endif
