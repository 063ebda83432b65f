/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rank_variables.h"

#include <stddef.h>

/* What launchers say, those before that run inside of those behind: a torchrun or mpiexec that
 * Slurm started has ranks of its own, while SLURM_PROCID is that of the node's only task. */
static const char *const variables[][RF_N_RANK_NUMBERS] = {
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

int32_t rf_rank_find(enum rf_rank_number which,
                     const char *(*get)(const void *context, const char *name), const void *context)
{
    int32_t number = -1;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && number < 0; i++) {
        const char *name = variables[i][which];
        const char *value = name != NULL ? get(context, name) : NULL;
        if (value != NULL)
            number = number_of(value);
    }
    return number;
}
