/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/own_rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/rank_list.h"
#include "base/rank_variables.h"

#define EVERY     "every:"
#define MAX_EVERY 1000000000UL

static const char *get(const void *context, const char *name)
{
    (void)context;
    return getenv(name);
}

int32_t cli_own_rank(void)
{
    return rf_rank_find(RF_RANK_GLOBAL, get, NULL);
}

int32_t cli_own_world_size(void)
{
    return rf_rank_find(RF_RANK_WORLD_SIZE, get, NULL);
}

void cli_own_job(struct rf_job *job, const char *ranks)
{
    job->rank = (uint32_t)cli_own_rank() + 1;
    job->local_rank = (uint32_t)rf_rank_find(RF_RANK_LOCAL, get, NULL) + 1;
    job->world_size = (uint32_t)cli_own_world_size() + 1;
    if (ranks != NULL && strlen(ranks) < sizeof(job->ranks))
        memcpy(job->ranks, ranks, strlen(ranks) + 1);
}

int cli_fail_no_rank(struct rf_err *err, const char *what)
{
    return rf_fail(err, RF_ERR_USAGE,
                   "%s: the environment does not say which rank this is (" RF_RANK_VARIABLES
                   "); the launcher has to start rangefinder, once per rank: 'mpirun -n 4 "
                   "rangefinder profile ... PROGRAM'",
                   what);
}

/* The N of every:N; 0: the text is no such thing. */
static unsigned long parse_every(const char *text)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return 0;
    unsigned long n = strtoul(text, &end, 10);
    return *end == '\0' && n <= MAX_EVERY ? n : 0;
}

static bool is_every(const char *ranks)
{
    return strncmp(ranks, EVERY, strlen(EVERY)) == 0;
}

int cli_ranks_check(const char *ranks, struct rf_err *err)
{
    struct rf_err why;
    if (is_every(ranks) && parse_every(ranks + strlen(EVERY)) == 0)
        return rf_fail(err, RF_ERR_USAGE,
                       "'--ranks=%s': every:N records each N-th rank; N is 1 or more", ranks);
    if (!is_every(ranks) && rf_rank_list_check(ranks, &why) != RF_OK)
        return rf_fail(err, RF_ERR_USAGE, "--ranks: %s, and not every:N", why.text);
    return RF_OK;
}

bool cli_ranks_have(const char *ranks, int32_t rank)
{
    return is_every(ranks) ? (unsigned long)rank % parse_every(ranks + strlen(EVERY)) == 0
                           : rf_rank_list_has(ranks, rank);
}

int cli_ranks_want(const char *ranks, bool *is_wanted, struct rf_err *err)
{
    const int32_t rank = cli_own_rank();
    int status = cli_ranks_check(ranks, err);
    if (status == RF_OK && rank < 0)
        status = cli_fail_no_rank(err, "--ranks");
    *is_wanted = status == RF_OK && cli_ranks_have(ranks, rank);
    return status;
}
