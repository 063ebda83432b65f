/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that change the ground that a recorder stands on. Each annotates before and after, and
 * enough of it that full parts must be written somewhere. */
#include "truth.h"

#include "modes.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

extern char **environ;

enum { N_MANY = 20000 };

/* 20,000 marks of 200 bytes: 4 MiB, many parts. */
static void annotate_much(const char *when)
{
    char text[200];
    memset(text, '.', sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (int i = 0; i < N_MANY; i++) {
        int n = snprintf(text, sizeof text, "%s %d", when, i);
        text[n] = '.';
        nvtxMarkA(text);
    }
    truth_value(when, N_MANY);
}

static void *annotate_in_thread(void *when)
{
    annotate_much(when);
    return NULL;
}

static int annotate_in_new_thread(const char *when)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, annotate_in_thread, (void *)(uintptr_t)when))
        return 1;
    pthread_join(thread, NULL);
    return 0;
}

static void close_all_descriptors(void)
{
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
}

static int run_close_all(int argc, char **argv)
{
    (void)argc, (void)argv;
    annotate_much("before");
    close_all_descriptors();
    annotate_much("after");
    return annotate_in_new_thread("thread");
}

/* Closes everything before the first event. */
static int run_close_first(int argc, char **argv)
{
    (void)argc, (void)argv;
    truth_open();
    close_all_descriptors();
    annotate_much("after");
    return 0;
}

/* A file of the program gets descriptors 0, 1 and 2: nobody else may write to it. */
static int run_reuse_descriptors(int argc, char **argv)
{
    if (argc < 1)
        return 2;
    annotate_much("before");
    close_all_descriptors();
    for (int i = 0; i < 8; i++)
        if (open(argv[0], O_RDWR | O_CREAT | O_TRUNC, 0600) != i)
            return 3;
    annotate_much("after");
    if (annotate_in_new_thread("thread"))
        return 4;
    char byte;
    lseek(2, 0, SEEK_SET);
    return read(2, &byte, 1) == 0 ? 0 : 5;
}

/* Opens no descriptor that stays: the numbers that a program gets are those of a run without us. */
static int run_descriptors(int argc, char **argv)
{
    (void)argc, (void)argv;
    nvtxMarkA("first event");
    annotate_much("many");
    for (int fd = 0; fd < 256; fd++) {
        char path[64], target[256];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(path, target, sizeof target - 1);
        if (n > 0 && fd > 2)
            printf("descriptor %d is open: %.*s\n", fd, (int)n, target);
    }
    int fd = open("/dev/null", O_RDONLY);
    printf("next descriptor %d\n", fd);
    return 0;
}

static int run_user_namespace(int argc, char **argv)
{
    (void)argc, (void)argv;
    annotate_much("before");
    if (unshare(CLONE_NEWUSER) != 0)
        return 77;
    annotate_much("after");
    return annotate_in_new_thread("thread");
}

static int run_chroot(int argc, char **argv)
{
    annotate_much("before");
    if (argc < 1 || chroot(argv[0]) != 0 || chdir("/") != 0)
        return 77;
    annotate_much("after");
    return annotate_in_new_thread("thread");
}

static int run_chdir(int argc, char **argv)
{
    (void)argc, (void)argv;
    annotate_much("before");
    if (chdir("/") != 0)
        return 77;
    annotate_much("after");
    return annotate_in_new_thread("thread");
}

static int limit(int resource, unsigned long value)
{
    struct rlimit l = {value, value};
    return setrlimit((unsigned)resource, &l);
}

/* Going over this limit would mean SIGXFSZ, which kills. */
static int run_file_size(int argc, char **argv)
{
    unsigned long size = argc > 0 ? strtoul(argv[0], NULL, 10) : 4096;
    int is_first = argc > 1;
    truth_open();
    if (!is_first)
        annotate_much("before");
    if (limit(RLIMIT_FSIZE, size))
        return 77;
    annotate_much("after");
    return annotate_in_new_thread("thread");
}

static int run_address_space(int argc, char **argv)
{
    (void)argc, (void)argv;
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    truth_open();
    if (!file || fscanf(file, "%lu", &pages) != 1)
        return 3;
    fclose(file);
    if (limit(RLIMIT_AS, (pages + 32) * (unsigned long)sysconf(_SC_PAGESIZE)))
        return 77;
    annotate_much("after");
    return 0;
}

static int run_few_descriptors(int argc, char **argv)
{
    (void)argc, (void)argv;
    int is_first = argc > 0;
    truth_open();
    if (!is_first)
        annotate_much("before");
    if (limit(RLIMIT_NOFILE, 3))
        return 77;
    annotate_much("after");
    return 0;
}

/* errno, the signal mask, the cancel state and the environment are the program's own. */
static int check_undisturbed(const char *when)
{
    sigset_t before, after;
    int state, type, n_wrong = 0;
    sigemptyset(&before);
    sigaddset(&before, SIGUSR2);
    sigprocmask(SIG_SETMASK, &before, NULL);
    for (int i = 0; i < N_MANY; i++) {
        errno = 12345;
        nvtxMarkA("a message that is long enough to fill parts soon: one more of many, many times");
        nvtxRangePushA("push");
        nvtxRangePop();
        nvtxRangeEnd(nvtxRangeStartA("start"));
        if (errno != 12345)
            n_wrong++;
    }
    errno = 12345;
    nvtxDomainHandle_t domain = nvtxDomainCreateA(when);
    nvtxDomainRegisterStringA(domain, when);
    nvtxNameCategoryA(1, when);
    nvtxNameOsThreadA(1, when);
    nvtxDomainDestroy(domain);
    if (errno != 12345)
        n_wrong++;
    sigprocmask(SIG_SETMASK, NULL, &after);
    if (!sigismember(&after, SIGUSR2) || sigismember(&after, SIGALRM))
        printf("%s: the signal mask changed\n", when);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    if (state != PTHREAD_CANCEL_ENABLE || type != PTHREAD_CANCEL_DEFERRED)
        printf("%s: the cancel state changed\n", when);
    if (n_wrong)
        printf("%s: errno changed %d times\n", when, n_wrong);
    return n_wrong != 0;
}

static void *undisturbed_thread(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)check_undisturbed("thread");
}

static int run_undisturbed(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    void *result = NULL;
    errno = 12345;
    nvtxMarkA("the first event loads the recorder");
    if (errno != 12345)
        printf("loading changed errno to %d\n", errno);
    int failed = check_undisturbed("main");
    if (pthread_create(&thread, NULL, undisturbed_thread, NULL))
        return 1;
    pthread_join(thread, &result);
    return failed || result != NULL;
}

/* Prints what children would inherit, after recording has begun. */
static int run_environment(int argc, char **argv)
{
    (void)argc, (void)argv;
    nvtxMarkA("first event");
    for (char **entry = environ; *entry; entry++)
        puts(*entry);
    return 0;
}

/* Waits until a file appears: the harness does something to the session meanwhile. */
static int run_wait(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    annotate_much("before");
    close(open(argv[0], O_RDWR | O_CREAT, 0600));
    while (access(argv[1], F_OK) != 0)
        usleep(1000);
    annotate_much("after");
    return annotate_in_new_thread("thread");
}

/* Sleeps past the end of a command line that is killed, then goes on recording. */
static int run_steady(int argc, char **argv)
{
    int n = argc > 0 ? (int)strtol(argv[0], NULL, 10) : 30;
    for (int i = 0; i < n; i++) {
        char text[32];
        snprintf(text, sizeof text, "step %d", i);
        truth_push(text);
        annotate_much(text);
        truth_pop();
        usleep(10000);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"close-all", run_close_all},
        {"close-first", run_close_first},
        {"reuse-descriptors", run_reuse_descriptors},
        {"descriptors", run_descriptors},
        {"user-namespace", run_user_namespace},
        {"chroot", run_chroot},
        {"chdir", run_chdir},
        {"file-size", run_file_size},
        {"address-space", run_address_space},
        {"few-descriptors", run_few_descriptors},
        {"undisturbed", run_undisturbed},
        {"environment", run_environment},
        {"wait", run_wait},
        {"steady", run_steady},
        {NULL, NULL},
    };
    return modes_run(modes, argc, argv);
}
