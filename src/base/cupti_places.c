/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cupti_places.h"

#include <errno.h>
#include <glob.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cupti_library.h"
#include "base/cupti_version.h"

/* By the version that every glibc has. */
#if defined(__x86_64__)
__asm__(".symver glob,glob@GLIBC_2.2.5");
#define MULTIARCH "x86_64-linux-gnu"
#else
__asm__(".symver glob,glob@GLIBC_2.17");
#define MULTIARCH "aarch64-linux-gnu"
#endif

#define SONAME "libcupti.so."

/* Folders are patterns of glob(); a toolkit's libraries are in one of these. */
static const char *const in_toolkit[] = {"/lib64", "/lib", "/extras/CUPTI/lib64", "/targets/*/lib",
                                         NULL};
static const char *const in_folder[] = {"", NULL};
static const char *const in_site[] = {"/nvidia/cuda_cupti/lib", "/nvidia/cu[1-9]*/lib", NULL};
static const char *const in_prefix[] = {"/python3*/site-packages", "/python3*/dist-packages",
                                        "/python3/dist-packages", NULL};
static const char *const toolkits[] = {"/usr/local/cuda",
                                       "/usr/local/cuda-*",
                                       "/opt/cuda",
                                       "/opt/nvidia/cuda*",
                                       "/opt/nvidia/hpc_sdk/*/*/cuda/*",
                                       NULL};
static const char *const system_folders[] = {"/usr/lib/" MULTIARCH, "/usr/lib64", NULL};
static const char *const bundles[] = {"/opt/nvidia/nsight-systems/*/target-linux-*",
                                      "/usr/local/cuda-*/nsight-systems-*/target-linux-*",
                                      "/usr/lib/" MULTIARCH "/nsight-systems/target-linux-*",
                                      "/usr/lib/nsight-systems/target-linux-*", NULL};

/* ---- Candidates ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* One or two digits at *at, which goes behind them; 0: there are none, or more. */
static int parse_number(const char **at)
{
    int value = 0;
    const char *from = *at;
    while (**at >= '0' && **at <= '9' && *at - from < 3)
        value = 10 * value + *(*at)++ - '0';
    return *at - from < 3 ? value : 0;
}

/* "libcupti.so.12" or "libcupti.so.11.8"; false: another name, as that of the file behind the
 * soname, libcupti.so.2025.3.1. */
static bool parse_name(const char *name, int *major, int *minor)
{
    *major = *minor = 0;
    if (strncmp(name, SONAME, strlen(SONAME)) != 0)
        return false;
    name += strlen(SONAME);
    int first = parse_number(&name);
    int second = *name == '.' ? (name++, parse_number(&name)) : 0;
    if (first == 0 || *name != '\0')
        return false;
    *major = first;
    *minor = second;
    return true;
}

/* The name tells the major version at most. */
static void look_into(struct rf_cupti_candidate *candidate)
{
    int major, minor;
    if (candidate->real[0] != '\0')
        candidate->version = rf_cupti_version_of_file(candidate->real);
    if (candidate->version == 0)
        return;
    rf_cupti_version(candidate->version, &major, &minor);
    if (candidate->major == 0)
        candidate->major = major;
    if (candidate->major == major)
        candidate->minor = minor;
    else
        candidate->version = 0; /* 12.0 and 12.1 say what 11.8 says */
}

static void add(struct rf_cupti_places *places, enum rf_cupti_place place, const char *path)
{
    struct rf_cupti_candidate *new = &places->candidates[places->n];
    if (places->n == RF_CUPTI_MAX_CANDIDATES || strlen(path) >= sizeof(new->path))
        return;
    new->real[0] = '\0';
    if (strchr(path, '/') != NULL && realpath(path, new->real) == NULL)
        new->real[0] = '\0'; /* it is not there: to be said, where it was named */
    for (size_t i = 0; i < places->n && new->real[0] != '\0'; i++)
        if (strcmp(places->candidates[i].real, new->real) == 0)
            return;
    memcpy(new->path, path, strlen(path) + 1);
    new->place = place;
    (void)parse_name(base_name(path), &new->major, &new->minor);
    look_into(new);
    places->n++;
}

/* Adds what is named as a soname in the folders base/rest; both are patterns. */
static void add_folders(struct rf_cupti_places *places, enum rf_cupti_place place, const char *base,
                        const char *rest)
{
    glob_t found = {0};
    int major, minor;
    int size =
        snprintf(places->pattern, sizeof(places->pattern), "%s%s/" SONAME "[1-9]*", base, rest);
    if (size < 0 || (size_t)size >= sizeof(places->pattern) || base[0] != '/')
        return;
    if (glob(places->pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (parse_name(base_name(found.gl_pathv[i]), &major, &minor))
                add(places, place, found.gl_pathv[i]);
    }
    globfree(&found);
}

static void add_each(struct rf_cupti_places *places, enum rf_cupti_place place, const char *base,
                     const char *const *rests)
{
    for (; *rests != NULL; rests++)
        add_folders(places, place, base, *rests);
}

/* The pattern that matches the path alone, PATH_MAX bytes; "": there is no room. */
static void escape(char *pattern, const char *path, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        if (n + 3 > PATH_MAX) {
            n = 0;
            break;
        }
        if (strchr("*?[\\", path[i]) != NULL)
            pattern[n++] = '\\';
        pattern[n++] = path[i];
    }
    while (n > 1 && pattern[n - 1] == '/')
        n--;
    pattern[n] = '\0';
}

/* ---- What is mapped ---- */

/* Puts the folder, as a pattern, unless it is there or there is no room. */
static void put(char (*list)[PATH_MAX], const char *folder, size_t size)
{
    size_t n = 0;
    while (n < RF_CUPTI_MAX_MAPPED && list[n][0] != '\0')
        n++;
    if (n == RF_CUPTI_MAX_MAPPED || folder[0] != '/')
        return;
    escape(list[n], folder, size);
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], list[n]) == 0)
            list[n][0] = '\0';
}

static void put_site(struct rf_cupti_places *places, const char *path, const char *name)
{
    const char *found = strstr(path, name);
    if (found != NULL)
        put(places->sites, path, (size_t)(found - path) + strlen(name) - 1);
}

/* Under the loader's lock: copies names, and touches no file. */
static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
    struct rf_cupti_places *places = data;
    const char *path = info->dlpi_name;
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    (void)size;
    if (slash == NULL)
        return 0;
    const char *name = slash + 1;
    size_t folder = (size_t)(slash - path);
    bool is_cupti = strncmp(name, "libcupti.", 9) == 0 || strncmp(name, "libcupti-", 9) == 0;
    if (is_cupti && places->mapped[0] == '\0' && strlen(path) < sizeof(places->mapped))
        memcpy(places->mapped, path, strlen(path) + 1);
    if (strncmp(name, "libcudart", 9) == 0)
        put(places->runtimes, path, folder);
    if (strncmp(name, "libpython3", 10) == 0)
        put(places->pythons, path, folder);
    put_site(places, path, "/site-packages/");
    put_site(places, path, "/dist-packages/");
    return 0;
}

/* PREFIX/lib, where this path is PREFIX/bin/python3.N. */
static void put_python(struct rf_cupti_places *places, const char *path)
{
    char lib[PATH_MAX];
    const char *name = strrchr(path, '/');
    const char *bin = name != NULL ? memrchr(path, '/', (size_t)(name - path)) : NULL;
    size_t size = bin != NULL ? (size_t)(bin - path) : 0;
    if (bin == NULL || strncmp(name, "/python", 7) != 0 || size + sizeof("/lib") > sizeof(lib))
        return;
    memcpy(lib, path, size);
    memcpy(lib + size, "/lib", sizeof("/lib"));
    put(places->pythons, lib, size + strlen("/lib"));
}

/* The interpreter that runs: as it was called, which names its virtual environment, and as it is.
 */
static void look_at_program(struct rf_cupti_places *places)
{
    char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[size > 0 ? size : 0] = '\0';
    if (program_invocation_name != NULL)
        put_python(places, program_invocation_name);
    put_python(places, path);
}

/* ---- Places ---- */

/* Beside libcudart: in its folder, in the toolkit around it, in the neighbour of its package. */
static void add_around(struct rf_cupti_places *places, const char *runtime)
{
    char folder[PATH_MAX];
    memcpy(folder, runtime, strlen(runtime) + 1);
    add_folders(places, RF_CUPTI_BESIDE_RUNTIME, folder, "");
    for (int level = 0; level < 4; level++) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash == folder)
            return;
        *slash = '\0';
        add_folders(places, RF_CUPTI_BESIDE_RUNTIME, folder, "/extras/CUPTI/lib64");
        add_folders(places, RF_CUPTI_BESIDE_RUNTIME, folder, "/cuda_cupti/lib");
    }
}

static void add_prefix(struct rf_cupti_places *places, enum rf_cupti_place place, const char *lib)
{
    char site[PATH_MAX];
    add_folders(places, place, lib, "");
    for (size_t i = 0; in_prefix[i] != NULL; i++)
        if (snprintf(site, sizeof(site), "%s%s", lib, in_prefix[i]) < (int)sizeof(site))
            add_each(places, place, site, in_site);
}

/* Below the folder that a variable of the environment names: Python's packages. */
static void add_environment(struct rf_cupti_places *places, const char *name, const char *rest)
{
    char base[PATH_MAX], lib[PATH_MAX];
    const char *value = getenv(name);
    if (value == NULL)
        return;
    escape(base, value, strlen(value));
    if (snprintf(lib, sizeof(lib), "%s%s", base, rest) < (int)sizeof(lib))
        add_prefix(places, RF_CUPTI_PYTHON, lib);
}

static void add_toolkit(struct rf_cupti_places *places, const char *name)
{
    char base[PATH_MAX];
    const char *value = getenv(name);
    if (value == NULL)
        return;
    escape(base, value, strlen(value));
    add_each(places, RF_CUPTI_TOOLKIT, base, in_toolkit);
}

/* The folders of a list, with colons between. */
static void add_list(struct rf_cupti_places *places, enum rf_cupti_place place, const char *name,
                     const char *const *rests)
{
    char folder[PATH_MAX];
    const char *at = getenv(name);
    while (at != NULL && *at != '\0') {
        size_t size = strcspn(at, ":;");
        escape(folder, at, size);
        add_each(places, place, folder, rests);
        at += size + (at[size] != '\0');
    }
}

static void add_sonames(struct rf_cupti_places *places)
{
    static const char *const names[] = {"16", "15", "14", "13", "12", "11.8"};
    char path[32];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), SONAME "%s", names[i]);
        add(places, RF_CUPTI_LOADER, path);
    }
}

/* A folder that has some, or a file, which may be missing: that is said then. */
static void add_named(struct rf_cupti_places *places, const char *path)
{
    char folder[PATH_MAX];
    escape(folder, path, strlen(path));
    add_folders(places, RF_CUPTI_NAMED, folder, "");
    if (places->n == 0)
        add(places, RF_CUPTI_NAMED, path);
}

static void add_own(struct rf_cupti_places *places)
{
    look_at_program(places);
    for (size_t i = 0; i < RF_CUPTI_MAX_MAPPED && places->runtimes[i][0] != '\0'; i++)
        add_around(places, places->runtimes[i]);
    for (size_t i = 0; i < RF_CUPTI_MAX_MAPPED && places->sites[i][0] != '\0'; i++)
        add_each(places, RF_CUPTI_OWN_PYTHON, places->sites[i], in_site);
    for (size_t i = 0; i < RF_CUPTI_MAX_MAPPED && places->pythons[i][0] != '\0'; i++)
        add_prefix(places, RF_CUPTI_OWN_PYTHON, places->pythons[i]);
    add_list(places, RF_CUPTI_OWN_PYTHON, "PYTHONPATH", in_site);
}

static void add_usual(struct rf_cupti_places *places)
{
    add_list(places, RF_CUPTI_LOADER, "LD_LIBRARY_PATH", in_folder);
    add_sonames(places);
    add_environment(places, "VIRTUAL_ENV", "/lib");
    add_environment(places, "CONDA_PREFIX", "/lib");
    add_toolkit(places, "CUDA_HOME");
    add_toolkit(places, "CUDA_PATH");
    for (size_t i = 0; toolkits[i] != NULL; i++)
        add_each(places, RF_CUPTI_TOOLKIT, toolkits[i], in_toolkit);
    for (size_t i = 0; system_folders[i] != NULL; i++)
        add_folders(places, RF_CUPTI_TOOLKIT, system_folders[i], "");
    add_prefix(places, RF_CUPTI_PYTHON, "/usr/local/lib");
    add_prefix(places, RF_CUPTI_PYTHON, "/usr/lib");
    add_environment(places, "HOME", "/.local/lib");
    for (size_t i = 0; bundles[i] != NULL; i++)
        add_folders(places, RF_CUPTI_BUNDLED, bundles[i], "");
}

void rf_cupti_places_find(struct rf_cupti_places *places)
{
    const char *named = getenv("RANGEFINDER_CUPTI");
    (void)dl_iterate_phdr(look_at, places);
    if (places->mapped[0] != '\0') {
        add(places, RF_CUPTI_MAPPED, places->mapped);
    } else if (named != NULL && named[0] != '\0') {
        add_named(places, named);
    } else {
        add_own(places);
        add_usual(places);
    }
}

/* How new it is among those of its major version; 0 to 9999. */
static long newness(const struct rf_cupti_candidate *candidate)
{
    return candidate->version >= 100000 ? candidate->version % 10000 : 100L * candidate->minor;
}

/* Would the program itself load one of this major version? */
static bool has_own(const struct rf_cupti_places *places, int major)
{
    for (size_t i = 0; i < places->n; i++)
        if (places->candidates[i].place <= RF_CUPTI_OWN_PYTHON &&
            places->candidates[i].major == major)
            return true;
    return false;
}

long rf_cupti_candidate_rank(const struct rf_cupti_places *places,
                             const struct rf_cupti_candidate *candidate, int driver)
{
    const long tier = 100000000;
    long place = candidate->place;
    long age =
        10000L * ((driver != 0 ? driver : 99) - candidate->major) + 9999 - newness(candidate);
    bool is_newer = driver != 0 && candidate->major > driver;
    if (place <= RF_CUPTI_NAMED)
        return is_newer ? tier - age : age;
    if (is_newer)
        return 8 * tier - 10 * age + place;
    if (place == RF_CUPTI_BUNDLED)
        return 6 * tier + age;
    if (driver != 0 && candidate->major == driver)
        return (has_own(places, driver) ? 2 : 4) * tier + 10 * age + place;
    return place <= RF_CUPTI_OWN_PYTHON ? 3 * tier + 2000000 * place + age
                                        : 5 * tier + 10 * age + place;
}
