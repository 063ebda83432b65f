/* SPDX-License-Identifier: Apache-2.0 */
/* What the definitions of a session say that a walk over its records needs (open_ranges.h). */
#ifndef RF_LOG_OPEN_DOMAINS_H
#define RF_LOG_OPEN_DOMAINS_H

#include <stdbool.h>

#include "log/reader.h"

/* Reads the definitions: what domains are called, and which threads are named or name something. */
struct rf_open_domains *rf_open_domains_new(const struct rf_log *log);
void rf_open_domains_free(struct rf_open_domains *d);

/* Domains of one name are one domain. *is_known: the result is the number of a name. process: its
 * index. */
uint64_t rf_open_domains_find(struct rf_open_domains *d, uint32_t process, uint64_t handle,
                              bool *is_known);

/* Whether the definitions speak of a thread, so that readers want to know it. */
bool rf_open_domains_has_tid(const struct rf_open_domains *d, uint32_t process, uint32_t tid);

/* Whether a process was forked from one of the session: it shows its inherited domains with its
 * first thread. */
bool rf_open_domains_is_forked(const struct rf_open_domains *d, uint32_t process);

/* Whether the definitions of a process speak of CUDA: one that has recorded any. */
bool rf_open_domains_has_cuda(const struct rf_open_domains *d, uint32_t process);

/* ---- Those of a later log, which has more definitions (open_move.h) ---- */

/* Whether `to`, the later ones, speak of no thread that `from` do not, but in processes that are
 * new. process: by index in from's log the one in to's, ascending; n of them. */
bool rf_open_domains_agree(const struct rf_open_domains *to, const struct rf_open_domains *from,
                           const uint32_t *process, size_t n);

/* The number in `to` of a domain that has this number in `from`. */
uint64_t rf_open_domains_renumber(const struct rf_open_domains *to,
                                  const struct rf_open_domains *from, const uint32_t *process,
                                  uint64_t number);

#endif
