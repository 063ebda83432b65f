/* SPDX-License-Identifier: Apache-2.0 */
/* What attaching takes of the program's stack: prints the bytes that loading the library took,
 * those that its entry point took, and those of a thread's first event. stack standby: in standby,
 * and a session's begin in place of the first event. stack child: the same in a forked child. */
#include <nvtx3/nvToolsExt.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK_SIZE = 256 << 10, PAINT = 0xa5 };

static unsigned char stack[STACK_SIZE] __attribute__((aligned(64)));
static ucontext_t here, there;
static const char *folder = "session";

static NvtxInitializeInjectionNvtxFunc_t entry;
static NvtxGetExportTableFunc_t table;
static int (*begin)(const char *);
static const char *path;
static int is_done;

/* How deep `run` goes, on a stack of its own that is painted before. */
static size_t measure(void (*run)(void))
{
    memset(stack, PAINT, sizeof stack);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, run, 0);
    is_done = 0;
    swapcontext(&here, &there);
    if (!is_done)
        exit(3);
    size_t untouched = 0;
    while (untouched < sizeof stack && stack[untouched] == PAINT)
        untouched++;
    return sizeof stack - untouched;
}

static void do_nothing(void)
{
    is_done = 1;
}

static void load(void)
{
    void *library = dlopen(path, RTLD_LAZY);
    void *symbol = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
    void *standby = library ? dlsym(library, "rangefinder_standby_begin") : NULL;
    memcpy(&entry, &symbol, sizeof symbol);
    memcpy(&begin, &standby, sizeof standby);
    is_done = entry && begin;
}

static void attach(void)
{
    is_done = entry(table);
}

static void annotate(void)
{
    nvtxRangePushA("on a small stack");
    nvtxRangePop();
    is_done = 1;
}

static void begin_session(void)
{
    is_done = begin(folder) == 0;
}

/* Takes the place of the library, for the program's copy of NVTX. */
static int take_table(NvtxGetExportTableFunc_t get_table)
{
    table = get_table;
    return 1;
}

static void begin_in_standby(const char *in)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("RANGEFINDER_STANDBY", pid, 1);
    if (mkdir(in, 0700) != 0)
        exit(3);
    folder = in;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    path = getenv("NVTX_INJECTION64_PATH");
    unsetenv("NVTX_INJECTION64_PATH");
    InitializeInjectionNvtx2_fnptr = take_table;
    nvtxMarkA("now the table is known");
    if (!path || !table)
        return 2;
    if (strcmp(mode, "standby") == 0 && argc > 2)
        begin_in_standby(argv[2]);
    size_t nothing = measure(do_nothing);
    printf("%zu\n", measure(load) - nothing);
    printf("%zu\n", measure(attach) - nothing);
    if (strcmp(mode, "child") == 0) {
        nvtxMarkA("parent");
        fflush(stdout);
        pid_t pid = fork();
        if (pid != 0)
            return waitpid(pid, NULL, 0) != pid;
    }
    printf("%zu\n", measure(strcmp(mode, "standby") == 0 ? begin_session : annotate) - nothing);
    return 0;
}
