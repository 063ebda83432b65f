/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cupti_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cupti_places.h"
#include "base/cupti_version.h"

/* By the version that every glibc has; absent (weak) only where an old one runs a program that
 * could not load a CUDA library either. */
#if defined(__x86_64__)
#define OLDEST      "GLIBC_2.2.5"
#define OUR_MACHINE EM_X86_64
#else
#define OLDEST      "GLIBC_2.17"
#define OUR_MACHINE EM_AARCH64
#endif
__asm__(".symver dlopen,dlopen@" OLDEST);
__asm__(".symver dlsym,dlsym@" OLDEST);
__asm__(".symver dlclose,dlclose@" OLDEST);
__asm__(".symver dlerror,dlerror@" OLDEST);
__asm__(".symver dladdr,dladdr@" OLDEST);
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dlerror
#pragma weak dladdr

/* cuptiGetVersion() of the oldest that is supported: of CUDA 11.8. */
#define OLDEST_VERSION 18
#define OLDEST_SAID    "that of CUDA 11.8 is the oldest that can be used"

/* What recording cannot do without. */
static const char *const needed[] = {"cuptiActivityDisable",
                                     "cuptiActivityEnable",
                                     "cuptiActivityFlushAll",
                                     "cuptiActivityGetNextRecord",
                                     "cuptiActivityRegisterCallbacks",
                                     "cuptiEnableCallback",
                                     "cuptiGetCallbackName",
                                     "cuptiGetTimestamp",
                                     "cuptiGetVersion",
                                     "cuptiSetThreadIdType",
                                     "cuptiSubscribe",
                                     NULL};

/* Adds "PATH REASON" to what was tried. */
__attribute__((format(printf, 3, 4))) static void note(struct rf_cupti_library *library,
                                                       const char *path, const char *reason, ...)
{
    size_t at = strlen(library->tried);
    size_t room = sizeof(library->tried) - at;
    char text[512];
    va_list arguments;
    va_start(arguments, reason);
    (void)vsnprintf(text, sizeof(text), reason, arguments);
    va_end(arguments);
    int size = snprintf(library->tried + at, room, "%s%s %s", at > 0 ? "; " : "", path, text);
    if (size >= (int)room && at > 0)
        library->tried[at] = '\0'; /* no part of a sentence behind whole ones */
}

/* ---- One file ---- */

static const char *machine_name(unsigned machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86-64";
    case EM_AARCH64:
        return "aarch64";
    case EM_386:
        return "32-bit x86";
    case EM_PPC64:
        return "ppc64";
    default:
        return "an unknown processor";
    }
}

/* Does the file have all that the loader will map? It ends the program where it does not: SIGBUS.
 */
static bool is_whole(int fd, const Elf64_Ehdr *header)
{
    Elf64_Phdr segment;
    off_t size = lseek(fd, 0, SEEK_END);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        off_t at = (off_t)(header->e_phoff + i * sizeof(segment));
        if (pread(fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment))
            return false;
        if (segment.p_type == PT_LOAD && (segment.p_offset > (uint64_t)size ||
                                          segment.p_filesz > (uint64_t)size - segment.p_offset))
            return false;
    }
    return size > 0;
}

/* Says what is wrong with a file before the loader does, in words that name it. */
static bool check_file(struct rf_cupti_library *library, const char *path)
{
    Elf64_Ehdr header = {0};
    char text[128];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        note(library, path, "cannot be opened: %s", strerror_r(errno, text, sizeof(text)));
        return false;
    }
    ssize_t size = read(fd, &header, sizeof(header));
    bool is_good = false;
    if (size != (ssize_t)sizeof(header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        note(library, path, "is no library");
    else if (header.e_machine != OUR_MACHINE || header.e_ident[EI_CLASS] != ELFCLASS64)
        note(library, path, "is for %s, this program for %s", machine_name(header.e_machine),
             machine_name(OUR_MACHINE));
    else if (header.e_phentsize != sizeof(Elf64_Phdr) || !is_whole(fd, &header))
        note(library, path, "is damaged: a part of it is missing");
    else
        is_good = true;
    (void)close(fd);
    return is_good;
}

/* The loader says nothing that helps of a soname that it does not find. */
static void note_loader(struct rf_cupti_library *library, const char *path)
{
    const char *text = dlerror();
    size_t size = strlen(path);
    bool is_named = text != NULL && strncmp(text, path, size) == 0;
    if (strchr(path, '/') == NULL && (text == NULL || is_named))
        return;
    if (is_named && strncmp(text + size, ": ", 2) == 0)
        text += size + 2;
    note(library, path, "cannot be loaded: %s", text != NULL ? text : "no reason given");
}

/* A function that the library has not, of those needed; NULL: it has all. */
static const char *find_missing(void *handle, const char *needs)
{
    for (size_t i = 0; needed[i] != NULL; i++)
        if (dlsym(handle, needed[i]) == NULL)
            return needed[i];
    return needs != NULL && dlsym(handle, needs) == NULL ? needs : NULL;
}

/* Is this library what we need? */
static bool check_library(struct rf_cupti_library *library, void *handle, const char *path,
                          const char *needs)
{
    typedef unsigned get_version_function(uint32_t *);
    get_version_function *get_version = NULL;
    const char *missing = find_missing(handle, needs);
    if (missing != NULL) {
        note(library, path, "lacks %s: too old, or no libcupti", missing);
        return false;
    }
    *(void **)&get_version = dlsym(handle, "cuptiGetVersion");
    unsigned result = get_version(&library->version);
    if (result != 0)
        note(library, path, "does not say its version (error %u)%s", result,
             rf_cupti_version_of_file(path) >= 130500 ? ": since CUDA 13.5 it needs the driver's"
                                                        " library"
                                                      : "");
    else if (library->version < OLDEST_VERSION)
        note(library, path, "is too old: " OLDEST_SAID);
    else
        return true;
    return false;
}

/* Takes what was found good. */
static void take(struct rf_cupti_library *library, void *handle,
                 const struct rf_cupti_candidate *candidate)
{
    Dl_info info = {0};
    void *address = dlsym(handle, "cuptiGetVersion");
    const char *path = candidate->path;
    if (dladdr(address, &info) != 0 && info.dli_fname != NULL && strchr(info.dli_fname, '/'))
        path = info.dli_fname;
    library->handle = handle;
    (void)snprintf(library->path, sizeof(library->path), "%s", path);
    rf_cupti_version(library->version, &library->major, &library->minor);
    if (candidate->major > library->major) {
        library->major = candidate->major;
        library->minor = 0;
    }
}

static bool try_candidate(struct rf_cupti_library *library,
                          const struct rf_cupti_candidate *candidate, const char *needs)
{
    const char *path = candidate->path;
    int loaded = candidate->place == RF_CUPTI_MAPPED ? RTLD_NOLOAD : 0;
    if (candidate->major != 0 && 10 * candidate->major + candidate->minor < 118) {
        if (candidate->place != RF_CUPTI_BUNDLED) /* nsys has one of each version */
            note(library, path, "is too old: " OLDEST_SAID);
        return false;
    }
    if (strchr(path, '/') != NULL && !check_file(library, path))
        return false;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | loaded);
    if (handle == NULL) {
        note_loader(library, path);
        return false;
    }
    if (!check_library(library, handle, path, needs)) {
        (void)dlclose(handle);
        return false;
    }
    take(library, handle, candidate);
    return true;
}

/* ---- All of them ---- */

/* The next one to try; NULL: none is left. done: a bit for each that was tried. */
static const struct rf_cupti_candidate *next_candidate(const struct rf_cupti_places *places,
                                                       int driver, uint64_t *done)
{
    size_t best = places->n;
    long best_rank = 0;
    for (size_t i = 0; i < places->n; i++) {
        long rank = rf_cupti_candidate_rank(places, &places->candidates[i], driver);
        if ((*done >> i & 1) == 0 && (best == places->n || rank < best_rank)) {
            best = i;
            best_rank = rank;
        }
    }
    if (best == places->n)
        return NULL;
    *done |= (uint64_t)1 << best;
    return &places->candidates[best];
}
_Static_assert(RF_CUPTI_MAX_CANDIDATES <= 64, "one bit each");

static void try_all(struct rf_cupti_library *library, struct rf_cupti_places *places, int driver,
                    const char *needs)
{
    const struct rf_cupti_candidate *candidate;
    uint64_t done = 0;
    const char *named = getenv("RANGEFINDER_CUPTI");
    rf_cupti_places_find(places);
    if (named != NULL && named[0] != '\0' && places->candidates[0].place == RF_CUPTI_MAPPED &&
        strcmp(named, places->candidates[0].path) != 0)
        note(library, named, "is not used: the program has one loaded already");
    while ((candidate = next_candidate(places, driver, &done)) != NULL) {
        if (try_candidate(library, candidate, needs))
            break;
    }
    if (library->handle != NULL && driver != 0 && library->major > driver)
        note(library, library->path,
             "is of CUDA %d, the driver of %d: too new, taken for want of a better one",
             library->major, driver);
}

int rf_cupti_library_load(struct rf_cupti_library *library, int driver, const char *needs)
{
    int saved_errno = errno;
    struct rf_cupti_places *places = dlopen != NULL ? calloc(1, sizeof(*places)) : NULL;
    memset(library, 0, sizeof(*library));
    if (places != NULL)
        try_all(library, places, driver / 1000, needs);
    free(places);
    errno = saved_errno;
    return library->handle != NULL ? 0 : -1;
}

void rf_cupti_library_load_perfworks(const struct rf_cupti_library *library)
{
    static const char *const names[] = {"libnvperf_target.so", "libnvperf_host.so"};
    int saved_errno = errno;
    char path[PATH_MAX + 32];
    const char *slash = strrchr(library->path, '/');
    for (size_t i = 0; slash != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - library->path), library->path,
                       names[i]);
        (void)dlopen(path,
                     RTLD_NOW | RTLD_LOCAL); /* for good; where it is missing, CUPTI says so */
    }
    errno = saved_errno;
}

const char *rf_cupti_known_fault(uint32_t version)
{
    switch (version) {
    case 130000:
        return "that of CUDA 13.0 without update can hang or end programs, and misses waits for "
               "the device; 13.0 Update 1 is mended";
    case 22:
        return "that of CUDA 12.4 Update 1, which says the same version, loses kernels; 12.5 "
               "Update "
               "1 is mended";
    default:
        return NULL;
    }
}

void rf_cupti_version(uint32_t version, int *major, int *minor)
{
    static const uint8_t minors[] = {0, 2, 3, 4, 5, 6, 7, 8, 9, 9}; /* of 12, from 19 on */
    *major = 12;
    *minor = 0;
    if (version <= OLDEST_VERSION) {
        *major = 11;
        *minor = 8;
    } else if (version < 19 + sizeof(minors)) {
        *minor = minors[version - 19];
    } else if (version < 10000) {
        *minor = 9;
    } else {
        *major = (int)(version / 10000);
        *minor = (int)(version / 100 % 100);
    }
}
