/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drain/spares.h"

#include "cli/drain/process_files.h"

#define AT_FIRST 2 /* for the program and a child: most runs have no more */

/* Files of a lower number than a process has taken come too late for everybody. */
static void drop_late(struct rf_control *control, uint32_t *spare)
{
    uint32_t number = __atomic_load_n(spare, __ATOMIC_RELAXED);
    const uint32_t newest = __atomic_load_n(&control->newest, __ATOMIC_RELAXED);
    const bool is_sound = newest <= __atomic_load_n(&control->n_processes, __ATOMIC_RELAXED);
    if (number != 0 && number < newest && is_sound &&
        __atomic_compare_exchange_n(spare, &number, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        (void)__atomic_fetch_add(&control->n_unused, 1, __ATOMIC_RELAXED);
}

bool cli_spares_make(struct rf_control *control, const char *dir)
{
    uint32_t n = cli_spares_n_started(control) < 2 ? AT_FIRST : RF_MAX_SPARES;
    for (uint32_t i = 0; i < n; i++) {
        drop_late(control, &control->spare[i]);
        if (__atomic_load_n(&control->spare[i], __ATOMIC_RELAXED) != 0)
            continue;
        uint32_t process = __atomic_fetch_add(&control->n_processes, 1, __ATOMIC_RELAXED);
        if (process_files_make(control, dir, process) != 0) {
            (void)__atomic_fetch_add(&control->n_unused, 1, __ATOMIC_RELAXED);
            return false;
        }
        /* release: pairs with the acquire of the recorder that takes it: its files are there */
        __atomic_store_n(&control->spare[i], process + 1, __ATOMIC_RELEASE);
    }
    return true;
}

void cli_spares_remove(struct rf_control *control)
{
    for (uint32_t i = 0; i < RF_MAX_SPARES; i++)
        if (__atomic_exchange_n(&control->spare[i], 0, __ATOMIC_RELAXED) != 0)
            (void)__atomic_fetch_add(&control->n_unused, 1, __ATOMIC_RELAXED);
}

uint32_t cli_spares_n_started(const struct rf_control *control)
{
    uint32_t n = __atomic_load_n(&control->n_unused, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < RF_MAX_SPARES; i++)
        n += __atomic_load_n(&control->spare[i], __ATOMIC_RELAXED) != 0;
    return __atomic_load_n(&control->n_processes, __ATOMIC_RELAXED) - n;
}
