/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda/cuda_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

/* Bound to the version that every glibc has; absent (weak) only where an old glibc runs a
 * program that could not load a CUDA library either. */
#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif
__asm__(".symver dlopen,dlopen@" OLDEST);
__asm__(".symver dlsym,dlsym@" OLDEST);
__asm__(".symver pthread_create,pthread_create@" OLDEST);
__asm__(".symver pthread_attr_init,pthread_attr_init@" OLDEST);
__asm__(".symver pthread_attr_destroy,pthread_attr_destroy@" OLDEST);
__asm__(".symver pthread_attr_setdetachstate,pthread_attr_setdetachstate@" OLDEST);
__asm__(".symver pthread_attr_setstacksize,pthread_attr_setstacksize@" OLDEST);
#pragma weak dlopen
#pragma weak dlsym
#pragma weak pthread_create
#pragma weak pthread_attr_init
#pragma weak pthread_attr_destroy
#pragma weak pthread_attr_setdetachstate
#pragma weak pthread_attr_setstacksize

void *rf_library_open_mapped(const char *name)
{
    return dlopen != NULL ? dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) : NULL;
}

void *rf_library_symbol(void *library, const char *name)
{
    return dlsym != NULL ? dlsym(library, name) : NULL;
}

/* ---- Threads ---- */

#define STACK_SIZE (1u << 20) /* CUPTI runs on it; only what is touched costs */

/* The signals that are not blocked: those that the kernel raises for what a thread does, and
 * those of libc (32, 33): setuid() waits until every thread has had one. */
static uint64_t blocked_signals(void)
{
    static const int let_through[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, 32, 33};
    uint64_t mask = ~0ULL;
    for (size_t i = 0; i < sizeof(let_through) / sizeof(let_through[0]); i++)
        mask &= ~(1ULL << (let_through[i] - 1));
    return mask;
}

static bool start(void *(*function)(void *), const pthread_attr_t *attributes)
{
    pthread_t thread;
    uint64_t mask = blocked_signals();
    uint64_t before = 0;
    /* the thread inherits the mask */
    if (RF_SYSCALL4(SYS_rt_sigprocmask, SIG_BLOCK, &mask, &before, sizeof(mask)) < 0)
        return false;
    int status = pthread_create(&thread, attributes, function, NULL);
    (void)RF_SYSCALL4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(mask));
    return status == 0;
}

bool rf_library_start_thread(void *(*function)(void *))
{
    pthread_attr_t attributes;
    if (pthread_create == NULL || pthread_attr_init == NULL || pthread_attr_destroy == NULL ||
        pthread_attr_setdetachstate == NULL || pthread_attr_setstacksize == NULL ||
        pthread_attr_init(&attributes) != 0)
        return false;
    bool is_started = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                      pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0 &&
                      start(function, &attributes);
    (void)pthread_attr_destroy(&attributes);
    return is_started;
}
