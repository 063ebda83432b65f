/* SPDX-License-Identifier: Apache-2.0 */
/* A command line as one string that a shell reads as the same words. */
#ifndef RF_MODEL_QUOTE_H
#define RF_MODEL_QUOTE_H

#include <stdint.h>

#include "model/strings.h"

/* Joins n arguments by spaces, each quoted where needed, and adds the result to the strings.
 * RF_NO_STRING among the arguments stands for an empty one. Returns 0 or RF_ERR_NO_MEMORY. */
int rf_quote_command(struct rf_strings *strings, const uint32_t *args, uint32_t n, uint32_t *out);

#endif
