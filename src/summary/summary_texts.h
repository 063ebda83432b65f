/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of a summary's strings. */
#ifndef RF_SUMMARY_SUMMARY_TEXTS_H
#define RF_SUMMARY_SUMMARY_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_summary;

#define RF_REST_OF_NAMES (UINT32_MAX - 1) /* in place of a string: all names that were not kept */

/* The text of a string; NULL and size 0 for RF_NO_STRING. */
const char *rf_summary_text(const struct rf_summary *summary, uint32_t string, size_t *size);

/* Sets a string of `from` to that of its text in `to`; one without a text stays. false: out of
 * memory. */
bool rf_summary_copy_text(struct rf_summary *to, const struct rf_summary *from, uint32_t *string);

/* The string of a text with # for each number in it: op_17 is op_#; RF_NO_STRING: out of memory. */
uint32_t rf_summary_add_folded(struct rf_summary *summary, const char *text, size_t size);

/* Orders strings by their bytes; those without a text come first. */
int rf_summary_compare_texts(const struct rf_summary *summary, uint32_t a, uint32_t b);

#endif
