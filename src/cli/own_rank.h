/* SPDX-License-Identifier: Apache-2.0 */
/* Which rank of a job this process is, as its launcher says. */
#ifndef RF_CLI_OWN_RANK_H
#define RF_CLI_OWN_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* The rank; -1: the environment names none. */
int32_t cli_own_rank(void);

/* Fails because it names none. what: needs it, as in "'-o run.%r'". Returns RF_ERR_USAGE. */
int cli_fail_no_rank(struct rf_err *err, const char *what);

/* Which ranks --ranks names: "0,8-15" or "every:16". *is_wanted: this one is among them. An error
 * where the text is neither, or this process has no rank. */
int cli_ranks_want(const char *ranks, bool *is_wanted, struct rf_err *err);

#endif
