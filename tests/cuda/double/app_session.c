/* SPDX-License-Identifier: Apache-2.0 */
#include "app_session.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int (*session_begin)(const char *directory);
static int (*session_end)(void);
static int (*session_cuda)(void);
static pthread_t thread;

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "app: %s %s\n", what, name);
    exit(2);
}

void app_stand_by(const char *value)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    char pid[16];
    (void)value;
    snprintf(pid, sizeof pid, "%d", getpid());
    setenv("RANGEFINDER_STANDBY", pid, 1);
    int (*start)(void) = NULL;
    if (library) {
        *(void **)&start = dlsym(library, "rangefinder_standby_start");
        *(void **)&session_begin = dlsym(library, "rangefinder_standby_begin");
        *(void **)&session_end = dlsym(library, "rangefinder_standby_end");
        *(void **)&session_cuda = dlsym(library, "rangefinder_standby_cuda");
    }
    if (!start || !session_begin || !session_end || !session_cuda || !start())
        fail("there is no recorder", path ? path : "");
}

void app_begin_session(const char *name)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    if (!getcwd(folder, sizeof folder))
        abort();
    snprintf(path, sizeof path, "%s/%s.rfdir", folder, name);
    if (mkdir(path, 0700) != 0 || session_begin(path) != 0 || session_cuda() != 0)
        fail("cannot begin the session", name);
}

void app_end_session(const char *value)
{
    (void)value;
    if (session_end() != 0)
        fail("cannot end", "the session");
}

static void *repeat(void *name)
{
    char *number = strchr(name, ':'), one[64];
    int n = number ? atoi(number + 1) : 1;
    if (number)
        *number = '\0';
    for (int i = 0; i < n; i++) {
        snprintf(one, sizeof one, "%.40s%d", (const char *)name, i);
        app_begin_session(one);
        usleep(3000);
        app_end_session(NULL);
    }
    free(name);
    return NULL;
}

void app_repeat_sessions(const char *name)
{
    if (pthread_create(&thread, NULL, repeat, strdup(name)) != 0)
        abort();
}

void app_join_sessions(const char *value)
{
    (void)value;
    pthread_join(thread, NULL);
}
