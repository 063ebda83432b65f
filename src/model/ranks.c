/* SPDX-License-Identifier: Apache-2.0 */
#include "model/ranks.h"

#include <string.h>

enum { RANK, LOCAL_RANK, WORLD_SIZE, N_NUMBERS };

/* What launchers say, those before that run inside of those behind: a torchrun or mpiexec that
 * Slurm started has ranks of its own, while SLURM_PROCID is that of the node's only task. */
static const char *const variables[][N_NUMBERS] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
    {"PMIX_RANK", NULL, NULL},
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"},
};

/* A number as launchers write it; -1: it is none. */
static int32_t number_of(const char *text)
{
    int64_t number = 0;
    const char *end = text;
    for (; *end >= '0' && *end <= '9' && number <= INT32_MAX; end++)
        number = number * 10 + (*end - '0');
    return end > text && *end == '\0' && number <= INT32_MAX ? (int32_t)number : -1;
}

/* What a variable of a process says, or -1. */
static int32_t find_variable(const rf_recording *rec, const struct rf_process *process,
                             const char *name)
{
    size_t length = name != NULL ? strlen(name) : 0;
    for (uint32_t i = 0; i < process->n_env && length > 0; i++) {
        const char *text = rf_string(rec, process->env[i], NULL);
        if (text != NULL && strncmp(text, name, length) == 0 && text[length] == '=')
            return number_of(text + length + 1);
    }
    return -1;
}

static int32_t find_number(const rf_recording *rec, const struct rf_process *process, int which)
{
    int32_t number = -1;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && number < 0; i++)
        number = find_variable(rec, process, variables[i][which]);
    return number;
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

void rf_agree_on_rank(rf_recording *rec)
{
    struct rf_info *info = &rec->info;
    info->rank = info->local_rank = info->world_size = -1;
    for (uint32_t i = 0; i < rec->n_processes; i++) {
        agree(&info->rank, rec->process[i].rank);
        agree(&info->local_rank, rec->process[i].local_rank);
        agree(&info->world_size, rec->process[i].world_size);
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
        process->rank = find_number(rec, process, RANK);
        process->local_rank = find_number(rec, process, LOCAL_RANK);
        process->world_size = find_number(rec, process, WORLD_SIZE);
    }
    find_mpi_ranks(rec);
    rf_agree_on_rank(rec);
}
