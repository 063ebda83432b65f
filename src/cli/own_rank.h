/* SPDX-License-Identifier: Apache-2.0 */
/* Which rank of a job this process is, as its launcher says. */
#ifndef RF_CLI_OWN_RANK_H
#define RF_CLI_OWN_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "log/layout.h"
#include "rangefinder/rangefinder.h"

/* The rank; -1: the environment names none. */
int32_t cli_own_rank(void);

/* How many ranks the job has; -1: the environment does not say. */
int32_t cli_own_world_size(void);

/* What the environment says of the job, and --ranks; NULL: all. */
void cli_own_job(struct rf_job *job, const char *ranks);

/* Fails because it names none. what: needs it, as in "'-o run.%r'". Returns RF_ERR_USAGE. */
int cli_fail_no_rank(struct rf_err *err, const char *what);

/* Whether a text is what --ranks takes: "0,8-15" or "every:16". */
int cli_ranks_check(const char *ranks, struct rf_err *err);

/* Whether such a text names a rank. */
bool cli_ranks_have(const char *ranks, int32_t rank);

/* *is_wanted: --ranks names the rank of this process. An error where the text is no such thing, or
 * this process has no rank. */
int cli_ranks_want(const char *ranks, bool *is_wanted, struct rf_err *err);

#endif
