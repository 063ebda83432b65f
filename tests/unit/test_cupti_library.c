/* SPDX-License-Identifier: Apache-2.0 */
/* Where libcupti is found, what is taken, and what is said of the rest. Every case is a process of
 * its own: what is loaded stays. The files say that they are of CUDA 97, so that none of this
 * machine's comes before them. */
#include "unit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cupti_library.h"
#include "base/cupti_places.h"

#define DRIVER 97000 /* of the same major version */

static char folder[] = "/tmp/rf-cupti-XXXXXX";
static struct rf_cupti_library library;

static int make_folder(void **state)
{
    (void)state;
    for (const char *const *name =
             (const char *const[]){"RANGEFINDER_CUPTI", "LD_LIBRARY_PATH", "VIRTUAL_ENV",
                                   "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH", "PYTHONPATH", NULL};
         *name != NULL; name++)
        (void)unsetenv(*name);
    return mkdtemp(folder) == NULL;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* In a child: cmocka's assertions would go on with the parent's tests there. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n  path '%s'\n  tried '%s'\n", __FILE__, __LINE__,          \
                    #condition, library.path, library.tried);                                      \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* ---- Files ---- */

/* A name in the folder of the test; good until seven more were asked for. */
static const char *in(const char *name)
{
    static char paths[8][PATH_MAX];
    static unsigned n;
    char *path = paths[n++ % 8];
    (void)snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

static void make_parents(const char *path)
{
    char parent[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        (void)snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path), path);
        (void)mkdir(parent, 0777);
    }
}

static void write_file(const char *path, const void *data, size_t size)
{
    make_parents(path);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(data, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

static size_t read_stand_in(const char *name, char *data, size_t size)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), STAND_INS "/%s.so", name);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t n = fread(data, 1, size, file);
    CHECK(fclose(file) == 0);
    return n;
}

/* Copies a stand-in there; the path. */
static const char *put(const char *stand_in, const char *name)
{
    static char data[1 << 20];
    const char *path = in(name);
    write_file(path, data, read_stand_in(stand_in, data, sizeof(data)));
    return path;
}

/* ---- Cases in processes ---- */

typedef void case_function(void);

static void in_a_process(case_function *function)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        function();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
#define CASE(name)                                                                                 \
    static void name(void);                                                                        \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        in_a_process(name);                                                                        \
    }                                                                                              \
    static void name(void)

static bool has(const char *text)
{
    return strstr(library.tried, text) != NULL;
}

static void expect(const char *path, int driver)
{
    errno = 4711;
    CHECK(rf_cupti_library_load(&library, driver, NULL) == 0);
    CHECK(errno == 4711);
    CHECK(library.handle != NULL);
    CHECK(strcmp(library.path, path) == 0);
}

static void expect_none(const char *path, const char *reason)
{
    errno = 4711;
    (void)setenv("RANGEFINDER_CUPTI", path, 1);
    CHECK(rf_cupti_library_load(&library, DRIVER, NULL) == -1);
    CHECK(errno == 4711);
    CHECK(library.handle == NULL);
    CHECK(strncmp(library.tried, path, strlen(path)) == 0);
    CHECK(has(reason));
}

CASE(named_file)
{
    const char *path = put("good", "named/libcupti-mine.so");
    (void)setenv("RANGEFINDER_CUPTI", path, 1);
    expect(path, DRIVER);
    CHECK(library.major == 97 && library.minor == 1 && library.version == 970100);
    CHECK(library.tried[0] == '\0');
    CHECK(dlsym(library.handle, "cuptiSubscribe") != NULL);
}

/* Who needs more than recording does gets the next one that has it. */
CASE(needed_function)
{
    (void)put("good", "first/libcupti.so.97");
    const char *path = put("sampling", "second/libcupti.so.96");
    char folders[2 * PATH_MAX];
    (void)snprintf(folders, sizeof(folders), "%s:%s", in("first"), in("second"));
    (void)setenv("LD_LIBRARY_PATH", folders, 1);
    CHECK(rf_cupti_library_load(&library, DRIVER, "cuptiPmSamplingEnable") == 0);
    CHECK(strcmp(library.path, path) == 0);
    CHECK(has("first/libcupti.so.97 lacks cuptiPmSamplingEnable"));
}

/* The driver's version first; other names are none of ours. */
CASE(named_folder)
{
    (void)put("good", "many [1]/libcupti.so.98");
    const char *path = put("good", "many [1]/libcupti.so.97");
    (void)put("good", "many [1]/libcupti.so.96");
    (void)put("good", "many [1]/libcupti.so.2099.1.0");
    (void)setenv("RANGEFINDER_CUPTI", in("many [1]"), 1);
    expect(path, DRIVER);
}

CASE(named_and_missing)
{
    (void)put("good", "else/libcupti.so.97"); /* what was named is not replaced */
    (void)setenv("LD_LIBRARY_PATH", in("else"), 1);
    expect_none(in("nowhere/libcupti.so.97"), " cannot be opened: No such file or directory");
    expect_none(folder, " is no library");
}

CASE(no_library)
{
    static char data[1 << 20];
    const char *path = in("bad/libcupti.so.97");
    write_file(path, "INPUT(-lcupti)\n", 15);
    expect_none(path, " is no library");
    write_file(path, "", 0);
    expect_none(path, " is no library");
    size_t size = read_stand_in("good", data, sizeof(data));
    for (size_t n = 64; n < 13000 && n < size; n += 500) { /* the loader would die of SIGBUS */
        write_file(path, data, n);
        (void)setenv("RANGEFINDER_CUPTI", path, 1);
        if (rf_cupti_library_load(&library, DRIVER, NULL) == 0)
            break; /* what is left are sections that nobody maps */
        CHECK(has(" is damaged: a part of it is missing"));
        CHECK(n + 500 < size);
    }
}

CASE(not_loadable)
{
    (void)setenv("RANGEFINDER_CUPTI", "/proc/self/exe", 1); /* a program, no library */
    CHECK(rf_cupti_library_load(&library, DRIVER, NULL) == -1);
    CHECK(strncmp(library.tried, "/proc/self/exe cannot be loaded: cannot ", 40) == 0);
}

CASE(another_architecture)
{
    static char data[1 << 20];
    const char *path = in("arch/libcupti.so.97");
    size_t size = read_stand_in("good", data, sizeof(data));
    data[18] = 21; /* e_machine: ppc64 */
    write_file(path, data, size);
    expect_none(path, " is for ppc64, this program for ");
    data[18] = 3;
    data[4] = 1; /* of 32 bits */
    write_file(path, data, size);
    expect_none(path, " is for 32-bit x86, this program for ");
}

CASE(not_usable)
{
    expect_none(put("lacking", "lacks/libcupti.so.97"), " lacks cuptiSubscribe: ");
    expect_none(put("old", "old/libcupti.so.97"), " is too old: ");
    expect_none(put("good", "named/libcupti.so.11.7"), " is too old: ");
    expect_none(put("failing", "fails/libcupti.so.97"), " does not say its version (error 999)");
}

static void map_runtime(const char *name)
{
    CHECK(dlopen(put("runtime", name), RTLD_NOW | RTLD_LOCAL) != NULL);
}

/* Of one name and one major version: the newest by what it says, not the nearest. */
CASE(newest_build)
{
    char list[2 * PATH_MAX];
    (void)put("first-build", "builds/a/libcupti.so.97");
    const char *path = put("good", "builds/b/libcupti.so.97");
    (void)put("first-build", "builds/c/libcupti.so.97");
    (void)snprintf(list, sizeof(list), "%s:%s:%s", in("builds/a"), in("builds/b"), in("builds/c"));
    (void)setenv("LD_LIBRARY_PATH", list, 1);
    map_runtime("builds/own/libcudart.so.12");
    (void)put("first-build", "builds/own/libcupti.so.97");
    expect(path, DRIVER);
    CHECK(library.version == 970100);
}

/* One that is of no use without the driver's library. */
CASE(needs_the_driver)
{
    expect_none(put("silent", "silent/libcupti.so.97"), ": since CUDA 13.5 it needs the driver's");
}

/* A bad one does not hide a good one. */
CASE(passed_over)
{
    char list[PATH_MAX];
    const char *bad = put("lacking", "over/libcupti.so.97");
    const char *path = put("good", "taken/libcupti.so.97");
    (void)snprintf(list, sizeof(list), "%s:%s:%s", in("none"), in("over"), in("taken"));
    (void)setenv("LD_LIBRARY_PATH", list, 1);
    expect(path, DRIVER);
    CHECK(strncmp(library.tried, bad, strlen(bad)) == 0);
}

CASE(mapped_already)
{
    const char *path = put("good", "mapped/libcupti.so.95");
    (void)setenv("RANGEFINDER_CUPTI", put("good", "other/libcupti.so.97"), 1);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != NULL);
    expect(path, DRIVER);
    CHECK(library.handle == handle);
    CHECK(has("other/libcupti.so.97 is not used: the program has one loaded already"));
}

/* Two in one process disturb each other: another one is not loaded beside it. */
CASE(mapped_and_old)
{
    CHECK(dlopen(put("old", "mapped-old/libcupti.so.97"), RTLD_NOW) != NULL);
    (void)put("good", "beside/libcupti.so.97");
    (void)setenv("LD_LIBRARY_PATH", in("beside"), 1);
    CHECK(rf_cupti_library_load(&library, DRIVER, NULL) == -1);
    CHECK(has("mapped-old/libcupti.so.97 is too old"));
}

CASE(beside_the_runtime_of_packages)
{
    map_runtime("env/site/nvidia/cuda_runtime/lib/libcudart.so.12");
    const char *path = put("good", "env/site/nvidia/cuda_cupti/lib/libcupti.so.96");
    (void)put("good", "ld/libcupti.so.97"); /* closer to the driver, but not the program's own */
    (void)setenv("LD_LIBRARY_PATH", in("ld"), 1);
    expect(path, DRIVER);
}

CASE(beside_the_runtime_of_a_toolkit)
{
    map_runtime("cuda-x/targets/any/lib/libcudart.so.12.4.127");
    expect(put("good", "cuda-x/extras/CUPTI/lib64/libcupti.so.97"), DRIVER);
}

CASE(beside_the_runtime_itself)
{
    map_runtime("flat/libcudart.so.12");
    expect(put("good", "flat/libcupti.so.97"), DRIVER);
}

CASE(packages_of_this_python)
{
    CHECK(dlopen(put("runtime", "v/lib/python3.12/site-packages/torch/lib/any.so"), RTLD_NOW));
    expect(put("good", "v/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.97"), DRIVER);
}

static void expect_by(const char *variable, const char *value, const char *name)
{
    (void)setenv(variable, in(value), 1);
    expect(put("good", name), DRIVER);
}

/* An interpreter that is called by its path, without an active environment. */
CASE(environment_of_this_python)
{
    char name[PATH_MAX];
    (void)snprintf(name, sizeof(name), "%s", in("e-1/bin/python3"));
    program_invocation_name = name;
    (void)setenv("CUDA_HOME", in("toolkit-1"), 1);
    (void)put("good", "toolkit-1/lib64/libcupti.so.97");
    expect(put("good", "e-1/lib/python3.11/site-packages/nvidia/cu13/lib/libcupti.so.96"), DRIVER);
}

CASE(by_pythonpath)
{
    expect_by("PYTHONPATH", "pp", "pp/nvidia/cuda_cupti/lib/libcupti.so.97");
}

CASE(by_virtual_env)
{
    expect_by("VIRTUAL_ENV", "venv",
              "venv/lib/python3.9/site-packages/nvidia/cuda_cupti/lib/libcupti.so.97");
}

CASE(by_conda)
{
    expect_by("CONDA_PREFIX", "conda", "conda/lib/libcupti.so.97");
}

CASE(by_cuda_home)
{
    expect_by("CUDA_HOME", "home", "home/extras/CUPTI/lib64/libcupti.so.97");
}

CASE(by_cuda_path)
{
    expect_by("CUDA_PATH", "path", "path/lib64/libcupti.so.97");
}

/* One that is newer than the driver is taken after all others, and that is said. */
CASE(newer_than_the_driver)
{
    (void)put("good", "newer/libcupti.so.98");
    (void)setenv("RANGEFINDER_CUPTI", in("newer"), 1);
    expect(in("newer/libcupti.so.98"), 97000);
    CHECK(library.major == 98);
    CHECK(has("newer/libcupti.so.98 is of CUDA 98, the driver of 97"));
}

CASE(perfworks)
{
    const char *path = put("good", "perf/libcupti.so.97");
    const char *host = put("runtime", "perf/libnvperf_host.so");
    (void)setenv("RANGEFINDER_CUPTI", path, 1);
    expect(path, DRIVER);
    CHECK(dlopen(host, RTLD_NOW | RTLD_NOLOAD) == NULL);
    errno = 4711;
    rf_cupti_library_load_perfworks(&library);
    CHECK(errno == 4711);
    CHECK(dlopen(host, RTLD_NOW | RTLD_NOLOAD) != NULL);
}

/* What is said is cut behind a whole reason. */
CASE(many_bad_files)
{
    char name[256];
    for (int i = 12; i < 100; i++) {
        (void)snprintf(name, sizeof(name), "bad-ones-with-a-long-name/libcupti.so.%d", i);
        write_file(in(name), "no", 2);
    }
    (void)setenv("RANGEFINDER_CUPTI", in("bad-ones-with-a-long-name"), 1);
    CHECK(rf_cupti_library_load(&library, DRIVER, NULL) == -1);
    size_t size = strlen(library.tried);
    CHECK(size > 900 && size < sizeof(library.tried));
    CHECK(strcmp(library.tried + size - strlen(" is no library"), " is no library") == 0);
}

static void *load_in_thread(void *data)
{
    static __thread struct rf_cupti_library own;
    (void)data;
    return rf_cupti_library_load(&own, DRIVER, NULL) == 0 ? own.handle : NULL;
}

CASE(many_threads)
{
    pthread_t threads[8];
    void *first = NULL;
    (void)setenv("RANGEFINDER_CUPTI", put("good", "threads/libcupti.so.97"), 1);
    for (size_t i = 0; i < 8; i++)
        CHECK(pthread_create(&threads[i], NULL, load_in_thread, NULL) == 0);
    for (size_t i = 0; i < 8; i++) {
        void *handle = NULL;
        CHECK(pthread_join(threads[i], &handle) == 0);
        CHECK(handle != NULL && (first == NULL || first == handle));
        first = handle;
    }
}

/* ---- Versions and ranks ---- */

static void test_versions(void **state)
{
    static const struct {
        uint32_t version;
        int major, minor;
    } known[] = {{18, 11, 8},     {20, 12, 2},     {21, 12, 3},     {22, 12, 4},
                 {24, 12, 6},     {26, 12, 8},     {28, 12, 9},     {130000, 13, 0},
                 {130001, 13, 0}, {130101, 13, 1}, {130500, 13, 5}, {140200, 14, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        int major = 0, minor = 0;
        rf_cupti_version(known[i].version, &major, &minor);
        assert_int_equal(major, known[i].major);
        assert_int_equal(minor, known[i].minor);
    }
}

/* 12.0 and 12.1 say what 11.8 says; the name of the file knows. */
CASE(major_by_the_name)
{
    const char *path = put("of-18", "name/libcupti.so.12");
    (void)setenv("RANGEFINDER_CUPTI", path, 1);
    expect(path, 12010);
    CHECK(library.version == 18 && library.major == 12 && library.minor == 0);
}

/* Of one that stands alone. */
static long rank(const struct rf_cupti_candidate *candidate, int driver)
{
    static struct rf_cupti_places none;
    return rf_cupti_candidate_rank(&none, candidate, driver);
}

static void test_ranks(void **state)
{
    static const struct rf_cupti_candidate order[] = {
        {.place = RF_CUPTI_BESIDE_RUNTIME, .major = 12},
        {.place = RF_CUPTI_BESIDE_RUNTIME, .major = 11, .minor = 8},
        {.place = RF_CUPTI_OWN_PYTHON, .major = 12},
        {.place = RF_CUPTI_LOADER, .major = 13},
        {.place = RF_CUPTI_TOOLKIT, .major = 13},
        {.place = RF_CUPTI_LOADER, .major = 12},
        {.place = RF_CUPTI_TOOLKIT, .major = 12},
        {.place = RF_CUPTI_PYTHON, .major = 11, .minor = 8},
        {.place = RF_CUPTI_BUNDLED, .major = 11, .minor = 8},
        {.place = RF_CUPTI_BUNDLED, .major = 11, .minor = 7},
        {.place = RF_CUPTI_BESIDE_RUNTIME, .major = 14},
        {.place = RF_CUPTI_TOOLKIT, .major = 14},
        {.place = RF_CUPTI_TOOLKIT, .major = 15},
    };
    (void)state;
    for (size_t i = 1; i < sizeof(order) / sizeof(order[0]); i++)
        assert_true(rank(&order[i - 1], 13) < rank(&order[i], 13));
    /* With no driver known, the newest. */
    assert_true(rank(&order[12], 0) < rank(&order[3], 0));
}

/* Of the driver's major version the newest, wherever it is, if the program has one at all. */
static void test_ranks_of_builds(void **state)
{
    static struct rf_cupti_places places;
    static const struct rf_cupti_candidate builds[] = {
        {.place = RF_CUPTI_TOOLKIT, .major = 13, .version = 130100},
        {.place = RF_CUPTI_OWN_PYTHON, .major = 13, .version = 130001},
        {.place = RF_CUPTI_TOOLKIT, .major = 13, .version = 130001},
        {.place = RF_CUPTI_BESIDE_RUNTIME, .major = 13, .version = 130000},
        {.place = RF_CUPTI_BESIDE_RUNTIME, .major = 12, .version = 28},
    };
    (void)state;
    places.n = sizeof(builds) / sizeof(builds[0]);
    memcpy(places.candidates, builds, sizeof(builds));
    for (size_t i = 1; i < places.n; i++)
        assert_true(rf_cupti_candidate_rank(&places, &builds[i - 1], 13) <
                    rf_cupti_candidate_rank(&places, &builds[i], 13));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_ranks_of_builds),
        cmocka_unit_test(test_named_file),
        cmocka_unit_test(test_needed_function),
        cmocka_unit_test(test_named_folder),
        cmocka_unit_test(test_named_and_missing),
        cmocka_unit_test(test_no_library),
        cmocka_unit_test(test_another_architecture),
        cmocka_unit_test(test_not_loadable),
        cmocka_unit_test(test_not_usable),
        cmocka_unit_test(test_newest_build),
        cmocka_unit_test(test_needs_the_driver),
        cmocka_unit_test(test_passed_over),
        cmocka_unit_test(test_mapped_already),
        cmocka_unit_test(test_mapped_and_old),
        cmocka_unit_test(test_beside_the_runtime_of_packages),
        cmocka_unit_test(test_beside_the_runtime_of_a_toolkit),
        cmocka_unit_test(test_beside_the_runtime_itself),
        cmocka_unit_test(test_packages_of_this_python),
        cmocka_unit_test(test_environment_of_this_python),
        cmocka_unit_test(test_by_pythonpath),
        cmocka_unit_test(test_by_virtual_env),
        cmocka_unit_test(test_by_conda),
        cmocka_unit_test(test_by_cuda_home),
        cmocka_unit_test(test_by_cuda_path),
        cmocka_unit_test(test_newer_than_the_driver),
        cmocka_unit_test(test_major_by_the_name),
        cmocka_unit_test(test_perfworks),
        cmocka_unit_test(test_many_bad_files),
        cmocka_unit_test(test_many_threads),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
