/* SPDX-License-Identifier: Apache-2.0 */
/* Every way to make a process. */
#include "truth.h"

#include "modes.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

extern char **environ;
static const char *self; /* path of this program */

/* What a child does: it annotates as any process would, in a domain made before the fork too. */
static struct truth_domain shared;
static nvtxStringHandle_t shared_string;

static void annotate(const char *who)
{
    nvtxEventAttributes_t a = truth_attributes(NULL);
    truth_push(who);
    truth_mark("m1");
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = shared_string;
    truth_push_ex(&shared, &a, "shared string");
    truth_domain_pop(&shared);
    truth_end(truth_start("started"));
    truth_pop();
}

static void prepare(void)
{
    shared = truth_domain_make("shared domain");
    shared_string = nvtxDomainRegisterStringA(shared.handle, "shared string");
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void child_main(const char *who)
{
    truth_child();
    annotate(who);
    struct truth_domain own = truth_domain_make("made in the child");
    nvtxEventAttributes_t a = truth_attributes("in its own domain");
    truth_mark_ex(&own, &a, NULL);
}

static int run_fork(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    annotate("parent before");
    for (int i = 0; i < 3; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            child_main("child");
            pid_t grandchild = fork();
            if (grandchild == 0) {
                child_main("grandchild");
                exit(0);
            }
            exit(wait_for(grandchild));
        }
        annotate("parent during");
        if (wait_for(pid))
            return 1;
    }
    annotate("parent after");
    return 0;
}

/* fork() without the C library's knowledge: no atfork handler runs. */
static pid_t raw_clone(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
#else
    return fork();
#endif
}

/* The numbers + 1 of processes whose files were made beforehand (docs/format.md, spare); NULL: this
 * is not recorded. */
static uint32_t *spare_numbers(void)
{
    char path[4096];
    const char *session = getenv("RANGEFINDER_SESSION");
    if (session == NULL)
        return NULL;
    (void)snprintf(path, sizeof(path), "%s/session", session);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return page == MAP_FAILED ? NULL : (uint32_t *)(void *)(page + 408);
}

/* The files of the lowest number are ready only when this process has taken another one. */
static void annotate_before_late_files(const char *text)
{
    uint32_t *spare = spare_numbers(), first = 0;
    if (spare != NULL)
        first = __atomic_exchange_n(&spare[0], UINT32_MAX, __ATOMIC_ACQ_REL);
    prepare();
    annotate(text);
    if (spare != NULL)
        __atomic_store_n(&spare[0], first, __ATOMIC_RELEASE);
}

static int run_late_files(int argc, char **argv)
{
    (void)argc, (void)argv;
    annotate_before_late_files("parent");
    pid_t pid = fork();
    if (pid == 0) {
        child_main("child");
        exit(0);
    }
    return wait_for(pid);
}

static int run_exec_late_files(int argc, char **argv)
{
    (void)argc, (void)argv;
    annotate_before_late_files("first image");
    truth_push("open at exec");
    execl(self, self, "plain", "second image", (char *)NULL);
    return 127;
}

static int run_clone(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    annotate("parent before");
    pid_t pid = raw_clone();
    if (pid == 0) {
        child_main("child");
        _exit(0);
    }
    annotate("parent during");
    return wait_for(pid);
}

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
static pid_t fork_quietly(void)
{
    return _Fork();
}
#else
static pid_t fork_quietly(void)
{
    return raw_clone();
}
#endif

static int run_under_fork(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    annotate("parent before");
    pid_t pid = fork_quietly();
    if (pid == 0) {
        child_main("child");
        _exit(0);
    }
    annotate("parent during");
    return wait_for(pid);
}

/* The child's first event is only its exec's. */
static int run_fork_exec(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    annotate("parent before");
    pid_t pid = fork();
    if (pid == 0) {
        truth_child();
        truth_mark("child before exec");
        execl(self, self, "plain", "exec'd", (char *)NULL);
        _exit(127);
    }
    annotate("parent during");
    return wait_for(pid);
}

static int run_vfork_exec(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    annotate("parent before");
    for (int i = 0; i < 5; i++) {
        pid_t pid = vfork();
        if (pid == 0) {
            execl(self, self, "plain", "vforked", (char *)NULL);
            _exit(127);
        }
        annotate("parent between");
        if (wait_for(pid))
            return 1;
    }
    return 0;
}

static int run_spawn(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    annotate("parent before");
    char *args[] = {(char *)self, (char *)"plain", (char *)"spawned", NULL};
    pid_t pid;
    if (posix_spawn(&pid, self, NULL, NULL, args, environ))
        return 1;
    annotate("parent during");
    return wait_for(pid);
}

/* Replaces itself N times, keeping its pid. */
static int run_exec_self(int argc, char **argv)
{
    long n = argc > 0 ? strtol(argv[0], NULL, 10) : 3;
    char next[32], text[32];
    prepare();
    snprintf(text, sizeof text, "image %ld", n);
    annotate(text);
    truth_push("open at exec");
    if (n == 0)
        return 5;
    snprintf(next, sizeof next, "%ld", n - 1);
    execl(self, self, "exec-self", next, (char *)NULL);
    return 127;
}

static int run_plain(int argc, char **argv)
{
    prepare();
    annotate(argc > 0 ? argv[0] : "plain");
    return 0;
}

/* What ends in another process: a child's child, a process that was given the id, and nowhere. */
static int run_given_ids(int argc, char **argv)
{
    char text[32];
    (void)argc, (void)argv;
    nvtxRangeId_t forked = nvtxRangeStartA("ended in a forked child");
    nvtxRangeId_t given = nvtxRangeStartA("ended where it was given");
    nvtxRangeStartA("never ended");
    pid_t pid = fork();
    if (pid == 0) {
        nvtxMarkA("the child");
        pid_t grandchild = fork();
        if (grandchild == 0) {
            usleep(1000);
            nvtxRangeEnd(forked);
            nvtxMarkA("forked end");
            exit(0);
        }
        exit(wait_for(grandchild));
    }
    if (wait_for(pid))
        return 1;
    snprintf(text, sizeof(text), "%llu", (unsigned long long)given);
    pid = fork();
    if (pid == 0) {
        (void)execl(self, self, "end-given", text, (char *)NULL);
        _exit(1);
    }
    _exit(0); /* the other process goes on without this one */
}

static int run_end_given(int argc, char **argv)
{
    if (argc < 1)
        return 2;
    usleep(20000);
    nvtxRangeEnd(strtoull(argv[0], NULL, 10));
    nvtxMarkA("given end");
    nvtxRangeEnd(0x3ff0010000000001ULL); /* of no process there is */
    return 0;
}

/* A child's end of what its parent ends itself says nothing, and the child has none of its parent's
 * ranges open. */
static int run_parents_id(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    truth_push("parent's push");
    nvtxRangeId_t id = truth_start("parent's start");
    pid_t pid = fork();
    if (pid == 0) {
        truth_child();
        truth_mark("child");
        nvtxRangeEnd(id); /* counted; the parent's own end counts more */
        nvtxRangePop();   /* pops nothing */
        truth_mark("child done");
        exit(0);
    }
    if (wait_for(pid))
        return 1;
    usleep(20000);
    truth_end(id);
    truth_pop();
    return 0;
}

/* Leaves a push open in the parent and the child. */
static int run_open(int argc, char **argv)
{
    (void)argc, (void)argv;
    nvtxRangePushA("open at fork");
    pid_t pid = fork();
    if (pid == 0) {
        nvtxRangePushA("child");
        nvtxRangePop();
        exit(0);
    }
    return wait_for(pid);
}

static void *forking_thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            child_main("child of a thread");
            _exit(0);
        }
        if (wait_for(pid))
            abort();
        annotate("forking thread");
    }
    return NULL;
}

static int stop; /* atomic */

static void *annotating_thread(void *unused)
{
    (void)unused;
    for (int i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
        nvtxRangePushA("busy");
        nvtxRangePop();
        if (i > 20000)
            usleep(10);
    }
    return NULL;
}

/* Forks from threads while others are in the middle of recording. */
static int run_threads(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    pthread_t busy[2], forking[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&busy[i], NULL, annotating_thread, NULL);
        pthread_create(&forking[i], NULL, forking_thread, NULL);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(forking[i], NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(busy[i], NULL);
    return 0;
}

/* A child that outlives its parent: the command line ends before it unless told to wait. */
static int run_orphan(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    annotate("parent");
    if (fork() == 0) {
        truth_child();
        close(1); /* whoever reads our output must not wait for the child */
        close(2);
        usleep(300000);
        annotate("orphan");
        exit(0);
    }
    return 0;
}

/* ---- Children whose threads race to the first event ---- */

enum { N_RACING = 16 };

static pthread_barrier_t start_line;
static long n_pairs;

static void *racing_thread(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&start_line);
    for (long i = 0; i < n_pairs; i++) {
        nvtxRangePushA("pair");
        nvtxRangePop();
    }
    return NULL;
}

static void race(void)
{
    pthread_t threads[N_RACING];
    pthread_barrier_init(&start_line, NULL, N_RACING);
    for (int i = 0; i < N_RACING; i++)
        if (pthread_create(&threads[i], NULL, racing_thread, NULL))
            _exit(3);
    for (int i = 0; i < N_RACING; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

/* race CHILDREN PAIRS: each of the children's threads makes so many pairs. */
static int run_race(int argc, char **argv)
{
    enum { MAX_CHILDREN = 64 };
    pid_t children[MAX_CHILDREN];
    int n = argc > 1 ? (int)strtol(argv[0], NULL, 10) : 0;
    n_pairs = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    if (n < 1 || n > MAX_CHILDREN || n_pairs < 1)
        return 2;
    nvtxMarkA("parent");
    for (int i = 0; i < n; i++) {
        children[i] = fork();
        if (children[i] == 0)
            race();
    }
    int status = 0;
    for (int i = 0; i < n; i++)
        status = status ? status : wait_for(children[i]);
    return status;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"fork", run_fork},
        {"late-files", run_late_files},
        {"exec-late-files", run_exec_late_files},
        {"clone", run_clone},
        {"under-fork", run_under_fork},
        {"fork-exec", run_fork_exec},
        {"vfork-exec", run_vfork_exec},
        {"spawn", run_spawn},
        {"exec-self", run_exec_self},
        {"plain", run_plain},
        {"parents-id", run_parents_id},
        {"given-ids", run_given_ids},
        {"end-given", run_end_given},
        {"open", run_open},
        {"threads", run_threads},
        {"orphan", run_orphan},
        {"race", run_race},
        {NULL, NULL},
    };
    self = argv[0];
    return modes_run(modes, argc, argv);
}
