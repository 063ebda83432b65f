/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads, or a thread and a fork, at every n-th instruction of what is rare. A tracer steps
 * one thread K instructions far into it and holds it there; another thread comes to the same place,
 * or forks a child that does; then both go on. The same again in a new process, with K + stride,
 * until the first thread was through before it was held. Each marks its name and K.
 *
 * duel WHAT WHO FIRST STRIDE [FOLDER]
 * WHAT: attach   another copy of NVTX attaches the recorder
 *       child    the first event of a forked child
 *       birth    the first event of a thread
 *       death    the end of a thread
 *       session  a recorder in standby ends a session and begins one, in FOLDER
 * WHO:  thread, fork
 * HOW:  instructions, calls
 * FIRST is the first K. Prints how many rounds there were. */
#include <nvtx3/nvToolsExt.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define BREAKPOINT() __asm__ volatile("int3")
#else
#define BREAKPOINT() ((void)0)
#endif

enum { HANG_S = 100, CANNOT_TRACE = 77 };

enum rival_state { RIVAL_WAITS, RIVAL_ACTS, RIVAL_IS_DONE };

/* What the tracer and the traced process share. */
struct arena {
    atomic_int rival;      /* enum rival_state */
    atomic_int rival_tid;  /* of the second thread */
    atomic_int is_through; /* the first thread has done what is stepped through */
};

struct duel {
    const char *name;
    void (*prepare)(void);           /* in the tracer, before all rounds */
    void (*set_up)(void);            /* in each process, on the first thread */
    void (*act)(void);               /* on the first thread */
    void (*rival_act)(const char *); /* on the second, or in its child: who it is */
    void (*finish)(void);            /* at the end of each process */
};

static struct arena *arena;
static const struct duel *duel;
static int is_fork;
static int how;             /* a request of ptrace */
static int start_signal[2]; /* a pipe: a byte lets the rival go */
static int step;            /* K */
static const char *folder;

static NvtxInitializeInjectionNvtxFunc_t entry;
static NvtxGetExportTableFunc_t table;
static int (*session_begin)(const char *);
static int (*session_end)(void);

static void die(const char *what)
{
    fprintf(stderr, "duel: step %d: %s: %s\n", step, what, strerror(errno));
    exit(1);
}

static void expect(int status, const char *what)
{
    errno = -status;
    if (status != 0)
        die(what);
}

/* From here on the thread is stepped. */
static void be_held(void)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        exit(CANNOT_TRACE);
    BREAKPOINT();
}

static void be_through(void)
{
    atomic_store(&arena->is_through, 1);
}

static void mark(const char *who)
{
    char text[32];
    snprintf(text, sizeof text, "%s %d", who, step);
    nvtxMarkA(text);
}

static void mark_held(void)
{
    char text[32];
    snprintf(text, sizeof text, "first %d", step);
    be_held();
    nvtxMarkA(text);
    be_through();
}

static void do_nothing(void)
{
}

static void mark_before(void)
{
    nvtxMarkA("before");
}

/* ---- Attaching ---- */

static void find_library(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    if (!library)
        die("no library");
    *(void **)&entry = dlsym(library, "InitializeInjectionNvtx2");
    *(void **)&session_begin = dlsym(library, "rangefinder_standby_begin");
    *(void **)&session_end = dlsym(library, "rangefinder_standby_end");
}

/* Takes the place of the library, for the program's copy of NVTX. */
static int take_table(NvtxGetExportTableFunc_t get_table)
{
    table = get_table;
    return 1;
}

static void catch_table(void)
{
    find_library();
    unsetenv("NVTX_INJECTION64_PATH");
    InitializeInjectionNvtx2_fnptr = take_table;
    nvtxMarkA("goes nowhere: now the table is known");
}

static void attach_held(void)
{
    be_held();
    int is_attached = entry(table);
    be_through();
    if (!is_attached)
        die("not attached");
    mark("first");
}

static void attach_and_mark(const char *who)
{
    if (!entry(table))
        die("not attached");
    mark(who);
}

/* ---- Threads ---- */

static pthread_key_t keys[2]; /* whose destructors come before the recorder's, and after */

static void run_thread(void *(*run)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        die("pthread_create");
    pthread_join(thread, NULL);
}

static void *be_born(void *unused)
{
    mark_held();
    return unused;
}

static void bear_held(void)
{
    run_thread(be_born);
}

static void begin_to_die(void *unused)
{
    (void)unused;
    be_held();
}

static void end_to_die(void *unused)
{
    (void)unused;
    be_through();
}

static void make_keys(void)
{
    pthread_key_create(&keys[0], begin_to_die);
    mark_before();
    pthread_key_create(&keys[1], end_to_die);
}

static void *die_soon(void *unused)
{
    mark("first");
    pthread_setspecific(keys[0], keys);
    pthread_setspecific(keys[1], keys);
    return unused;
}

static void bury_held(void)
{
    run_thread(die_soon);
}

/* ---- Sessions ---- */

/* Returns the path of the session's directory, which is made. */
static const char *make_directory(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%d-%s", folder, step, name);
    if (mkdir(path, 0700) != 0)
        die(path);
    return path;
}

static void begin_first(void)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("RANGEFINDER_STANDBY", pid, 1);
    nvtxMarkA("before");
    expect(session_begin(make_directory("a")), "begin");
    mark("first");
}

static void change_session_held(void)
{
    const char *directory = make_directory("b");
    be_held();
    int ended = session_end();
    int begun = session_begin(directory);
    be_through();
    expect(ended, "end");
    expect(begun, "begin");
}

static void name_and_mark(const char *who)
{
    char text[32];
    snprintf(text, sizeof text, "string %d", step);
    (void)nvtxDomainRegisterStringA(nvtxDomainCreateA("domain"), text);
    mark(who);
}

/* A child of a session that is being changed has one of its own, unless its parent's is on. */
static void name_and_have_session(const char *who)
{
    int begun = -1;
    if (is_fork) {
        mark("in between");
        begun = session_begin(make_directory(who));
        if (begun != -EBUSY)
            expect(begun, "begin in a child");
    }
    name_and_mark(who);
    if (begun == 0)
        expect(session_end(), "end in a child");
}

static void end_last(void)
{
    mark("last");
    expect(session_end(), "last end");
}

/* ---- A round: the process that is stepped ---- */

static void act_in_child(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(HANG_S);
    duel->rival_act("fork");
    exit(0);
}

static void fork_rival(void)
{
    int status = 1;
    pid_t pid = fork();
    if (pid == 0)
        act_in_child();
    if (waitpid(pid, &status, 0) == pid && status == 0)
        return;
    fprintf(stderr, "duel: step %d: the status of the forked child is %d\n", step, status);
    exit(1);
}

static void *be_rival(void *unused)
{
    char byte;
    atomic_store(&arena->rival_tid, (int)syscall(SYS_gettid));
    if (read(start_signal[0], &byte, 1) != 1)
        die("read");
    atomic_store(&arena->rival, RIVAL_ACTS);
    if (is_fork)
        fork_rival();
    else
        duel->rival_act("thread");
    atomic_store(&arena->rival, RIVAL_IS_DONE);
    return unused;
}

static int run_round(void)
{
    pthread_t rival;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    duel->set_up();
    if (pthread_create(&rival, NULL, be_rival, NULL) != 0)
        die("pthread_create");
    while (atomic_load(&arena->rival_tid) == 0)
        usleep(50);
    duel->act();
    pthread_join(rival, NULL);
    duel->finish();
    return 0;
}

/* ---- The tracer ---- */

static int is_rival_asleep(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, atomic_load(&arena->rival_tid));
    FILE *file = fopen(path, "r");
    if (!file)
        return 1;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[2] == 'S';
}

/* Until the rival is done, or waits for the thread that is held. */
static void wait_for_rival(pid_t pid)
{
    for (int n_asleep = 0; n_asleep < 4 && atomic_load(&arena->rival) != RIVAL_IS_DONE;) {
        /* a rival that forks waits for its child, which waits for nobody */
        int is_waiting =
            !is_fork && atomic_load(&arena->rival) == RIVAL_ACTS && is_rival_asleep(pid);
        n_asleep = is_waiting ? n_asleep + 1 : 0;
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0)
            return; /* it died */
        usleep(50);
    }
}

/* Waits for a stop of any thread. Returns it, or 0 at the end of the process. */
static pid_t wait_for_stop(pid_t pid, int *status)
{
    for (;;) {
        pid_t tid = waitpid(-1, status, __WALL);
        if (tid > 0 && WIFSTOPPED(*status))
            return tid;
        if (tid == pid || (tid < 0 && errno != EINTR))
            return 0;
    }
}

/* Returns the exit status of the round. *is_last: the thread was through before it was held. */
static int trace(pid_t pid, int *is_last)
{
    int status = 0;
    pid_t tid = wait_for_stop(pid, &status);
    for (int i = 0; i < step && tid != 0 && !atomic_load(&arena->is_through); i++) {
        if (WSTOPSIG(status) != SIGTRAP)
            break; /* a crash */
        ptrace(how, tid, NULL, NULL);
        tid = wait_for_stop(pid, &status);
    }
    if (tid == 0)
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    int number = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    *is_last = atomic_load(&arena->is_through);
    if (write(start_signal[1], "", 1) != 1)
        die("write");
    wait_for_rival(pid);
    ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)number);
    if (waitpid(pid, &status, 0) != pid)
        die("waitpid");
    if (WIFSIGNALED(status))
        fprintf(stderr, "duel: step %d: signal %d\n", step, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int run_rounds(int stride)
{
    int n = 0;
    int status = 0;
    int is_last = 0;
    duel->prepare();
    while (status == 0 && !is_last) {
        memset(arena, 0, sizeof *arena);
        pid_t pid = fork();
        if (pid == 0)
            exit(run_round());
        status = pid > 0 ? trace(pid, &is_last) : 1;
        step += stride;
        n++;
    }
    printf("%d\n", n);
    return status;
}

int main(int argc, char **argv)
{
    static const struct duel duels[] = {
        {"attach", catch_table, do_nothing, attach_held, attach_and_mark, do_nothing},
        {"child", mark_before, do_nothing, mark_held, mark, do_nothing},
        {"birth", mark_before, mark_before, bear_held, mark, do_nothing},
        {"death", make_keys, mark_before, bury_held, mark, do_nothing},
        {"session", find_library, begin_first, change_session_held, name_and_have_session,
         end_last},
    };
#if !defined(__x86_64__)
    return CANNOT_TRACE; /* the breakpoint */
#endif
    if (argc < 6)
        return 2;
    for (size_t i = 0; i < sizeof duels / sizeof duels[0]; i++)
        if (strcmp(duels[i].name, argv[1]) == 0)
            duel = &duels[i];
    is_fork = strcmp(argv[2], "fork") == 0;
    how = strcmp(argv[3], "calls") == 0 ? PTRACE_SYSCALL : PTRACE_SINGLESTEP;
    step = atoi(argv[4]);
    folder = argc > 6 ? argv[6] : ".";
    arena = mmap(NULL, sizeof *arena, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!duel || arena == MAP_FAILED || pipe(start_signal) != 0)
        return 2;
    return run_rounds(atoi(argv[5]));
}
