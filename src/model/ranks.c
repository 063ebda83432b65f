/* SPDX-License-Identifier: Apache-2.0 */
#include "model/ranks.h"

#include <string.h>

#include "base/rank_variables.h"

struct environment {
    const rf_recording *rec;
    const struct rf_process *process;
};

/* The value of a variable of a process, or NULL. */
static const char *find_variable(const void *context, const char *name)
{
    const struct environment *of = context;
    const size_t length = strlen(name);
    for (uint32_t i = 0; i < of->process->n_env; i++) {
        const char *text = rf_string(of->rec, of->process->env[i], NULL);
        if (text != NULL && strncmp(text, name, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

static void find_mpi_ranks(rf_recording *rec)
{
    for (size_t i = 0; i < rec->n_extras; i++) {
        const struct rf_extra *extra = &rec->extra[i];
        int64_t rank = -1;
        if (extra->kind != RF_EXTRA_MPI_RANK || extra->process >= rec->n_processes ||
            rf_extra_value(rec, extra, 0, &rank) != RF_VALUE_NUMBER)
            continue;
        struct rf_process *process = &rec->process[extra->process];
        if (process->rank < 0 && rank >= 0 && rank <= INT32_MAX)
            process->rank = (int32_t)rank;
    }
}

/* *agreed is -1 before the first number, and -2 once two differ. */
static void agree(int32_t *agreed, int32_t number)
{
    if (number >= 0 && *agreed != number)
        *agreed = *agreed == -1 ? number : -2;
}

static void agree_on_session(int32_t *agreed, uint32_t number_and_1)
{
    if (number_and_1 > 0 && number_and_1 <= INT32_MAX)
        agree(agreed, (int32_t)number_and_1 - 1);
}

void rf_agree_on_rank(rf_recording *rec)
{
    struct rf_info *info = &rec->info;
    info->rank = info->local_rank = info->world_size = -1;
    for (uint32_t i = 0; i < rec->n_processes; i++) {
        agree(&info->rank, rec->process[i].rank);
        agree(&info->local_rank, rec->process[i].local_rank);
        agree(&info->world_size, rec->process[i].world_size);
    }
    const struct rf_job *job = &rec->control.job;
    if (info->rank == -1) { /* no process was recorded, or none has one */
        agree_on_session(&info->rank, job->rank);
        agree_on_session(&info->local_rank, job->local_rank);
        agree_on_session(&info->world_size, job->world_size);
    }
    if (info->rank < 0)
        info->rank = -1;
    if (info->local_rank < 0 || info->rank < 0)
        info->local_rank = -1;
    if (info->world_size < 0)
        info->world_size = -1;
}

void rf_find_ranks(rf_recording *rec)
{
    for (uint32_t i = 0; i < rec->n_processes; i++) {
        struct rf_process *process = &rec->process[i];
        const struct environment of = {rec, process};
        process->rank = rf_rank_find(RF_RANK_GLOBAL, find_variable, &of);
        process->local_rank = rf_rank_find(RF_RANK_LOCAL, find_variable, &of);
        process->world_size = rf_rank_find(RF_RANK_WORLD_SIZE, find_variable, &of);
    }
    find_mpi_ranks(rec);
    rf_agree_on_rank(rec);
}
