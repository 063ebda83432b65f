/* SPDX-License-Identifier: Apache-2.0 */
#include "app_system.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- Signals ---- */

/* All that others send; not the C library's two, nor what a thread itself is to blame for. */
static int blocks_all(const char *text)
{
    static const int others[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE,
                                 SIGILL,  SIGTRAP, SIGSYS,  32,     33};
    unsigned long long mask = strtoull(text, NULL, 16);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        mask |= 1ULL << (others[i] - 1);
    return mask == ~0ULL;
}

static void print_mask(const char *task)
{
    char path[300], line[256], name[64] = "?";
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "Name:\t", 6) == 0)
            snprintf(name, sizeof name, "%.*s", (int)strcspn(line + 6, "\n"), line + 6);
        if (strncmp(line, "SigBlk:\t", 8) == 0 && !blocks_all(line + 8))
            printf("%s takes signals\n", name);
    }
    if (file)
        fclose(file);
}

void app_print_masks(const char *unused)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    (void)unused;
    while (tasks && (task = readdir(tasks)))
        if (task->d_name[0] != '.' && atoll(task->d_name) != getpid())
            print_mask(task->d_name);
    if (tasks)
        closedir(tasks);
}

static void on_term(int number)
{
    (void)number;
    exit(3);
}

void app_handle_term(const char *unused)
{
    (void)unused;
    signal(SIGTERM, on_term);
}

/* ---- The driver, memory ---- */

void app_init_driver(const char *unused)
{
    uint32_t (*init)(uint32_t);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    (void)unused;
    *(void **)&init = driver ? dlsym(driver, "cuInit") : NULL;
    if (!init) {
        puts("no driver");
        return;
    }
    errno = 77;
    uint32_t result = init(0);
    if (errno != 77)
        printf("errno: %d\n", errno);
    if (result)
        printf("cuInit: %u\n", result);
}

void app_limit_memory(const char *mib)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        abort();
    fclose(file);
    rlim_t bytes = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (strtoull(mib, NULL, 10) << 20);
    struct rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        abort();
}

/* ---- What libcupti was asked for ---- */

/* Behind the time, the process and the thread. */
static const char *call_of(const char *line)
{
    for (int i = 0; i < 3 && line; i++) {
        line = strchr(line, ' ');
        line = line ? line + 1 : NULL;
    }
    return line ? line : "";
}

static unsigned long count_calls(const char *begin)
{
    const char *path = getenv("RF_DOUBLE_CALLS");
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[700];
    unsigned long n = 0;
    while (file && fgets(line, sizeof line, file))
        n += strncmp(call_of(line), begin, strlen(begin)) == 0;
    if (file)
        fclose(file);
    return n;
}

void app_await_call(const char *value)
{
    char begin[64];
    const char *number = strchr(value, ':');
    unsigned long n = number ? strtoul(number + 1, NULL, 0) : 1;
    snprintf(begin, sizeof begin, "%.*s", (int)strcspn(value, ":"), value);
    for (char *c = begin; *c; c++)
        if (*c == '_')
            *c = ' ';
    while (count_calls(begin) < n)
        usleep(2000);
}
