/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that give their rights away: to another user, before or after their first annotation, in
 * themselves or in what they fork and execute. */
#include "truth.h"

#include "modes.h"

#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <sys/wait.h>

#define NOBODY    65534
#define N_THREADS 24
#define N_NAMES   1500

static const char *self; /* path of this program */

static void drop(void)
{
    if (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
        setresuid(NOBODY, NOBODY, NOBODY) != 0)
        abort();
}

static void annotate(const char *who)
{
    truth_push(who);
    truth_mark("m1");
    truth_end(truth_start("started"));
    truth_pop();
}

static void *thread_main(void *start)
{
    (void)pthread_barrier_wait(start);
    for (int i = 0; i < 700; i++)
        annotate("in a thread");
    return NULL;
}

/* More threads, names and events than a process has room for when it starts. */
static void annotate_much(void)
{
    pthread_t threads[N_THREADS];
    pthread_barrier_t start;
    struct truth_domain domain = truth_domain_make("a domain");
    (void)pthread_barrier_init(&start, NULL, N_THREADS);
    for (int i = 0; i < N_THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread_main, &start) != 0)
            abort();
    for (int i = 0; i < N_NAMES; i++) {
        nvtxEventAttributes_t a = truth_attributes(NULL);
        char text[160];
        (void)snprintf(text, sizeof(text), "a registered string of some length, number %0100d", i);
        a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        a.message.registered = nvtxDomainRegisterStringA(domain.handle, text);
        truth_mark_ex(&domain, &a, text);
    }
    for (int i = 0; i < N_THREADS; i++)
        (void)pthread_join(threads[i], NULL);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_first(int argc, char **argv)
{
    (void)argc, (void)argv;
    drop();
    annotate("as nobody");
    annotate_much();
    return 0;
}

static int run_later(int argc, char **argv)
{
    (void)argc, (void)argv;
    annotate("as root");
    drop();
    annotate_much();
    return 0;
}

static pid_t start_worker(int kind)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    truth_child();
    if (kind == 1)
        annotate("before it drops");
    drop();
    annotate("after it dropped");
    if (kind == 0) { /* a worker's own child has nothing to open either */
        pid_t child = fork();
        if (child == 0) {
            truth_child();
            annotate("a worker's child");
            _exit(0);
        }
        if (wait_for(child) != 0)
            abort();
    }
    _exit(0);
}

/* workers BEFORE: a master that stays root forks workers that drop, as servers do; 1: it has
 * annotated before. */
static int run_workers(int argc, char **argv)
{
    int status = 0;
    if (argc > 0 && argv[0][0] == '1')
        annotate("the master");
    pid_t pids[4];
    for (int i = 0; i < 4; i++)
        pids[i] = start_worker(i % 2);
    for (int i = 0; i < 4; i++)
        status |= wait_for(pids[i]);
    annotate("the master at its end");
    return status;
}

/* chroot FOLDER: the recorder is loaded, and then no path leads anywhere. */
static int run_chroot(int argc, char **argv)
{
    if (argc < 1)
        return 2;
    annotate("before");
    pid_t pid = fork();
    if (pid == 0) {
        truth_child();
        if (chroot(argv[0]) != 0 || chdir("/") != 0)
            abort();
        drop();
        annotate("in the new root");
        _exit(0);
    }
    return wait_for(pid);
}

static int run_exec(int argc, char **argv)
{
    (void)argc, (void)argv;
    annotate("as root");
    drop();
    (void)execl(self, self, "plain", (char *)NULL);
    return 1;
}

/* await FILE: what it does begins when the file is there. */
static int run_await(int argc, char **argv)
{
    if (argc < 1)
        return 2;
    drop();
    annotate("too early");
    while (access(argv[0], F_OK) != 0)
        (void)usleep(1000);
    annotate("awaited");
    return 0;
}

/* fork-late FILE DONE: a worker drops its rights when the file is there. */
static int run_fork_late(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    annotate("the master");
    while (access(argv[0], F_OK) != 0)
        (void)usleep(1000);
    int status = wait_for(start_worker(2));
    int fd = open(argv[1], O_WRONLY | O_CREAT, 0600);
    return fd < 0 ? 1 : status;
}

static int run_plain(int argc, char **argv)
{
    (void)argc, (void)argv;
    annotate("plain");
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"first", run_first},   {"later", run_later},         {"workers", run_workers},
        {"chroot", run_chroot}, {"exec", run_exec},           {"plain", run_plain},
        {"await", run_await},   {"fork-late", run_fork_late}, {NULL, NULL}};
    self = argv[0];
    return modes_run(modes, argc, argv);
}
