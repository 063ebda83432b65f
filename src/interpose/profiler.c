/* SPDX-License-Identifier: Apache-2.0 */
/* librangefinder-profiler.so: stands, by LD_PRELOAD, in front of libcudart and libcuda, so that the
 * recorder sees cudaProfilerStart and Stop, whether there is a GPU or not. Everything else of CUDA
 * is left alone; the real functions are called too, and their results returned.
 *
 * It cannot see calls that go through no symbol: those of a statically linked CUDA runtime (nvcc's
 * default), and those through a pointer that dlsym() found in a library's own handle. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "log/layout.h"
#include "record/platform.h"

#define RF_EXPORT __attribute__((visibility("default")))

RF_EXPORT int cudaProfilerStart(void);
RF_EXPORT int cudaProfilerStop(void);
RF_EXPORT int cuProfilerStart(void);
RF_EXPORT int cuProfilerStop(void);

/* By the version that every glibc has; absent (weak) only where an old one runs a program that
 * could not load a CUDA library either. */
#if defined(__x86_64__)
#define RF_OLDEST "GLIBC_2.2.5"
#else
#define RF_OLDEST "GLIBC_2.17"
#endif
__asm__(".symver dlopen,dlopen@" RF_OLDEST);
__asm__(".symver dlsym,dlsym@" RF_OLDEST);
__asm__(".symver dlclose,dlclose@" RF_OLDEST);
__asm__(".symver dladdr,dladdr@" RF_OLDEST);
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dladdr

typedef int profiler_function(void);
typedef void recorder_function(void);

/* ---- The recorder ---- */

struct recorder_call {
    const char *name;
    recorder_function *function; /* atomic; NULL: not looked for, or not found */
};

static recorder_function *find_recorder(struct recorder_call *call)
{
    recorder_function *found = __atomic_load_n(&call->function, __ATOMIC_ACQUIRE);
    const char *path = getenv("NVTX_INJECTION64_PATH");
    if (found != NULL || path == NULL || getenv("RANGEFINDER_SESSION") == NULL || dlopen == NULL)
        return found;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* for good: it cannot be unloaded */
    if (library == NULL)
        return NULL;
    *(void **)&found = dlsym(library, call->name);
    __atomic_store_n(&call->function, found, __ATOMIC_RELEASE);
    return found;
}

static void tell_recorder(struct recorder_call *call)
{
    int saved_errno = errno;
    recorder_function *function = find_recorder(call);
    if (function != NULL)
        function();
    errno = saved_errno;
}

/* ---- The real functions ---- */

struct real_call {
    const char *name;
    profiler_function *ours;
    const char *library; /* how the name of the file begins that has it */
    const char *caller;  /* an address in what calls */
    void *found;
};

static void *symbol_of(const char *path, const struct real_call *call)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL)
        return NULL;
    void *found = dlsym(library, call->name);
    (void)dlclose(library); /* it was there before */
    return found != *(void **)&call->ours ? found : NULL;
}

static int look_in(struct dl_phdr_info *info, size_t size, void *data)
{
    struct real_call *call = data;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : info->dlpi_name;
    (void)size;
    if (strncmp(name, call->library, strlen(call->library)) != 0)
        return 0;
    call->found = symbol_of(info->dlpi_name, call);
    return call->found != NULL;
}

/* Finds the function as the program's own linkage would have found it: in the global scope, among
 * what the caller is linked to, or else in any library of that name. */
static int call_real(struct real_call *call)
{
    profiler_function *function = NULL;
    Dl_info info;
    int saved_errno = errno;
    if (dlopen == NULL || dlsym == NULL || dlclose == NULL || dladdr == NULL)
        return 0;
    call->found = dlsym(RTLD_NEXT, call->name);
    if (call->found == NULL && dladdr(call->caller, &info) != 0 && info.dli_fname != NULL)
        call->found = symbol_of(info.dli_fname, call);
    if (call->found == NULL)
        (void)dl_iterate_phdr(look_in, call);
    *(void **)&function = call->found;
    errno = saved_errno;
    return function != NULL ? function() : 0; /* without CUDA there is nothing that could fail */
}

/* ---- What programs call ---- */

static struct recorder_call begin_call = {"rangefinder_profiler_start", NULL};
static struct recorder_call end_call = {"rangefinder_profiler_stop", NULL};

/* The capture begins before the real function does its work and ends after it: it is part of it. */
#define RF_CALL(function, library)                                                                 \
    call_real(&(struct real_call){#function, function, library, __builtin_return_address(0), NULL})

int cudaProfilerStart(void)
{
    tell_recorder(&begin_call);
    return RF_CALL(cudaProfilerStart, "libcudart");
}

int cudaProfilerStop(void)
{
    int result = RF_CALL(cudaProfilerStop, "libcudart");
    tell_recorder(&end_call);
    return result;
}

int cuProfilerStart(void)
{
    tell_recorder(&begin_call);
    return RF_CALL(cuProfilerStart, "libcuda.so");
}

int cuProfilerStop(void)
{
    int result = RF_CALL(cuProfilerStop, "libcuda.so");
    tell_recorder(&end_call);
    return result;
}

/* ---- That it is here ---- */

/* Counts this process in the session, so that the command line can say whether calls could have
 * been seen. */
__attribute__((constructor)) static void count_process(void)
{
    char path[4096];
    const char *session = getenv("RANGEFINDER_SESSION");
    size_t length = session != NULL ? strlen(session) : 0;
    if (length == 0 || length + sizeof("/" RF_CONTROL_FILE) > sizeof(path))
        return;
    memcpy(path, session, length);
    memcpy(path + length, "/" RF_CONTROL_FILE, sizeof("/" RF_CONTROL_FILE));
    int fd = rf_sys_open(path, O_RDWR, 0);
    if (fd < 0)
        return;
    struct rf_control *control = NULL;
    if (RF_SYSCALL4(SYS_lseek, fd, 0, 2, 0) >= (long)sizeof(*control))
        control = rf_sys_mmap(sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    rf_sys_close(fd);
    if (control == NULL)
        return;
    if (memcmp(control->magic, RF_CONTROL_MAGIC, sizeof(control->magic)) == 0 &&
        control->version == RF_VERSION_MAJOR && control->size == sizeof(*control))
        (void)__atomic_fetch_add(&control->capture.n_profiler_loaded, 1, __ATOMIC_RELAXED);
    (void)rf_sys_munmap(control, sizeof(*control));
}
