/* SPDX-License-Identifier: Apache-2.0 */
/* storm SEED ROUNDS [trigger]: random processes, threads, signals and execs that annotate, and
 * count what they annotated in the file STORM_COUNTS. With trigger, each round lies in a range
 * "storm", and what is annotated between rounds is not counted. storm SEED DEPTH ROUND again: what
 * a process becomes by exec. */
#include <nvtx3/nvToolsExt.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ENTRIES = 1 << 16, MAX_PROCESSES = 24, MAX_DEPTH = 3, MAX_THREADS = 6 };

/* What a thread did; the file has one line of text for each in the end. */
struct entry {
    uint32_t round, pid, tid, unused;
    atomic_ulong n_marks, n_ranges;
};

struct counts {
    atomic_uint n_entries;
    atomic_uint n_processes; /* of this round */
    struct entry entry[MAX_ENTRIES];
};

struct plan {
    uint64_t seed;
    int depth;
    uint32_t round;
    pthread_barrier_t *start_line; /* or NULL */
};

static struct counts *counts;
static _Thread_local struct entry *mine;
static const char *self;
static nvtxDomainHandle_t domain;
static nvtxStringHandle_t string;

static void die(const char *what)
{
    fprintf(stderr, "storm: %s: %s\n", what, strerror(errno));
    _exit(1);
}

static uint64_t next(uint64_t *seed, uint64_t limit)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed % limit;
}

static void claim_entry(uint32_t round)
{
    unsigned i = atomic_fetch_add(&counts->n_entries, 1);
    if (i >= MAX_ENTRIES)
        die("too many threads");
    struct entry *entry = &counts->entry[i];
    entry->round = round;
    entry->pid = (uint32_t)getpid();
    entry->tid = (uint32_t)syscall(SYS_gettid);
    mine = entry;
}

/* ---- Annotations ---- */

static void push_registered(void)
{
    nvtxEventAttributes_t a;
    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = string;
    nvtxDomainRangePushEx(domain, &a);
    nvtxRangePushA("inner");
    nvtxRangePop();
    nvtxDomainRangePop(domain);
}

static void push_long(void)
{
    char text[3000];
    memset(text, 'l', sizeof text - 1);
    text[sizeof text - 1] = 0;
    nvtxRangePushA(text);
    nvtxRangePop();
}

static void annotate(uint64_t choice)
{
    unsigned long n_marks = 0, n_ranges = 1;
    if (choice == 0) {
        n_marks = 1;
        n_ranges = 0;
        nvtxMarkA("a mark");
    } else if (choice == 1) {
        push_registered();
        n_ranges = 2;
    } else if (choice == 2) {
        nvtxRangeEnd(nvtxRangeStartA("started"));
    } else if (choice == 3) {
        push_long();
    } else {
        nvtxRangePushA("pair");
        nvtxRangePop();
    }
    atomic_fetch_add_explicit(&mine->n_marks, n_marks, memory_order_relaxed);
    atomic_fetch_add_explicit(&mine->n_ranges, n_ranges, memory_order_relaxed);
}

static void annotate_often(uint64_t *seed)
{
    static const uint64_t limits[] = {3, 40, 400, 4000};
    for (uint64_t n = 1 + next(seed, limits[next(seed, 4)]); n > 0; n--)
        annotate(next(seed, 20));
}

static void annotate_in_handler(int number)
{
    int saved_errno = errno;
    static atomic_uint n;
    if (mine)
        annotate(atomic_fetch_add(&n, 1) % (number == SIGALRM ? 20 : 3));
    errno = saved_errno;
}

static void set_timer(long interval_us)
{
    const struct itimerval timer = {{0, interval_us}, {0, interval_us}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void let_handlers_in(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = annotate_in_handler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
}

/* ---- Threads and processes ---- */

static void be_process(struct plan plan);

/* Handlers must not count for the parent in the child. */
static pid_t fork_one(struct plan plan, uint64_t seed)
{
    sigset_t all, before;
    if (atomic_fetch_add(&counts->n_processes, 1) >= MAX_PROCESSES)
        return 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (pid == 0) {
        mine = NULL;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        be_process((struct plan){seed, plan.depth + 1, plan.round, NULL});
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

static void wait_for(pid_t pid)
{
    int status = 0;
    if (pid == 0)
        return;
    while (waitpid(pid, &status, 0) != pid)
        if (errno != EINTR)
            die("waitpid");
    if (status == 0)
        return;
    fprintf(stderr, "storm: a child's status is %d\n", status);
    _exit(1);
}

static void *be_thread(void *argument)
{
    struct plan plan = *(struct plan *)argument;
    if (plan.start_line)
        pthread_barrier_wait(plan.start_line);
    claim_entry(plan.round);
    annotate_often(&plan.seed);
    if (plan.depth < MAX_DEPTH && next(&plan.seed, 5) == 0) {
        pid_t pid = fork_one(plan, plan.seed);
        annotate_often(&plan.seed);
        wait_for(pid);
    }
    return NULL;
}

static void run_threads(struct plan *plan)
{
    pthread_t threads[MAX_THREADS];
    struct plan plans[MAX_THREADS];
    pthread_barrier_t start_line;
    pid_t child = 0;
    unsigned n = (unsigned)next(&plan->seed, MAX_THREADS + 1);
    int is_race = next(&plan->seed, 2) == 0;
    if (n > 0)
        pthread_barrier_init(&start_line, NULL, n);
    for (unsigned i = 0; i < n; i++) {
        plans[i] = (struct plan){plan->seed + (i + 1) * 0x9e3779b97f4a7c15u, plan->depth,
                                 plan->round, is_race ? &start_line : NULL};
        if (pthread_create(&threads[i], NULL, be_thread, &plans[i]) != 0)
            die("pthread_create");
    }
    for (uint64_t k = next(&plan->seed, 30); n > 0 && k > 0; k--)
        pthread_kill(threads[k % n], SIGUSR1);
    if (plan->depth < MAX_DEPTH && next(&plan->seed, 2) == 0)
        child = fork_one(*plan, plan->seed + 1);
    if (next(&plan->seed, 3) != 0)
        annotate_often(&plan->seed);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    wait_for(child);
}

static void become_another(struct plan plan)
{
    char seed[24], depth[24], round[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)plan.seed);
    snprintf(depth, sizeof depth, "%d", plan.depth + 1);
    snprintf(round, sizeof round, "%u", plan.round);
    execl(self, self, seed, depth, round, "again", (char *)NULL);
    die(self);
}

static void run_process(struct plan *plan)
{
    claim_entry(plan->round);
    if (next(&plan->seed, 2) == 0)
        set_timer(300 + (long)next(&plan->seed, 3000));
    for (uint64_t n = next(&plan->seed, 3); n > 0; n--)
        run_threads(plan);
    if (next(&plan->seed, 2) == 0)
        annotate_often(&plan->seed);
    set_timer(0);
}

static void be_process(struct plan plan)
{
    let_handlers_in();
    run_process(&plan);
    if (plan.depth < MAX_DEPTH && next(&plan.seed, 4) == 0)
        become_another(plan);
    if (next(&plan.seed, 2) == 0)
        exit(0);
    _exit(0);
}

/* ---- Rounds ---- */

static void open_counts(void)
{
    const char *path = getenv("STORM_COUNTS");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_CREAT, 0600) : -1;
    if (fd < 0 || ftruncate(fd, sizeof *counts) != 0)
        die("STORM_COUNTS");
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED)
        die("mmap");
    close(fd);
}

static void print_counts(void)
{
    for (unsigned i = 0; i < atomic_load(&counts->n_entries); i++) {
        const struct entry *e = &counts->entry[i];
        printf("%u %u %u %lu %lu\n", e->round, e->pid, e->tid, atomic_load(&e->n_marks),
               atomic_load(&e->n_ranges));
    }
}

static void run_round(uint64_t *seed, uint32_t round, int has_trigger)
{
    struct plan plan = {next(seed, UINT64_MAX - 1) + 1, 0, round, NULL};
    atomic_store(&counts->n_processes, 0);
    if (has_trigger) {
        nvtxMarkA("between");
        nvtxRangePushA("storm");
    }
    run_process(&plan);
    if (has_trigger) {
        nvtxRangePop();
        atomic_fetch_add(&mine->n_ranges, 1);
        nvtxMarkA("between");
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    uint64_t seed = strtoull(argv[1], NULL, 10) | 1;
    uint32_t n = (uint32_t)strtoul(argv[2], NULL, 10);
    self = argv[0];
    open_counts();
    let_handlers_in();
    domain = nvtxDomainCreateA("storm's domain");
    string = nvtxDomainRegisterStringA(domain, "registered");
    if (argc > 4) {
        be_process((struct plan){seed, (int)n, (uint32_t)strtoul(argv[3], NULL, 10), NULL});
        return 1;
    }
    for (uint32_t round = 0; round < n; round++)
        run_round(&seed, round, argc > 3);
    print_counts();
    return 0;
}
