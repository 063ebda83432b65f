/* SPDX-License-Identifier: Apache-2.0 */
/* What this process is. One thread at a time is here, on a stack of the program's, which may be
 * small: what is large is static. */
#include "record/process/describe_process.h"

#include <stdlib.h>
#include <string.h>

#include "record/names/defs.h"
#include "record/process/confined.h"
#include "record/process/describe_cpu.h"
#include "record/stream/part.h"
#include "record/text.h"

static void describe_text(enum rf_proc_key key, const char *text, size_t size)
{
    (void)rf_defs_add(RF_REC_PROCESS, (uint32_t)key, 0, 0, 0, text, size);
}

void rf_describe_process_number(enum rf_proc_key key, uint64_t value)
{
    (void)rf_defs_add(RF_REC_PROCESS, (uint32_t)key, 0, value, 0, NULL, 0);
}

static void describe_arguments(void)
{
    static char buffer[65536];
    int fd = rf_sys_open("/proc/self/cmdline", O_RDONLY, 0);
    if (fd < 0)
        return;
    size_t size = 0;
    long n;
    while (size < sizeof(buffer) && (n = rf_sys_read(fd, buffer + size, sizeof(buffer) - size)) > 0)
        size += (size_t)n;
    rf_sys_close(fd);
    for (size_t at = 0; at < size;) {
        size_t length = strnlen(buffer + at, size - at);
        describe_text(RF_PROC_ARG, buffer + at, length);
        at += length + 1;
    }
}

static void describe_link(enum rf_proc_key key, const char *link, bool with_name)
{
    static char path[PATH_MAX];
    long n = rf_recorder.has_filter
                 ? (long)rf_confined_path(key, path, sizeof(path))
                 : RF_SYSCALL4(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
    if (n <= 0)
        return;
    path[n] = '\0';
    describe_text(key, path, (size_t)n);
    const char *name = strrchr(path, '/');
    if (with_name && name != NULL)
        describe_text(RF_PROC_NAME, name + 1, strlen(name + 1));
}

/* Fields 4 (parent) and 22 (start time) of /proc/self/stat, behind the name in parentheses. Of that
 * path qemu-user makes up the contents, with another start time than others see; not of this. */
static void describe_stat(void)
{
    static char text[1024];
    int fd = rf_sys_open("/proc/self/./stat", O_RDONLY, 0);
    if (fd < 0)
        return;
    long n = rf_sys_read(fd, text, sizeof(text) - 1);
    rf_sys_close(fd);
    if (n <= 0)
        return;
    text[n] = '\0';
    const char *p = strrchr(text, ')');
    for (int field = 2; p != NULL && *p != '\0'; p++) {
        if (*p != ' ')
            continue;
        field++;
        if (field != 4 && field != 22)
            continue;
        uint64_t value = 0;
        for (const char *digit = p + 1; *digit >= '0' && *digit <= '9'; digit++)
            value = value * 10 + (uint64_t)(*digit - '0');
        rf_describe_process_number(field == 4 ? RF_PROC_PPID : RF_PROC_START_TIME, value);
        if (field == 22)
            rf_pool_header()->start_time = value;
    }
}

/* The environment may hold secrets: only these variables are recorded. */
static void describe_environment(void)
{
    static const char *const names[] = {
        "CUDA_VISIBLE_DEVICES",
        "CUDA_DEVICE_ORDER",
        "CUDA_LAUNCH_BLOCKING",
        "CUDA_MODULE_LOADING",
        "CUDA_DEVICE_MAX_CONNECTIONS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "RANK",
        "LOCAL_RANK",
        "WORLD_SIZE",
        "LOCAL_WORLD_SIZE",
        "NODE_RANK",
        "GROUP_RANK",
        "TORCHELASTIC_RUN_ID",
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "MPI_LOCALRANKID",
        "PMI_RANK",
        "PMI_SIZE",
        "PMIX_RANK",
        "PMIX_NAMESPACE",
        "MV2_COMM_WORLD_RANK",
        "MV2_COMM_WORLD_SIZE",
        "MV2_COMM_WORLD_LOCAL_RANK",
        "SLURM_JOB_ID",
        "SLURM_STEP_ID",
        "SLURM_PROCID",
        "SLURM_LOCALID",
        "SLURM_NODEID",
        "SLURM_NTASKS",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        if (value == NULL)
            continue;
        static char text[512];
        size_t at = rf_put_text(text, sizeof(text), 0, names[i]);
        at = rf_put_text(text, sizeof(text), at, "=");
        at = rf_put_text(text, sizeof(text), at, value);
        describe_text(RF_PROC_ENV, text, at);
    }
}

static void describe_cpu(void)
{
    char name[64];
    const size_t size = rf_cpu_name(name, sizeof(name));
    const uint32_t n = rf_n_cpus();
    if (size > 0)
        describe_text(RF_PROC_CPU, name, size);
    if (n > 0)
        rf_describe_process_number(RF_PROC_N_CPUS, n);
}

void rf_describe_process(void)
{
    uint64_t pid_ns = rf_inode_of("/proc/self/ns/pid");
    rf_describe_process_number(RF_PROC_PID, rf_sys_getpid());
    describe_stat();
    rf_describe_process_number(RF_PROC_PID_NS, pid_ns);
    rf_pool_header()->pid_ns = pid_ns;
    if (rf_recorder.parent != UINT32_MAX)
        rf_describe_process_number(RF_PROC_FORK_OF, rf_recorder.parent);
    describe_link(RF_PROC_EXE, "/proc/self/exe", true);
    describe_arguments();
    describe_link(RF_PROC_CWD, "/proc/self/cwd", false);
    describe_environment();
    describe_cpu();
}
