/* SPDX-License-Identifier: Apache-2.0 */
/* What flight recorders have rules about.
 *
 *     incidents STEP...
 *
 * Steps, in the domain "job": steps:N N ranges "step" of 0.2 ms; slow:MS one of that length;
 * mark:TEXT a mark; ask:TEXT a request for a snapshot; hang:FILE a range "request" that is open
 * until the file is there; cross:MS a started range "transfer" of that length, which another thread
 * ends; late:MS a domain and a registered name that come only now, with a range of that length;
 * marks:N that many marks "burst"; fork:STATUS a child that exits, or with abort crashes in a
 * range; wait:FILE until it is there; make:FILE makes it; sleep:MS; abort; exit:STATUS. */
#include <nvtx3/nvToolsExt.h>
#include <rangefinder/snapshot.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static nvtxDomainHandle_t job;

static void sleep_us(long us)
{
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    while (nanosleep(&time, &time) != 0)
        ;
}

static void wait_for(const char *path)
{
    while (access(path, F_OK) != 0)
        sleep_us(1000);
}

static nvtxEventAttributes_t named(const char *name)
{
    return (nvtxEventAttributes_t){.version = NVTX_VERSION,
                                   .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                   .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                   .message.ascii = name};
}

static void push(const char *name)
{
    const nvtxEventAttributes_t attributes = named(name);
    nvtxDomainRangePushEx(job, &attributes);
}

static void range_of(const char *name, long us)
{
    push(name);
    push("inner");
    sleep_us(us);
    nvtxDomainRangePop(job);
    nvtxDomainRangePop(job);
}

static void mark(const char *name)
{
    const nvtxEventAttributes_t attributes = named(name);
    nvtxDomainMarkEx(job, &attributes);
}

static void *end_range(void *id)
{
    nvtxDomainRangeEnd(job, *(nvtxRangeId_t *)id);
    return NULL;
}

static void cross(long ms)
{
    const nvtxEventAttributes_t attributes = named("transfer");
    nvtxRangeId_t id = nvtxDomainRangeStartEx(job, &attributes);
    pthread_t thread;
    sleep_us(1000 * ms);
    if (pthread_create(&thread, NULL, end_range, &id) == 0)
        (void)pthread_join(thread, NULL);
}

static void come_late(long ms)
{
    nvtxDomainHandle_t late = nvtxDomainCreateA("late");
    nvtxEventAttributes_t attributes = named(NULL);
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(late, "late step");
    nvtxDomainRangePushEx(late, &attributes);
    sleep_us(1000 * ms);
    nvtxDomainRangePop(late);
}

static void crash(void)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(SIGABRT, SIG_DFL);
    abort();
}

static void fork_child(const char *how)
{
    pid_t pid = fork();
    if (pid == 0) {
        push("child");
        if (strcmp(how, "abort") == 0)
            crash();
        nvtxDomainRangePop(job);
        exit(atoi(how));
    }
    (void)waitpid(pid, NULL, 0);
}

static void ask(const char *reason)
{
    errno = 77;
    rangefinder_snapshot(reason);
    if (errno != 77)
        printf("errno was %d\n", errno);
}

static void take_step(const char *step, const char *value)
{
    const long n = atol(value);
    if (strcmp(step, "steps") == 0)
        for (long i = 0; i < n; i++)
            range_of("step", 200);
    else if (strcmp(step, "slow") == 0)
        range_of("step", 1000 * n);
    else if (strcmp(step, "mark") == 0)
        mark(value);
    else if (strcmp(step, "marks") == 0)
        for (long i = 0; i < n; i++)
            mark("burst");
    else if (strcmp(step, "ask") == 0)
        ask(value);
    else if (strcmp(step, "hang") == 0) {
        push("request");
        wait_for(value);
        nvtxDomainRangePop(job);
    } else if (strcmp(step, "cross") == 0)
        cross(n);
    else if (strcmp(step, "late") == 0)
        come_late(n);
    else if (strcmp(step, "fork") == 0)
        fork_child(value);
    else if (strcmp(step, "wait") == 0)
        wait_for(value);
    else if (strcmp(step, "make") == 0)
        (void)close(open(value, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    else if (strcmp(step, "sleep") == 0)
        sleep_us(1000 * n);
    else if (strcmp(step, "exit") == 0)
        exit((int)n);
    else {
        fprintf(stderr, "incidents: no step '%s'\n", step);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    job = nvtxDomainCreateA("job");
    for (int i = 1; i < argc; i++) {
        char *value = strchr(argv[i], ':');
        if (strcmp(argv[i], "abort") == 0) {
            push("the cause");
            crash();
        }
        if (value == NULL)
            return 2;
        *value = '\0';
        take_step(argv[i], value + 1);
    }
    return 0;
}
