/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorder costs that waits for its capture to begin, and what a capture's begin and end
 * cost the program. The program makes the session of a focused run itself, and no command line is
 * there.
 *
 *     bench_armed keep|drop RECORDER NOTHING [ROUNDS]
 *
 * keep: the starts of open ranges are kept; drop: they are not. RECORDER: the injected library.
 * NOTHING: armed_nothing.so. Each round measures the floor, a library that does nothing, and the
 * recorder in turn; then with a second thread that annotates all the time on another core. */
#include "armed_pairs.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/capture.h"
#include "measure.h"

#define N_PAIRS   200000
#define N_WINDOWS 1000

static struct rf_control *control;

static void make_session(int keeps_open)
{
    char directory[PATH_MAX], path[PATH_MAX + 16];
    struct stat st;
    if (getcwd(directory, sizeof(directory) - 32) == NULL)
        exit(1);
    (void)snprintf(directory + strlen(directory), 32, "/armed-%d.rfdir", (int)getpid());
    (void)snprintf(path, sizeof(path), "%s/" RF_CONTROL_FILE, directory);
    int fd = mkdir(directory, 0700) == 0 ? open(path, O_RDWR | O_CREAT | O_EXCL, 0600) : -1;
    if (fd < 0 || ftruncate(fd, sizeof(*control)) != 0) {
        perror(path);
        exit(1);
    }
    control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (control == MAP_FAILED)
        exit(1);
    (void)close(fd);
    control->version = RF_FORMAT_MAJOR;
    control->size = sizeof(*control);
    control->clock_kind = RF_CLOCK_COUNTER;
    control->shm_device = stat("/dev/shm", &st) == 0 ? st.st_dev : 0;
    control->capture.keeps_open = (uint32_t)keeps_open;
    control->capture.triggers = RF_TRIGGER_NVTX;
    control->capture.ends_with_trigger = 1;
    control->capture.word = RF_CAPTURE_ARMED;
    (void)snprintf(control->capture.message, sizeof(control->capture.message), "step");
    memcpy(control->magic, RF_CONTROL_MAGIC, sizeof(control->magic));
    (void)setenv("RANGEFINDER_SESSION", directory, 1);
}

/* ---- Armed ---- */

struct armed_case {
    const char *name;
    void (*recorder)(int n);
    void (*nothing)(int n);
    double target; /* where starts are kept: ratio to the floor */
};

static double time_of(void (*run)(int n))
{
    int64_t before = measure_now_ns();
    run(N_PAIRS);
    return (double)(measure_now_ns() - before) / N_PAIRS;
}

static double results[8][3][MEASURE_MAX_ROUNDS];

static void measure_armed(const char *title, const struct armed_case *cases, int n, int rounds,
                          int keeps_open)
{
    char name[80];
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < n; i++) {
            results[i][0][round] = time_of(measure_floor);
            results[i][1][round] = time_of(cases[i].nothing);
            results[i][2][round] = time_of(cases[i].recorder);
        }
    measure_title(title, keeps_open ? "ns; ratio to the floor"
                                    : "ns; ratio to a library that does nothing");
    double floor_min = measure_quantile(results[0][0], rounds, 0);
    measure_row("floor: 2 clock reads + 2 x 32 B", floor_min,
                measure_quantile(results[0][0], rounds, 0.5), 0, 0);
    for (int i = 0; i < n; i++) {
        double nothing = measure_quantile(results[i][1], rounds, 0);
        double ours = measure_quantile(results[i][2], rounds, 0);
        (void)snprintf(name, sizeof(name), "%s: a library that does nothing", cases[i].name);
        measure_row(name, nothing, measure_quantile(results[i][1], rounds, 0.5), 0, 0);
        (void)snprintf(name, sizeof(name), "%s: armed", cases[i].name);
        measure_row(name, ours, measure_quantile(results[i][2], rounds, 0.5),
                    keeps_open ? ours / floor_min : ours / nothing,
                    keeps_open ? cases[i].target : 2.0);
    }
}

static atomic_int is_over;

static void *annotate(void *unused)
{
    (void)unused;
    measure_pin(0);
    while (!atomic_load_explicit(&is_over, memory_order_relaxed))
        pairs_text(1000);
    return NULL;
}

/* ---- Triggers ---- */

static double begin_ns[N_WINDOWS], push_ns[N_WINDOWS], pop_ns[N_WINDOWS];

static void measure_windows(void)
{
    double ns = measure_ns_per_tick();
    nvtxEventAttributes_t e = pairs_event;
    e.message.registered = nvtxDomainRegisterStringA(NULL, "step");
    for (int i = 0; i < N_WINDOWS; i++) {
        struct timespec pause = {0, 200000};
        (void)nanosleep(&pause, NULL);
        pairs_text(10);
        uint64_t before = measure_ticks();
        nvtxDomainRangePushEx(NULL, &e);
        uint64_t after = measure_ticks();
        pairs_text(10);
        uint64_t until = measure_ticks();
        nvtxDomainRangePop(NULL);
        pop_ns[i] = (double)(measure_ticks() - until) * ns;
        push_ns[i] = (double)(after - before) * ns;
        const struct rf_capture_window *window = &control->window[i % RF_MAX_WINDOWS];
        begin_ns[i] = (double)(window->begin_ticks - before) * ns;
        control->capture.n_saved = (uint32_t)i + 1;
    }
    if (control->n_windows != N_WINDOWS)
        (void)fprintf(stderr, "bench_armed: %u captures, not %d\n", control->n_windows, N_WINDOWS);
}

/* The same events inside a capture, on the thread that began it and on one that did not. A round's
 * value is that of its fastest burst: in one of four or five a part is full, and nobody else is
 * there to append it. */
#define CAPTURE_BURST 300

static void fill_burst(double values[2][MEASURE_MAX_ROUNDS], int round)
{
    values[0][round] = values[1][round] = 1e9;
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 2; k++) {
            int64_t before = measure_now_ns();
            (k == 0 ? pairs_text : pairs_registered)(CAPTURE_BURST);
            double ns = (double)(measure_now_ns() - before) / CAPTURE_BURST;
            if (ns < values[k][round])
                values[k][round] = ns;
        }
}

static double captured[2][2][MEASURE_MAX_ROUNDS];
static int captured_rounds;

static void *fill_others(void *unused)
{
    (void)unused;
    for (int round = 0; round < captured_rounds; round++)
        fill_burst(captured[1], round);
    return NULL;
}

static void measure_captured(int rounds)
{
    static const char *const names[2][2] = {
        {"push/pop, 24 B text, trigger's thread", "push/pop, registered, trigger's thread"},
        {"push/pop, 24 B text, another thread", "push/pop, registered, another thread"},
    };
    pthread_t thread;
    nvtxEventAttributes_t e = pairs_event;
    e.message.registered = nvtxDomainRegisterStringA(NULL, "step");
    captured_rounds = rounds;
    nvtxDomainRangePushEx(NULL, &e);
    for (int round = 0; round < rounds; round++) {
        results[0][0][round] = time_of(measure_floor);
        fill_burst(captured[0], round);
    }
    if (pthread_create(&thread, NULL, fill_others, NULL) == 0)
        (void)pthread_join(thread, NULL);
    nvtxDomainRangePop(NULL);
    double floor_min = measure_quantile(results[0][0], rounds, 0);
    measure_title("in a capture", "ns; ratio to the floor");
    for (int i = 0; i < 4; i++) {
        double *values = captured[i / 2][i % 2];
        double min = measure_quantile(values, rounds, 0);
        measure_row(names[i / 2][i % 2], min, measure_quantile(values, rounds, 0.5),
                    min / floor_min, i % 2 == 0 ? 1.5 : 1.65);
    }
}

static void print_windows(void)
{
    static double *const values[] = {begin_ns, push_ns, pop_ns};
    static const char *const names[] = {"from the triggering call to the capture's begin",
                                        "the call that begins a capture", "the call that ends it"};
    measure_title("triggers, 1000 captures", "ns: min, median; then 99 %");
    for (int i = 0; i < 3; i++) {
        char name[80];
        measure_row(names[i], measure_quantile(values[i], N_WINDOWS, 0),
                    measure_quantile(values[i], N_WINDOWS, 0.5), 0, i < 2 ? 5000 : 0);
        (void)snprintf(name, sizeof(name), "%s: 99 %%", names[i]);
        double high = measure_quantile(values[i], N_WINDOWS, 0.99);
        measure_row(name, high, high, 0, 0);
    }
}

int main(int argc, char **argv)
{
    if (argc < 4 || (strcmp(argv[1], "keep") != 0 && strcmp(argv[1], "drop") != 0)) {
        (void)fprintf(stderr, "usage: bench_armed keep|drop RECORDER NOTHING [ROUNDS]\n");
        return 2;
    }
    int keeps_open = strcmp(argv[1], "keep") == 0;
    int rounds = measure_rounds(argc > 4 ? argv[4] : NULL);
    struct armed_pairs ours, nothing;
    void (*begin_nothing)(struct armed_pairs * pairs) = NULL;
    measure_pin(measure_n_cores() - 1);
    make_session(keeps_open);

    (void)setenv("NVTX_INJECTION64_PATH", argv[3], 1);
    void *library = dlopen(argv[3], RTLD_NOW | RTLD_LOCAL);
    if (library != NULL)
        *(void **)&begin_nothing = dlsym(library, "armed_nothing");
    if (begin_nothing == NULL) {
        (void)fprintf(stderr, "bench_armed: %s\n", dlerror());
        return 1;
    }
    begin_nothing(&nothing);
    (void)setenv("NVTX_INJECTION64_PATH", argv[2], 1);
    pairs_begin(&ours);
    if (control->n_processes != 1) {
        (void)fprintf(stderr, "bench_armed: '%s' does not record\n", argv[2]);
        return 1;
    }

    const struct armed_case cases[] = {
        {"push/pop, 24 B text", ours.text, nothing.text, 0.75},
        {"push/pop, registered", ours.registered, nothing.registered, 0.75},
        {"start/end, 24 B text", ours.start_end, nothing.start_end, 0.85},
        {"mark, 24 B text", ours.mark, nothing.mark, 0.25},
    };
    measure_armed(keeps_open ? "armed, starts of open ranges kept" : "armed, nothing kept", cases,
                  4, rounds, keeps_open);
    pthread_t thread;
    if (pthread_create(&thread, NULL, annotate, NULL) != 0)
        return 1;
    measure_armed("the same, while another thread annotates", cases, 1, rounds, keeps_open);
    atomic_store(&is_over, 1);
    (void)pthread_join(thread, NULL);
    measure_windows();
    print_windows();
    measure_captured(rounds);
    return 0;
}
