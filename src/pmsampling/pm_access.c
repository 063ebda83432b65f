/* SPDX-License-Identifier: Apache-2.0 */
#include "pmsampling/pm_access.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmsampling/pm_error.h"

#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT   38

/* ---- Privileges ---- */

/* What stands behind "NAME:" in a file of lines; false where there is no such line. */
static bool read_field(const char *proc, const char *file, const char *name, char *out, size_t size)
{
    char path[256], line[512];
    bool is_found = false;
    size_t n = strlen(name);
    (void)snprintf(path, sizeof(path), "%s/%s", proc, file);
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return false;
    while (!is_found && fgets(line, sizeof(line), f) != NULL) {
        is_found = strncmp(line, name, n) == 0 && line[n] == ':';
        if (is_found)
            (void)snprintf(out, size, "%s", line + n + 1);
    }
    (void)fclose(f);
    return is_found;
}

int pm_access_is_restricted(const char *proc)
{
    char value[64];
    if (!read_field(proc, "driver/nvidia/params", "RmProfilingAdminOnly", value, sizeof(value)))
        return -1;
    return strtoul(value, NULL, 0) != 0;
}

bool pm_access_has_capability(const char *proc)
{
    char value[64];
    if (!read_field(proc, "self/status", "CapEff", value, sizeof(value)))
        return true; /* not known: CUPTI will say */
    uint64_t bits = strtoull(value, NULL, 16);
    return (bits >> CAP_SYS_ADMIN_BIT & 1) != 0 || (bits >> CAP_PERFMON_BIT & 1) != 0;
}

#define WAYS                                                                                       \
    "may not read the GPU's counters; one of these helps: run it as root (sudo); give it "         \
    "CAP_SYS_ADMIN (a container: --cap-add=SYS_ADMIN); or have the administrator allow everyone, " \
    "with 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' in a file of /etc/modprobe.d, "   \
    "and a reboot or a reload of the driver"

int pm_access_check(const char *proc, struct rf_pm_error *err)
{
    if (pm_access_is_restricted(proc) != 1 || pm_access_has_capability(proc))
        return RF_PM_OK;
    return pm_fail(err, RF_PM_ERR_PRIVILEGES,
                   "this process " WAYS " (/proc/driver/nvidia/params: RmProfilingAdminOnly: 1)");
}

int pm_access_fail(int code, const char *function, struct rf_pm_error *err)
{
    if (code == PM_VIRTUALIZED_INSUFFICIENT_PRIVILEGES)
        return pm_fail_cupti(err, RF_PM_ERR_PRIVILEGES, code, function,
                             "this virtual machine " WAYS
                             "; and the host must allow it (vGPU: the plugin parameter "
                             "enable_profiling=1)");
    return pm_fail_cupti(err, RF_PM_ERR_PRIVILEGES, code, function, "this process " WAYS);
}

/* ---- What cannot be sampled ---- */

static const char *reason_of(const struct pm_device_supported *p)
{
    if (p->architecture == PM_UNSUPPORTED)
        return "it is too old: Turing and later can be sampled";
    if (p->vgpu == PM_DISABLED)
        return "it is a vGPU whose host does not allow profiling: the plugin parameter "
               "enable_profiling=1 does";
    if (p->vgpu == PM_UNSUPPORTED)
        return "it is a vGPU of a kind that cannot be sampled";
    if (p->confidential == PM_UNSUPPORTED || p->confidential == PM_DISABLED)
        return "it runs in confidential computing mode, which hides its counters";
    if (p->sli == PM_UNSUPPORTED)
        return "it is part of an SLI group";
    if (p->cmp == PM_UNSUPPORTED)
        return "it is a mining processor (CMP)";
    if (p->wsl == PM_UNSUPPORTED)
        return "this Windows Subsystem for Linux does not give access to counters";
    return "its configuration has no PM sampling (MIG, MPS and virtualization have not)";
}

int pm_access_device(const struct pm_library *library, int device, size_t index,
                     struct rf_pm_error *err)
{
    struct pm_device_supported params = {
        .struct_size = PM_DEVICE_SUPPORTED_SIZE, .cu_device = device, .api = PM_API_PM_SAMPLING};
    if (library->call.cuptiProfilerDeviceSupported == NULL ||
        library->call.cuptiProfilerDeviceSupported(&params) != PM_SUCCESS ||
        (params.is_supported != PM_UNSUPPORTED && params.is_supported != PM_DISABLED))
        return RF_PM_OK; /* yes, or it does not say */
    return pm_fail_cupti(err, RF_PM_ERR_REFUSED, PM_NOT_SUPPORTED, "cuptiProfilerDeviceSupported",
                         "GPU %zu cannot be sampled: %s", index, reason_of(&params));
}

/* ---- Who has the counters ---- */

/* Programs that hold counters for long, as /proc/PID/comm has them. */
static bool is_holder(const char *name)
{
    static const char *const names[] = {"nv-hostengine", "dcgm-exporter", "dcgmi",
                                        "nsys",          "nsys-launcher", "ncu"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Whether a process has a library mapped: 1, 0, or -1 where this may not be seen. */
static int has_library(const char *proc, const char *pid, const char *library)
{
    char path[512], line[4352];
    bool is_found = false;
    (void)snprintf(path, sizeof(path), "%s/%s/maps", proc, pid);
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return -1;
    while (!is_found && fgets(line, sizeof(line), f) != NULL)
        is_found = strstr(line, library) != NULL;
    (void)fclose(f);
    return is_found;
}

/* Most of what this program does leaves the GPU alone: then it has no libcupti. libnvperf_target is
 * what counters are read through. */
static bool may_hold(const char *proc, const char *pid, const char *name)
{
    if (strcmp(name, "rangefinder") == 0)
        return has_library(proc, pid, "libcupti") != 0;
    return is_holder(name) || has_library(proc, pid, "libnvperf_target") == 1;
}

static bool read_name(const char *proc, const char *pid, char *name, size_t size)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s/comm", proc, pid);
    FILE *f = fopen(path, "re");
    bool is_read = f != NULL && fgets(name, (int)size, f) != NULL;
    if (f != NULL)
        (void)fclose(f);
    if (is_read)
        name[strcspn(name, "\n")] = '\0';
    return is_read;
}

void pm_access_holders(const char *proc, char *text, size_t size)
{
    char name[64];
    size_t n = 0;
    text[0] = '\0';
    DIR *dir = opendir(proc);
    if (dir == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const char *pid = entry->d_name;
        if (pid[0] < '1' || pid[0] > '9' || strtol(pid, NULL, 10) == (long)getpid() ||
            !read_name(proc, pid, name, sizeof(name)) || !may_hold(proc, pid, name))
            continue;
        int added =
            snprintf(text + n, size - n, "%sprocess %s (%s)", n == 0 ? ": " : ", ", pid, name);
        if (added < 0 || n + (size_t)added >= size) {
            text[n] = '\0'; /* no half of a name */
            break;
        }
        n += (size_t)added;
    }
    (void)closedir(dir);
}
