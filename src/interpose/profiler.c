/* SPDX-License-Identifier: Apache-2.0 */
/* librangefinder-profiler.so is loaded by LD_PRELOAD in front of libcudart and libcuda, so that the
 * recorder sees cudaProfilerStart and Stop, with or without a GPU. It changes nothing else of CUDA;
 * the real functions are called too, and their results returned.
 *
 * dlsym is replaced too: a caller that looks one of these functions up in a library's own
 * handle, as Python's ctypes does, gets the one here. Calls that use no symbol are not seen:
 * those of a statically linked CUDA runtime (nvcc's default). */
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
RF_EXPORT void *dlsym(void *handle, const char *name);

/* Bound to the version that every glibc has; absent (weak) only where an old glibc runs a
 * program that could not load a CUDA library either. */
#if defined(__x86_64__)
#define RF_OLDEST "GLIBC_2.2.5"
#else
#define RF_OLDEST "GLIBC_2.17"
#endif
__asm__(".symver dlopen,dlopen@" RF_OLDEST);
__asm__(".symver dlvsym,dlvsym@" RF_OLDEST);
__asm__(".symver dlclose,dlclose@" RF_OLDEST);
__asm__(".symver dladdr,dladdr@" RF_OLDEST);
#pragma weak dlopen
#pragma weak dlvsym
#pragma weak dlclose
#pragma weak dladdr

typedef void *dlsym_function(void *handle, const char *name);
typedef int profiler_function(void);
typedef void recorder_function(void);

static dlsym_function *real_dlsym; /* atomic; NULL: not looked for, or there is none */

static dlsym_function *find_dlsym(void)
{
    dlsym_function *found = __atomic_load_n(&real_dlsym, __ATOMIC_RELAXED);
    if (found != NULL || dlvsym == NULL)
        return found;
    *(void **)&found = dlvsym(RTLD_NEXT, "dlsym", RF_OLDEST);
    __atomic_store_n(&real_dlsym, found, __ATOMIC_RELAXED);
    return found;
}

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
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays open: it cannot be unloaded */
    if (library == NULL)
        return NULL;
    dlsym_function *look_up = find_dlsym();
    *(void **)&found = look_up != NULL ? look_up(library, call->name) : NULL;
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
    const char *library; /* the beginning of the name of its file */
    const char *caller;  /* an address in the calling library */
    void **looked_up;    /* atomic; what dlsym() found last for who asked */
    void *found;
};

static void *symbol_of(const char *path, const struct real_call *call)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL)
        return NULL;
    void *found = find_dlsym()(library, call->name);
    (void)dlclose(library); /* it was loaded before */
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

/* Finds the function as the program would have linked to it: in the global scope, in the
 * libraries that the caller is linked to, in any library of that name, or where dlsym() found
 * it. */
static int call_real(struct real_call *call)
{
    profiler_function *function = NULL;
    Dl_info info;
    int saved_errno = errno;
    dlsym_function *look_up = find_dlsym();
    if (dlopen == NULL || look_up == NULL || dlclose == NULL || dladdr == NULL)
        return 0;
    call->found = look_up(RTLD_NEXT, call->name);
    if (call->found == NULL && dladdr(call->caller, &info) != 0 && info.dli_fname != NULL)
        call->found = symbol_of(info.dli_fname, call);
    if (call->found == NULL)
        (void)dl_iterate_phdr(look_in, call);
    if (call->found == NULL)
        call->found = __atomic_load_n(call->looked_up, __ATOMIC_RELAXED);
    *(void **)&function = call->found;
    errno = saved_errno;
    return function != NULL ? function() : 0; /* without CUDA nothing can fail */
}

/* ---- What programs call ---- */

enum { CUDA_START, CUDA_STOP, CU_START, CU_STOP, N_CALLS };
static void *looked_up[N_CALLS];
static struct recorder_call begin_call = {"rangefinder_profiler_start", NULL};
static struct recorder_call end_call = {"rangefinder_profiler_stop", NULL};

/* The capture contains the real call: it begins before it, or ends after it. */
#define RF_CALL(id, function, library)                                                             \
    call_real(&(struct real_call){#function, function, library, __builtin_return_address(0),       \
                                  &looked_up[id], NULL})

int cudaProfilerStart(void)
{
    tell_recorder(&begin_call);
    return RF_CALL(CUDA_START, cudaProfilerStart, "libcudart");
}

int cudaProfilerStop(void)
{
    int result = RF_CALL(CUDA_STOP, cudaProfilerStop, "libcudart");
    tell_recorder(&end_call);
    return result;
}

int cuProfilerStart(void)
{
    tell_recorder(&begin_call);
    return RF_CALL(CU_START, cuProfilerStart, "libcuda.so");
}

int cuProfilerStop(void)
{
    int result = RF_CALL(CU_STOP, cuProfilerStop, "libcuda.so");
    tell_recorder(&end_call);
    return result;
}

/* The result of looking up a function of CUDA: ours, if the real one was found. */
static void *look_up_call(void *handle, const char *name)
{
    static const struct {
        const char *name;
        profiler_function *ours;
    } calls[N_CALLS] = {
        [CUDA_START] = {"cudaProfilerStart", cudaProfilerStart},
        [CUDA_STOP] = {"cudaProfilerStop", cudaProfilerStop},
        [CU_START] = {"cuProfilerStart", cuProfilerStart},
        [CU_STOP] = {"cuProfilerStop", cuProfilerStop},
    };
    void *found = real_dlsym(handle, name);
    for (int i = 0; found != NULL && i < N_CALLS; i++) {
        void *ours = *(void *const *)&calls[i].ours;
        if (strcmp(name, calls[i].name) != 0)
            continue;
        if (found != ours)
            __atomic_store_n(&looked_up[i], found, __ATOMIC_RELAXED);
        return ours;
    }
    return found;
}

/* The last call is a jump (the library is compiled with -O2): glibc uses the return address to
 * find out for which library RTLD_NEXT and RTLD_DEFAULT are asked. A test checks it. */
void *dlsym(void *handle, const char *name)
{
    dlsym_function *look_up = find_dlsym();
    if (look_up == NULL)
        return NULL;
    /* RTLD_NEXT is for libraries like this one */
    if (handle != RTLD_NEXT && name[0] == 'c' && name[1] == 'u' && strstr(name, "Profiler") != NULL)
        return look_up_call(handle, name);
    return look_up(handle, name);
}

/* ---- Reporting that this library is loaded ---- */

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
        rf_format_is_known(control->version) && control->size == sizeof(*control))
        (void)__atomic_fetch_add(&control->capture.n_profiler_loaded, 1, __ATOMIC_RELAXED);
    (void)rf_sys_munmap(control, sizeof(*control));
}
