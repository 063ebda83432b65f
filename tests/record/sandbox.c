/* SPDX-License-Identifier: Apache-2.0 */
/* A program that forbids itself system calls before its first annotation. */
#include "truth.h"

#include "modes.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define N_THREADS 3

struct call {
    const char *name;
    int number;
};

static const struct call calls[] = {
    {"madvise", SYS_madvise},
    {"prctl", SYS_prctl},
    {"ftruncate", SYS_ftruncate},
    {"fallocate", SYS_fallocate},
    {"lseek", SYS_lseek},
    {"fcntl", SYS_fcntl},
    {"flock", SYS_flock},
    {"fstatfs", SYS_fstatfs},
    {"statfs", SYS_statfs},
    {"readlinkat", SYS_readlinkat},
    {"symlinkat", SYS_symlinkat},
    {"socket", SYS_socket},
    {"getcwd", SYS_getcwd},
    {"pwrite64", SYS_pwrite64},
    {"unlinkat", SYS_unlinkat},
    {"prlimit64", SYS_prlimit64},
#ifdef SYS_readlink
    {"readlink", SYS_readlink},
    {"symlink", SYS_symlink},
    {"stat", SYS_stat},
#endif
    {"mmap-shared", SYS_mmap},
    /* for those that are allowed */
    {"openat", SYS_openat},
    {"read", SYS_read},
    {"pread64", SYS_pread64},
    {"fstat", SYS_fstat},
    {"newfstatat", SYS_newfstatat},
    {"mmap", SYS_mmap},
    {"mprotect", SYS_mprotect},
    {"munmap", SYS_munmap},
    {"close", SYS_close},
    {"getpid", SYS_getpid},
    {"gettid", SYS_gettid},
    {"futex", SYS_futex},
    {"nanosleep", SYS_nanosleep},
    {"rt_sigprocmask", SYS_rt_sigprocmask},
    {"clock_gettime", SYS_clock_gettime},
    {NULL, 0},
};

/* What this program and the C library need themselves. */
static const int own_calls[] = {
    SYS_clone,  SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_set_robust_list,
    SYS_exit,   SYS_exit_group,     SYS_brk,          SYS_getrandom,
    SYS_munmap, SYS_sched_yield,    SYS_futex,        SYS_mmap,
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
};

/* Adds a filter for one call, of mmap() only what maps shared. */
static void forbid(const struct call *call, uint32_t action)
{
    const int is_mmap = call->number == SYS_mmap;
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, is_mmap ? 3 : 1),
        BPF_STMT(is_mmap ? BPF_LD | BPF_W | BPF_ABS : BPF_RET | BPF_K,
                 is_mmap ? offsetof(struct seccomp_data, args[3]) : action),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    if (!is_mmap)
        program[3] = program[5]; /* what is allowed comes here */
    const struct sock_fprog filter = {sizeof(program) / sizeof(program[0]), program};
    /* by seccomp(), so that prctl() can be forbidden among others */
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
        abort();
}

/* names: separated by commas. */
static void forbid_all(char *names, uint32_t action)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        abort();
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        const struct call *call = calls;
        while (call->name && strcmp(call->name, name) != 0)
            call++;
        if (!call->name)
            _exit(99);
        forbid(call, action);
    }
}

/* Adds a filter that allows these calls only, and kills who makes another. */
static void allow_only(char *names)
{
    enum { MAX = 128 };
    struct sock_filter program[MAX];
    unsigned short n = 0;
    program[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof(own_calls) / sizeof(own_calls[0]); i++) {
        program[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)own_calls[i], 0, 1);
        program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        const struct call *call = calls;
        while (call->name && strcmp(call->name, name) != 0)
            call++;
        if (!call->name || n + 3 > MAX)
            _exit(99);
        program[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, 1);
        program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    const struct sock_fprog filter = {n, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
        abort();
}

static void annotate(const char *who)
{
    truth_push(who);
    truth_mark("m1");
    truth_end(truth_start("started"));
    truth_pop();
}

static void *thread_main(void *unused)
{
    for (int i = 0; i < 300; i++)
        annotate("in a thread");
    return unused;
}

static int work(void)
{
    pthread_t threads[N_THREADS];
    annotate("first");
    for (int i = 0; i < N_THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0)
            abort();
    for (int i = 0; i < N_THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    struct truth_domain domain = truth_domain_make("a domain");
    nvtxEventAttributes_t a = truth_attributes(NULL);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(domain.handle, "registered");
    truth_mark_ex(&domain, &a, "registered");
    return 0;
}

/* refuse CALLS: they fail with EPERM. kill CALLS: whoever makes one dies. */
static int run_refuse(int argc, char **argv)
{
    if (argc < 1)
        return 2;
    forbid_all(argv[0], SECCOMP_RET_ERRNO | EPERM);
    return work();
}

static int run_kill(int argc, char **argv)
{
    if (argc < 1)
        return 2;
    forbid_all(argv[0], SECCOMP_RET_KILL_PROCESS);
    return work();
}

/* only CALLS: those, and what the program needs itself. */
static int run_only(int argc, char **argv)
{
    if (argc < 1)
        return 2;
    allow_only(argv[0]);
    return work();
}

/* The same, and a child that is forked in the sandbox. */
static int run_kill_fork(int argc, char **argv)
{
    int status = 0;
    if (argc < 1)
        return 2;
    forbid_all(argv[0], SECCOMP_RET_KILL_PROCESS);
    annotate("the parent");
    pid_t pid = fork();
    if (pid == 0) {
        truth_child();
        (void)work();
        _exit(0);
    }
    return waitpid(pid, &status, 0) == pid ? status : 1;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {{"refuse", run_refuse},
                                        {"kill", run_kill},
                                        {"kill-fork", run_kill_fork},
                                        {"only", run_only},
                                        {NULL, NULL}};
    return modes_run(modes, argc, argv);
}
