/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses the driver as far as that goes without a GPU, and annotates.
 *
 *     app STEP...
 *
 * init: cuInit(), its result and errno; version: cuDriverGetVersion(); mark=TEXT, push=TEXT, pop:
 * NVTX; fork: a child does the rest, and this waits for it; exec: this program anew with the rest;
 * thread: a thread does the rest; exit=N: with that status. Each prints what it found. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvtx3/nvToolsExt.h>

static void *driver_symbol(const char *name)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, name) : NULL;
    if (symbol == NULL) {
        fprintf(stderr, "app: no %s: %s\n", name, dlerror());
        exit(70);
    }
    return symbol;
}

static void initialize(void)
{
    int (*init)(unsigned) = NULL;
    *(void **)&init = driver_symbol("cuInit");
    errno = 4711;
    int result = init(0);
    int error = errno;
    printf("cuInit %d errno %d\n", result, error);
}

static void print_version(void)
{
    int (*get_version)(int *) = NULL;
    int version = 0;
    *(void **)&get_version = driver_symbol("cuDriverGetVersion");
    int result = get_version(&version);
    printf("version %d %d\n", result, version);
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    printf("child %s %d\n", WIFEXITED(status) ? "exited" : "died",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(char **steps);

static void *run_in_thread(void *steps)
{
    return (void *)(intptr_t)run(steps);
}

static int run_by_thread(char **steps)
{
    pthread_t thread;
    void *result = NULL;
    if (pthread_create(&thread, NULL, run_in_thread, steps) != 0)
        return 71;
    pthread_join(thread, &result);
    return (int)(intptr_t)result;
}

static int run(char **steps)
{
    for (char *step; (step = *steps) != NULL; steps++) {
        fflush(stdout);
        if (strcmp(step, "init") == 0)
            initialize();
        else if (strcmp(step, "version") == 0)
            print_version();
        else if (strncmp(step, "mark=", 5) == 0)
            nvtxMarkA(step + 5);
        else if (strncmp(step, "push=", 5) == 0)
            nvtxRangePushA(step + 5);
        else if (strcmp(step, "pop") == 0)
            nvtxRangePop();
        else if (strncmp(step, "exit=", 5) == 0)
            exit(atoi(step + 5));
        else if (strcmp(step, "thread") == 0)
            return run_by_thread(steps + 1);
        else if (strcmp(step, "exec") == 0) {
            *steps = (char *)(void *)"app";
            execv("/proc/self/exe", steps);
            return 72;
        } else if (strcmp(step, "fork") == 0) {
            pid_t child = fork();
            if (child != 0)
                return child > 0 ? wait_for(child) : 73;
        } else {
            fprintf(stderr, "app: no step '%s'\n", step);
            return 64;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    (void)argc;
    return run(argv + 1);
}
