/* SPDX-License-Identifier: Apache-2.0 */
/* A file that somebody cuts short while it is mapped has pages that raise SIGBUS. The session's
 * files belong to the program too: what it does to them must not end the command line. Pages that
 * are gone are replaced by zeros, which readers take for the end of what was written. */
#ifndef RF_CLI_DRAIN_BUS_GUARD_H
#define RF_CLI_DRAIN_BUS_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once, at the program's start. */
void bus_guard_install(void);

/* How many pages were replaced so far. */
uint32_t bus_guard_n_pages(void);

/* A signal mask for threads: all signals, but for the one that is handled here. */
void bus_guard_fill_mask(sigset_t *mask);

/* One mapping may be kept: a copy of it, as it was last, stands in its place when it is gone. NULL:
 * no longer. */
void bus_guard_keep(void *mapping, size_t size);

/* Takes a new copy. One thread at a time. */
void bus_guard_refresh(void);

/* Whether the copy stands there. */
bool bus_guard_has_replaced(void);

#endif
