/* SPDX-License-Identifier: Apache-2.0 */
/* A library to be injected that writes each thing that happens to it to the file $SPY: "PID WHAT",
 * one line each. $SPY_RETURNS: what its InitializeInjection() returns, 1 unless told. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static void write_line(const char *what)
{
    const char *path = getenv("SPY");
    char line[64];
    int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    int size = snprintf(line, sizeof(line), "%d %s\n", (int)getpid(), what);
    if (fd < 0 || write(fd, line, (size_t)size) != size)
        abort();
    close(fd);
}

__attribute__((constructor)) static void on_load(void)
{
    write_line("loaded");
}

__attribute__((destructor)) static void on_unload(void)
{
    write_line("unloaded");
}

#ifndef SPY_IS_BLIND
EXPORT int InitializeInjection(void);
int InitializeInjection(void)
{
    const char *value = getenv("SPY_RETURNS");
    void *program = dlopen(NULL, RTLD_NOW);
    bool is_global = dlsym(program, "InitializeInjection") != NULL;
    write_line(is_global ? "called, global" : "called, local");
    return value != NULL ? atoi(value) : 1;
}
#endif
