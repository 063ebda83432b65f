/* SPDX-License-Identifier: Apache-2.0 */
/* Whether CUDA can be recorded on this machine. Without any part of NVIDIA's it is one line. */
#include "cli/doctor/doctor_cuda.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor/cuda_machine.h"
#include "cli/doctor/doctor_finding.h"
#include "cli/install.h"
#include "cli/profile/injection.h"

#define VARIABLE "CUDA_INJECTION64_PATH"

/* The driver reads the path of the library to load here first. */
#define SHARED_PATH "/dev/shm/cuda_injection_path_shm"

/* "pip install --upgrade nvidia-cuda-cupti-cu12": the package of a major version of CUDA, 0: of
 * any. Since 13 it has no number in its name. */
static const char *pip_install(int major)
{
    static char text[64];
    int n = snprintf(text, sizeof(text), "pip install --upgrade nvidia-cuda-cupti");
    if (major > 0 && major < 13)
        (void)snprintf(text + n, sizeof(text) - (size_t)n, "-cu%d", major);
    return text;
}

/* Examined once, by the first check. */
static const struct cuda_machine *probe(void)
{
    static struct cuda_machine machine;
    static bool is_known;
    if (!is_known)
        (void)cuda_machine_probe(&machine);
    is_known = true;
    return &machine;
}

static bool has_any_part(const struct cuda_machine *machine)
{
    char version[64];
    unsigned n_open;
    cuda_machine_kernel_driver(version, sizeof(version));
    return machine->has_driver || machine->is_driver_broken || version[0] != '\0' ||
           cuda_machine_count_nodes(&n_open) > 0;
}

/* ---- The driver ---- */

static void find_driver(struct doctor_finding *finding, const struct cuda_machine *machine,
                        const char *kernel)
{
    unsigned n_open, n = cuda_machine_count_nodes(&n_open);
    char what[PATH_MAX + 256], version[64] = "";
    if (machine->driver > 0)
        (void)snprintf(version, sizeof(version), ", CUDA %d.%d", machine->driver / 1000,
                       machine->driver % 1000 / 10);
    (void)snprintf(what, sizeof(what), "%s%s%s%s", machine->driver_path, version,
                   kernel[0] != '\0' ? ", driver " : "", kernel);
    if (n == 0) {
        doctor_report(finding, DOCTOR_WARN, "%s; no GPU can be seen (/dev/nvidia0)", what);
        doctor_advise(finding, "programs find no GPU here; in a container: docker run --gpus all");
    } else if (n_open == 0) {
        doctor_report(finding, DOCTOR_WARN, "%s; this user may not open /dev/nvidia*", what);
        doctor_advise(finding, "ls -l /dev/nvidia*; programs of this user find no GPU");
    } else {
        doctor_report(finding, DOCTOR_OK, "%s, %u GPU%s", what, n_open, n_open == 1 ? "" : "s");
    }
}

void doctor_check_cuda(struct doctor_finding *finding)
{
    const struct cuda_machine *machine = probe();
    char kernel[64];
    cuda_machine_kernel_driver(kernel, sizeof(kernel));
    if (!has_any_part(machine)) {
        doctor_report(finding, DOCTOR_OK, "no NVIDIA driver: CUDA is not recorded");
    } else if (machine->has_driver) {
        find_driver(finding, machine, kernel);
    } else {
        doctor_report(finding, DOCTOR_WARN, "no libcuda.so.1 can be loaded: %s%s%s",
                      machine->driver_error, kernel[0] != '\0' ? "; the kernel has driver " : "",
                      kernel);
        doctor_advise(finding, "install the driver's libraries of the kernel's version (Debian: "
                               "libcuda1); in a container: "
                               "NVIDIA_DRIVER_CAPABILITIES=compute,utility");
    }
}

/* ---- The library that records ---- */

static void find_cupti(struct doctor_finding *finding, const struct cuda_machine *machine)
{
    const struct rf_cupti_library *cupti = &machine->cupti;
    const char *before = cupti->tried[0] != '\0' ? "; tried: " : "";
    int major = machine->driver / 1000;
    bool is_newer = major > 0 && cupti->major > major;
    const char *fault = rf_cupti_known_fault(cupti->version);
    doctor_report(finding, is_newer || fault != NULL ? DOCTOR_WARN : DOCTOR_OK,
                  "%s, of CUDA %d.%d%s%s%s%s%s", cupti->path, cupti->major, cupti->minor,
                  is_newer && before[0] == '\0' ? ", newer than the driver" : "",
                  fault != NULL ? ": " : "", fault != NULL ? fault : "", before, cupti->tried);
    if (is_newer || fault != NULL)
        doctor_advise(finding, "%s, or name another one: RANGEFINDER_CUPTI=/path/libcupti.so",
                      pip_install(is_newer ? major : cupti->major));
}

static void miss_cupti(struct doctor_finding *finding, const struct cuda_machine *machine)
{
    const char *named = getenv("RANGEFINDER_CUPTI");
    int major = machine->driver / 1000;
    bool is_named = named != NULL && named[0] != '\0';
    const char *tried =
        machine->cupti.tried[0] != '\0' ? machine->cupti.tried : "no file was found";
    doctor_report(finding, is_named ? DOCTOR_FAIL : DOCTOR_WARN,
                  "no libcupti can be loaded, CUDA is not recorded: %s%s%s%s",
                  is_named ? "RANGEFINDER_CUPTI=" : "", is_named ? named : "", is_named ? ": " : "",
                  tried);
    if (is_named)
        doctor_advise(finding, "name a libcupti.so.* of this machine's architecture, or unset "
                               "RANGEFINDER_CUPTI");
    else
        doctor_advise(finding,
                      "%s, or install CUDA's toolkit, or "
                      "RANGEFINDER_CUPTI=/path/libcupti.so",
                      pip_install(major > 0 ? major : 12));
}

void doctor_check_cupti(struct doctor_finding *finding)
{
    const struct cuda_machine *machine = probe();
    if (!machine->has_driver)
        return;
    if (machine->has_cupti)
        find_cupti(finding, machine);
    else
        miss_cupti(finding, machine);
}

/* ---- Who else wants to ---- */

static bool has_shared_path(void)
{
    struct stat st;
    return stat(SHARED_PATH, &st) == 0 && st.st_uid == getuid() && st.st_size > 0;
}

void doctor_check_cuda_injection(struct doctor_finding *finding)
{
    char inject[PATH_MAX] = "";
    struct rf_err err;
    const char *variable = getenv(VARIABLE);
    (void)cli_install_library(CLI_INJECT_NAME, inject, sizeof(inject), &err);
    enum injection_owner owner = injection_owner(variable, inject);
    if (has_shared_path()) {
        doctor_report(finding, DOCTOR_WARN,
                      SHARED_PATH " is there: CUDA takes the library to load "
                                  "from it, not from " VARIABLE);
        doctor_advise(finding,
                      "CUDA is likely not recorded; where no tool uses it: rm " SHARED_PATH);
    } else if (owner == INJECTION_OFF) {
        doctor_report(finding, DOCTOR_WARN, VARIABLE "=none: CUDA is not recorded");
        doctor_advise(finding, "unset " VARIABLE);
    } else if (owner == INJECTION_OURS) {
        doctor_report(finding, DOCTOR_OK, VARIABLE " names this recorder");
    } else if (owner == INJECTION_OTHER) {
        doctor_report(finding, DOCTOR_WARN, VARIABLE "='%s' is another tool%s", variable,
                      access(variable, F_OK) != 0 ? ", and not there" : "");
        doctor_advise(finding,
                      "CUDA is not recorded; unset " VARIABLE " before rangefinder profile");
    } else if (has_any_part(probe())) {
        doctor_report(finding, DOCTOR_OK, VARIABLE " is not set");
    }
}

/* ---- Who may read counters ---- */

void doctor_check_gpu_counters(struct doctor_finding *finding)
{
    char line[256];
    int value;
    bool is_known = false;
    FILE *file = fopen("/proc/driver/nvidia/params", "re");
    if (file == NULL)
        return;
    while (!is_known && fgets(line, sizeof(line), file) != NULL)
        is_known = sscanf(line, "RmProfilingAdminOnly: %d", &value) == 1;
    (void)fclose(file);
    if (!is_known)
        return;
    if (value == 0) {
        doctor_report(finding, DOCTOR_OK, "every user may read them");
        return;
    }
    doctor_report(finding, DOCTOR_OK, "root alone may read them; recording CUDA needs none");
    doctor_advise(finding,
                  "for GPU metrics: the module option NVreg_RestrictProfilingToAdminUsers=0,"
                  " or CAP_SYS_ADMIN");
}
