/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor/doctor_checks.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/zstd_library.h"
#include "cli/command.h"
#include "cli/doctor/doctor_cuda.h"
#include "cli/doctor/doctor_finding.h"
#include "cli/doctor/doctor_python.h"
#include "cli/doctor/doctor_selftest.h"
#include "cli/install.h"
#include "cli/json_out.h"
#include "cli/profile/program.h"
#include "cli/say.h"
#include "session/recorder_version.h"
#include "session/session_dir.h"

#define SHM_WANTED ((uint64_t)256 << 20) /* the recorder uses /dev/shm where this much is free */

static void check_version(struct doctor_finding *finding)
{
    char self[PATH_MAX] = "?";
    struct rf_err err;
    (void)cli_install_self(self, sizeof(self), &err);
    doctor_report(finding, DOCTOR_OK, "rangefinder %s, %s", rf_version(), self);
}

static void check_library(struct doctor_finding *finding)
{
    char inject[PATH_MAX];
    struct rf_err err;
    if (cli_install_recorder(inject, sizeof(inject), &err) != RF_OK) {
        doctor_report(finding, DOCTOR_FAIL, "%s", err.text);
        return;
    }
    void *library = dlopen(inject, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        doctor_report(finding, DOCTOR_FAIL, "'%s' cannot be loaded: %s", inject, dlerror());
    else if (dlsym(library, "InitializeInjectionNvtx2") == NULL)
        doctor_report(finding, DOCTOR_FAIL, "'%s' is not the recorder: it has no entry point",
                      inject);
    else
        doctor_report(finding, DOCTOR_OK, "of rangefinder %s, %s", RF_PRODUCT_VERSION, inject);
    if (finding->level == DOCTOR_FAIL)
        doctor_advise(finding, "install rangefinder again, bin and lib of the same version");
}

static void check_clock(struct doctor_finding *finding)
{
    const char *reason;
    if (session_clock_kind(&reason) != RF_CLOCK_MONO) {
        doctor_report(finding, DOCTOR_OK, "the processor's counter (%s)", reason);
        return;
    }
    doctor_report(finding, DOCTOR_WARN, "CLOCK_MONOTONIC: %s", reason);
    doctor_advise(finding, "recording works; a range costs about 20 ns more");
}

static void check_kernel(struct doctor_finding *finding)
{
    struct utsname uts;
    int major = 0, minor = 0;
    if (uname(&uts) != 0 || sscanf(uts.release, "%d.%d", &major, &minor) != 2) {
        doctor_report(finding, DOCTOR_WARN, "the kernel's version cannot be read");
        return;
    }
    int version = major * 1000 + minor;
    if (version < 4014) {
        doctor_report(finding, DOCTOR_FAIL, "Linux %s has no MADV_WIPEONFORK (4.14)", uts.release);
        doctor_advise(finding, "a program that forks cannot be recorded safely here");
    } else if (version < 5014) {
        doctor_report(finding, DOCTOR_WARN, "Linux %s has no MADV_POPULATE_WRITE (5.14)",
                      uts.release);
        doctor_advise(finding, "recording works; a thread's first events are slower");
    } else {
        doctor_report(finding, DOCTOR_OK, "Linux %s", uts.release);
    }
}

/* Looks for pools of killed sessions that were not recovered: they take memory until the next boot.
 */
static unsigned count_stale_pools(void)
{
    unsigned n = 0;
    const struct dirent *entry;
    DIR *dir = opendir(SESSION_SHM_FOLDER);
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        n += strncmp(entry->d_name, SESSION_SHM_PREFIX, strlen(SESSION_SHM_PREFIX)) == 0;
    if (dir != NULL)
        (void)closedir(dir);
    return n;
}

/* Where recordings go unless -o says otherwise. */
static void check_folder(struct doctor_finding *finding)
{
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof(folder)) != NULL && access(".", W_OK | X_OK) == 0) {
        doctor_report(finding, DOCTOR_OK, "recordings are written into '%s'", folder);
        return;
    }
    int reason = errno;
    doctor_report(finding, DOCTOR_WARN, "recordings cannot be written here: %s", strerror(reason));
    doctor_advise(finding, "go to a directory of yours, or name one: rangefinder profile -o "
                           "DIRECTORY/NAME ...");
}

static void check_shm(struct doctor_finding *finding)
{
    struct statvfs fs;
    char size[32];
    if (statvfs(SESSION_SHM_FOLDER, &fs) != 0 || access(SESSION_SHM_FOLDER, W_OK) != 0) {
        doctor_report(finding, DOCTOR_WARN, "/dev/shm cannot be used: %s", strerror(errno));
        doctor_advise(finding, "buffers then stand beside the output: slower on a slow disk");
        return;
    }
    uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;
    unsigned n_stale = count_stale_pools();
    (void)rf_format_size(size, sizeof(size), room);
    if (room < SHM_WANTED) {
        doctor_report(finding, DOCTOR_WARN, "/dev/shm has %s free, less than 256 MiB", size);
        doctor_advise(finding, "buffers then stand beside the output; in a container: --shm-size");
    } else if (n_stale > 0) {
        doctor_report(finding, DOCTOR_OK, "/dev/shm has %s free; %u buffers of sessions are there",
                      size, n_stale);
        doctor_advise(finding, "where none is running: rangefinder recover, or rm "
                               "/dev/shm/rangefinder-*");
    } else {
        doctor_report(finding, DOCTOR_OK, "/dev/shm has %s free", size);
    }
}

/* A tool of the variable that is not this recorder: another one of ours, or somebody else's. */
static void report_other_tool(struct doctor_finding *finding, const char *path)
{
    char version[32] = "";
    struct rf_err err;
    if (rf_recorder_version(path, version, sizeof(version), &err) == RF_OK && version[0] != '\0') {
        doctor_report(finding, DOCTOR_FAIL,
                      "NVTX_INJECTION64_PATH='%s' is the recorder of rangefinder %s in another "
                      "place; this is rangefinder %s",
                      path, version, RF_PRODUCT_VERSION);
        doctor_advise(finding, "use one installation: unset NVTX_INJECTION64_PATH, or use the "
                               "rangefinder beside that recorder");
    } else {
        doctor_report(finding, DOCTOR_FAIL, "NVTX_INJECTION64_PATH='%s' is another tool", path);
        doctor_advise(finding, "unset NVTX_INJECTION64_PATH before rangefinder profile");
    }
}

/* Which tool would receive the NVTX calls of a program that is started here. */
static void check_environment(struct doctor_finding *finding)
{
    char inject[PATH_MAX], resolved[PATH_MAX];
    struct rf_err err;
    const char *variable = getenv("NVTX_INJECTION64_PATH");
    if (variable == NULL || variable[0] == '\0') {
        doctor_report(finding, DOCTOR_OK, "NVTX_INJECTION64_PATH is not set");
        return;
    }
    if (realpath(variable, resolved) == NULL) {
        doctor_report(finding, DOCTOR_FAIL, "NVTX_INJECTION64_PATH='%s': %s", variable,
                      strerror(errno));
        doctor_advise(finding, "programs here load no tool at all; in a container the path must be "
                               "mounted at the same place; or unset the variable");
    } else if (cli_install_library(CLI_INJECT_NAME, inject, sizeof(inject), &err) == RF_OK &&
               strcmp(inject, resolved) == 0) {
        doctor_report(finding, DOCTOR_OK, "NVTX_INJECTION64_PATH names this recorder");
        doctor_advise(finding, "every program started here records into ./rangefinder-PID.rfdir");
    } else {
        report_other_tool(finding, variable);
    }
}

static void check_session(struct doctor_finding *finding)
{
    const char *variable = getenv("RANGEFINDER_SESSION");
    struct stat st;
    if (variable == NULL || variable[0] == '\0') {
        doctor_report(finding, DOCTOR_OK, "no session is going on in this environment");
    } else if (stat(variable, &st) != 0) {
        doctor_report(finding, DOCTOR_FAIL, "RANGEFINDER_SESSION='%s': %s", variable,
                      strerror(errno));
        doctor_advise(finding, "programs here record nothing; unset it, or in a container mount "
                               "that directory at the same place");
    } else {
        doctor_report(finding, DOCTOR_OK, "this environment is being recorded into '%s'", variable);
    }
}

static bool is_container(void)
{
    return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 ||
           getenv("container") != NULL || getenv("KUBERNETES_SERVICE_HOST") != NULL;
}

static void check_container(struct doctor_finding *finding)
{
    if (!is_container()) {
        doctor_report(finding, DOCTOR_OK, "this is not a container, as far as can be seen");
        doctor_advise(finding, "to record a program inside one, start rangefinder inside it, with "
                               "its folder mounted: docker run -v PREFIX:PREFIX ...");
        return;
    }
    doctor_report(finding, DOCTOR_OK, "inside a container");
    doctor_advise(finding, "programs that run in this one are recorded; those that it starts in "
                           "others are not");
}

static void check_nsys(struct doctor_finding *finding)
{
    char path[PATH_MAX];
    struct program_env empty = {.n = 0};
    struct rf_err err;
    if (program_find("nsys", &empty, path, sizeof(path), &err) != 0)
        doctor_report(finding, DOCTOR_OK, "not installed, and not needed");
    else
        doctor_report(finding, DOCTOR_OK,
                      "%s: 'nsys stats X.sqlite' reads what 'rangefinder export' "
                      "writes",
                      path);
}

static void check_compression(struct doctor_finding *finding)
{
    struct rf_zstd zstd = {.handle = NULL};
    if (rf_zstd_load(&zstd)) {
        doctor_report(finding, DOCTOR_OK, "libzstd %s", zstd.version());
        rf_zstd_unload(&zstd);
        return;
    }
    doctor_report(finding, DOCTOR_WARN, RF_ZSTD_MISSING);
    doctor_advise(finding, "recording works; compressed recordings cannot be made or read");
}

static const struct {
    const char *name;
    void (*run)(struct doctor_finding *finding);
} checks[] = {
    {"rangefinder", check_version},
    {"recorder", check_library},
    {"kernel", check_kernel},
    {"clock", check_clock},
    {"folder", check_folder},
    {"shared memory", check_shm},
    {"compression", check_compression},
    {"injection", check_environment},
    {"session", check_session},
    {"container", check_container},
    {"cuda", doctor_check_cuda},
    {"cupti", doctor_check_cupti},
    {"cuda injection", doctor_check_cuda_injection},
    {"gpu counters", doctor_check_gpu_counters},
    {"nsys", check_nsys},
    {"python", doctor_check_python},
    {"self-test", doctor_check_recording},
};

static void print_text(const char *name, const struct doctor_finding *finding)
{
    static const char *const words[] = {"ok", "warn", "FAIL"};
    printf("%-4s  %-14s %s\n", words[finding->level], name, finding->text);
    if (finding->help[0] != '\0')
        printf("%20s -> %s\n", "", finding->help);
}

static void add_json(struct json_out *json, const char *name, const struct doctor_finding *finding)
{
    static const char *const words[] = {"ok", "warn", "fail"};
    json_open_element(json, '{');
    json_text(json, "name", name);
    json_text(json, "level", words[finding->level]);
    json_text(json, "finding", finding->text);
    json_text(json, "advice", finding->help[0] != '\0' ? finding->help : NULL);
    json_close(json, '}');
}

/* json: NULL for lines of text. n_of: counted by level. */
static void run_all(struct json_out *json, unsigned n_of[3])
{
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        struct doctor_finding finding;
        memset(&finding, 0, sizeof(finding));
        checks[i].run(&finding);
        if (finding.text[0] == '\0')
            continue;
        n_of[finding.level]++;
        if (json != NULL)
            add_json(json, checks[i].name, &finding);
        else
            print_text(checks[i].name, &finding);
    }
}

static int run_as_json(unsigned n_of[3])
{
    struct json_out json;
    if (json_start(&json, "doctor") != CLI_OK)
        return CLI_FAILED;
    json_open_member(&json, "checks", '[');
    run_all(&json, n_of);
    json_close(&json, ']');
    json_u64(&json, "n_failed", n_of[DOCTOR_FAIL]);
    json_u64(&json, "n_warnings", n_of[DOCTOR_WARN]);
    return json_finish(&json);
}

int doctor_run_checks(bool is_json)
{
    unsigned n_of[3] = {0};
    int status = CLI_OK;
    if (is_json)
        status = run_as_json(n_of);
    else
        run_all(NULL, n_of);
    return n_of[DOCTOR_FAIL] == 0 ? status : CLI_FAILED;
}
