/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drain/bus_guard.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/shared_copy.h"

#define MAX_KEPT 65536

static struct {
    uint32_t n_pages; /* atomic */
    uintptr_t page_size;
    uint8_t *kept; /* atomic */
    size_t kept_size;
    bool is_replaced; /* atomic */
    int current;      /* atomic: which copy is whole */
    uint8_t copy[2][MAX_KEPT];
} guard;

/* Maps memory of our own in the place of a file's pages. Async-signal-safe. */
static bool replace(void *at, size_t size)
{
    return mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
           at;
}

static bool replace_kept(uint8_t *kept)
{
    if (__atomic_exchange_n(&guard.is_replaced, 1, __ATOMIC_ACQ_REL) != 0)
        return true; /* another thread is replacing it */
    if (!replace(kept, guard.kept_size))
        return false;
    memcpy(kept, guard.copy[__atomic_load_n(&guard.current, __ATOMIC_ACQUIRE)], guard.kept_size);
    return true;
}

static void on_bus(int number, siginfo_t *info, void *context)
{
    (void)context;
    uint8_t *at = info->si_addr;
    uint8_t *kept = __atomic_load_n(&guard.kept, __ATOMIC_ACQUIRE);
    bool is_done = false;
    if (info->si_code == BUS_ADRERR && kept != NULL && at >= kept && at < kept + guard.kept_size)
        is_done = replace_kept(kept);
    else if (info->si_code == BUS_ADRERR)
        is_done = replace((void *)((uintptr_t)at & ~(guard.page_size - 1)), guard.page_size);
    if (is_done)
        (void)__atomic_fetch_add(&guard.n_pages, 1, __ATOMIC_RELAXED);
    else
        (void)signal(number, SIG_DFL); /* it is raised again */
}

void bus_guard_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_bus;
    action.sa_flags = SA_SIGINFO;
    (void)sigemptyset(&action.sa_mask);
    guard.page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)sigaction(SIGBUS, &action, NULL);
}

uint32_t bus_guard_n_pages(void)
{
    return __atomic_load_n(&guard.n_pages, __ATOMIC_RELAXED);
}

void bus_guard_thread_mask(sigset_t *mask)
{
    (void)sigfillset(mask);
    (void)sigdelset(mask, SIGBUS);
}

void bus_guard_keep(void *mapping, size_t size)
{
    if (mapping != NULL && size > MAX_KEPT)
        return;
    __atomic_store_n(&guard.kept, NULL, __ATOMIC_RELEASE);
    guard.kept_size = size;
    __atomic_store_n(&guard.is_replaced, 0, __ATOMIC_RELEASE);
    if (mapping != NULL)
        rf_copy_shared(guard.copy[guard.current], mapping, size);
    __atomic_store_n(&guard.kept, mapping, __ATOMIC_RELEASE);
}

void bus_guard_refresh(void)
{
    const uint8_t *kept = __atomic_load_n(&guard.kept, __ATOMIC_ACQUIRE);
    int next = 1 - guard.current;
    if (kept == NULL || bus_guard_has_replaced())
        return;
    rf_copy_shared(guard.copy[next], kept, guard.kept_size);
    /* where it was replaced meanwhile this is the old copy, or a mixture that is not used */
    if (!bus_guard_has_replaced())
        __atomic_store_n(&guard.current, next, __ATOMIC_RELEASE);
}

bool bus_guard_has_replaced(void)
{
    return __atomic_load_n(&guard.is_replaced, __ATOMIC_ACQUIRE);
}
