/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor/cuda_machine.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/profile/why_empty.h"

#define DRIVER    "libcuda.so.1"
#define MAX_S     20 /* libraries on a slow file system */
#define WSL_NODE  "/dev/dxg"
#define NODE_NAME "nvidia"

/* ---- In the child ---- */

static void probe_driver(struct cuda_machine *machine)
{
    int (*get_version)(int *) = NULL;
    Dl_info info;
    void *library = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *error = dlerror();
        (void)snprintf(machine->driver_error, sizeof(machine->driver_error), "%s",
                       error != NULL ? error : DRIVER);
        machine->is_driver_broken = strstr(machine->driver_error, strerror(ENOENT)) == NULL;
        return;
    }
    machine->has_driver = true;
    void *symbol = dlsym(library, "cuDriverGetVersion");
    memcpy(&get_version, &symbol, sizeof(get_version));
    if (symbol == NULL || get_version(&machine->driver) != 0)
        machine->driver = 0;
    if (symbol != NULL && dladdr(symbol, &info) != 0 && info.dli_fname != NULL)
        (void)snprintf(machine->driver_path, sizeof(machine->driver_path), "%s", info.dli_fname);
}

static void run_child(int fd)
{
    static struct cuda_machine machine;
    const struct rlimit no_core = {0, 0};
    int null = open("/dev/null", O_RDWR);
    (void)dup2(null, STDOUT_FILENO);
    (void)dup2(null, STDERR_FILENO);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)alarm(MAX_S);
    (void)unsetenv("CUDA_INJECTION64_PATH");
    (void)unsetenv("NVTX_INJECTION64_PATH");
    probe_driver(&machine);
    if (machine.has_driver)
        machine.has_cupti = rf_cupti_library_load(&machine.cupti, machine.driver, NULL) == 0;
    const char *at = (const char *)&machine;
    for (size_t left = sizeof(machine); left > 0;) {
        ssize_t n = write(fd, at, left);
        if (n <= 0)
            break;
        at += n;
        left -= (size_t)n;
    }
    _exit(0); /* without running the destructors of loaded libraries */
}

/* ---- In us ---- */

static size_t read_all(int fd, void *data, size_t size)
{
    size_t at = 0;
    while (at < size) {
        ssize_t n = read(fd, (char *)data + at, size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    return at;
}

int cuda_machine_probe(struct cuda_machine *machine)
{
    int fds[2], status = 0;
    memset(machine, 0, sizeof(*machine));
    (void)fflush(NULL);
    if (pipe2(fds, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0)
        run_child(fds[1]);
    (void)close(fds[1]);
    size_t n = pid > 0 ? read_all(fds[0], machine, sizeof(*machine)) : 0;
    (void)close(fds[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (n == sizeof(*machine))
        return 0;
    memset(machine, 0, sizeof(*machine));
    machine->is_driver_broken = true;
    (void)snprintf(machine->driver_error, sizeof(machine->driver_error),
                   WIFSIGNALED(status) ? "loading " DRIVER " ended with signal %d"
                                       : "loading " DRIVER " failed",
                   WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return -1;
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.261.03  Thu ..." */
void cuda_machine_kernel_driver(char *text, size_t size)
{
    char line[512] = "";
    FILE *file = fopen("/proc/driver/nvidia/version", "re");
    text[0] = '\0';
    if (file == NULL)
        return;
    (void)snprintf(text, size, "version unknown");
    if (fgets(line, sizeof(line), file) != NULL)
        for (const char *p = line; (p = strchr(p, ' ')) != NULL;) {
            p += strspn(p, " ");
            size_t length = strspn(p, "0123456789.");
            if (length > 3 && isdigit((unsigned char)*p) && memchr(p, '.', length) != NULL) {
                (void)snprintf(text, size, "%.*s", (int)length, p);
                break;
            }
        }
    (void)fclose(file);
}

/* /dev/nvidia0, /dev/nvidia1, ...; under WSL one node for all. */
unsigned cuda_machine_count_nodes(unsigned *n_open)
{
    unsigned n = 0;
    const struct dirent *entry;
    DIR *dir = opendir("/dev");
    *n_open = 0;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        const char *digits = entry->d_name + strlen(NODE_NAME);
        char path[sizeof(entry->d_name) + 8];
        if (strncmp(entry->d_name, NODE_NAME, strlen(NODE_NAME)) != 0 ||
            !isdigit((unsigned char)*digits) || digits[strspn(digits, "0123456789")] != '\0')
            continue;
        (void)snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
        n++;
        *n_open += access(path, R_OK | W_OK) == 0;
    }
    if (dir != NULL)
        (void)closedir(dir);
    if (access(WSL_NODE, F_OK) == 0) {
        n++;
        *n_open += access(WSL_NODE, R_OK | W_OK) == 0;
    }
    return n;
}

const char *cuda_machine_why_nothing(const char *path)
{
    static char text[1024];
    struct cuda_machine machine;
    const char *reason = cli_why_not_loaded(path);
    if (reason != NULL)
        return reason;
    (void)cuda_machine_probe(&machine);
    if (!machine.has_driver)
        (void)snprintf(text, sizeof(text), "there is no CUDA driver here (%s)",
                       machine.driver_error);
    else
        (void)snprintf(text, sizeof(text),
                       "no process initialised CUDA, or each that did had no "
                       "way to load the recorder");
    return text;
}
