/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording knows of the machine and the settings that its times depend on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/private_access.h"
#include "summary/collect.h"

static void add(struct rf_collecting *c, const char *name, const char *value)
{
    if (c->status == RF_OK)
        c->status = rf_summary_setting_add(c->summary, 0, name, value);
}

/* ---- GPUs ---- */

static bool is_first_of_name(const rf_recording *rec, uint32_t gpu)
{
    for (uint32_t i = 0; i < gpu; i++)
        if (rf_gpu_at(rec, i)->name == rf_gpu_at(rec, gpu)->name)
            return false;
    return true;
}

/* "2 x NVIDIA H100", for each name. */
static void add_gpus(struct rf_collecting *c)
{
    for (uint32_t i = 0; i < rf_n_gpus(c->rec); i++) {
        char value[256];
        const char *name = rf_string(c->rec, rf_gpu_at(c->rec, i)->name, NULL);
        unsigned n = 0;
        if (name == NULL || !is_first_of_name(c->rec, i))
            continue;
        for (uint32_t k = i; k < rf_n_gpus(c->rec); k++)
            n += rf_gpu_at(c->rec, k)->name == rf_gpu_at(c->rec, i)->name;
        (void)snprintf(value, sizeof(value), "%u x %s", n, name);
        add(c, "gpu", value);
    }
}

/* ---- The environment ---- */

/* Where value begins in NAME=value; NULL: it is not NAME. */
static const char *value_of(const char *variable, const char *name)
{
    const size_t size = strlen(name);
    return strncmp(variable, name, size) == 0 && variable[size] == '=' ? variable + size + 1 : NULL;
}

/* Variables that change what a program does, or how fast, and those that say which rank it is. */
static void add_variable(struct rf_collecting *c, const char *variable)
{
    static const char *const names[] = {"OMP_NUM_THREADS",      "MKL_NUM_THREADS",
                                        "OPENBLAS_NUM_THREADS", "CUDA_LAUNCH_BLOCKING",
                                        "CUDA_MODULE_LOADING",  "CUDA_DEVICE_MAX_CONNECTIONS",
                                        "WORLD_SIZE",           "LOCAL_WORLD_SIZE",
                                        "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                        "SLURM_NTASKS"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = value_of(variable, names[i]);
        if (value != NULL)
            add(c, names[i], value);
    }
    char name[64];
    const size_t size = strcspn(variable, "=");
    (void)snprintf(name, sizeof(name), "%.*s", (int)size, variable);
    if (size < sizeof(name) && variable[size] == '=' && rf_summary_is_rank_variable(name))
        add(c, name, variable + size + 1);
}

static const char *find_variable(const rf_recording *rec, const struct rf_process *process,
                                 const char *name)
{
    for (uint32_t i = 0; i < process->n_env; i++) {
        const char *variable = rf_string(rec, process->env[i], NULL);
        const char *value = variable != NULL ? value_of(variable, name) : NULL;
        if (value != NULL)
            return value;
    }
    return NULL;
}

/* What the launcher calls the job. A step of a job of Slurm is one run. */
static void add_job(struct rf_collecting *c, const struct rf_process *process)
{
    char job[512];
    const char *slurm = find_variable(c->rec, process, "SLURM_JOB_ID"),
               *step = find_variable(c->rec, process, "SLURM_STEP_ID"),
               *pmix = find_variable(c->rec, process, "PMIX_NAMESPACE"),
               *torch = find_variable(c->rec, process, "TORCHELASTIC_RUN_ID");
    if (slurm != NULL && step != NULL)
        (void)snprintf(job, sizeof(job), "slurm %s.%s", slurm, step);
    else if (pmix != NULL)
        (void)snprintf(job, sizeof(job), "pmix %s", pmix);
    else if (torch != NULL && torch[0] != '\0' && strcmp(torch, "none") != 0)
        (void)snprintf(job, sizeof(job), "torch %s", torch);
    else
        return;
    add(c, RF_SUMMARY_JOB, job);
}

static void add_process(struct rf_collecting *c, const struct rf_process *process)
{
    char number[24];
    const char *cpu = rf_string(c->rec, process->cpu, NULL);
    for (uint32_t i = 0; i < process->n_env; i++) {
        const char *variable = rf_string(c->rec, process->env[i], NULL);
        if (variable != NULL)
            add_variable(c, variable);
    }
    add_job(c, process);
    if (cpu != NULL)
        add(c, "cpu", cpu);
    if (process->n_cpus == 0)
        return;
    (void)snprintf(number, sizeof(number), "%u", process->n_cpus);
    add(c, "cpus", number);
}

/* The script of an interpreter: the first argument that is no option; NULL: there is none. */
static const char *find_script(const rf_recording *rec, const struct rf_process *process)
{
    for (uint32_t i = 1; i < process->n_args; i++) {
        const char *argument = rf_string(rec, process->args[i], NULL);
        if (argument != NULL && argument[0] != '-' && argument[0] != '\0')
            return argument;
    }
    return NULL;
}

/* "heat", "python3 train.py": what was started, or the first process. */
static void add_program(struct rf_collecting *c)
{
    const struct rf_process *process = rf_process_at(c->rec, 0);
    const uint32_t root = rf_get_info(c->rec)->root_pid;
    char program[512];
    for (uint32_t i = 0; i < rf_n_processes(c->rec) && root != 0; i++)
        if (rf_process_at(c->rec, i)->pid == root) {
            process = rf_process_at(c->rec, i);
            break;
        }
    const char *name = process != NULL ? rf_string(c->rec, process->name, NULL) : NULL;
    if (name == NULL || name[0] == '\0')
        return;
    const char *script = strncmp(name, "python", 6) == 0 ? find_script(c->rec, process) : NULL;
    const char *slash = script != NULL ? strrchr(script, '/') : NULL;
    (void)snprintf(program, sizeof(program), "%s%s%s", name, script != NULL ? " " : "",
                   script == NULL  ? ""
                   : slash != NULL ? slash + 1
                                   : script);
    add(c, RF_SUMMARY_PROGRAM, program);
}

void rf_collect_settings(struct rf_collecting *c)
{
    const char *product = rf_get_info(c->rec)->product;
    if (product != NULL && product[0] != '\0')
        add(c, "recorder", product);
    add_gpus(c);
    add_program(c);
    for (uint32_t i = 0; i < rf_n_processes(c->rec) && c->status == RF_OK; i++)
        add_process(c, rf_process_at(c->rec, i));
}
