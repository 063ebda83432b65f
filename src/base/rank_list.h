/* SPDX-License-Identifier: Apache-2.0 */
/* A list of ranks, as options have it: "0,8-15". */
#ifndef RF_BASE_RANK_LIST_H
#define RF_BASE_RANK_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* RF_OK, or RF_ERR_USAGE: the text is no list of ranks. */
int rf_rank_list_check(const char *list, struct rf_err *err);

/* Whether a list that is right has a rank; an unknown one, -1, is in none. */
bool rf_rank_list_has(const char *list, int64_t rank);

#endif
