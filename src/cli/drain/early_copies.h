/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a session's control page and of a process's definitions, as chunks for its log. */
#ifndef RF_CLI_DRAIN_EARLY_COPIES_H
#define RF_CLI_DRAIN_EARLY_COPIES_H

#include <stddef.h>
#include <stdint.h>

#include "log/layout.h"

/* Makes a SESSION chunk of the control page as it is, and a DEFS chunk of the definitions from
 * *defs_offset on, which moves behind them. Returns the size of both, 0 where there is no memory;
 * the caller frees *bytes. */
size_t early_copies_make(uint8_t **bytes, const struct rf_control *control, const char *dir,
                         uint32_t process, uint64_t *defs_offset);

#endif
