/* SPDX-License-Identifier: Apache-2.0 */
/* When a mapped file is truncated, access to its lost pages raises SIGBUS. The program can write to
 * the session's files: what it does to them must not end the command line. Lost pages are replaced
 * by zeros, which readers take for the end of what was written. */
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

/* A signal mask for threads: all signals except SIGBUS. */
void bus_guard_thread_mask(sigset_t *mask);

/* Keeps a copy of one mapping, which replaces it when its pages are lost. NULL: keeps none. */
void bus_guard_keep(void *mapping, size_t size);

/* Renews the copy. One thread at a time. */
void bus_guard_refresh(void);

/* Whether the copy has replaced the mapping. */
bool bus_guard_has_replaced(void);

#endif
