/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of clocks as the command line takes them: by the kernel's clocks, with what the kernel says
 * of them. Programs may be told another time, by a library like libfaketime: then a recording has
 * the kernel's CLOCK_MONOTONIC and the time of day that programs were told. */
#ifndef RF_LOG_CLOCK_READING_H
#define RF_LOG_CLOCK_READING_H

#include <stdint.h>

#include "log/layout.h"

struct rf_clock_reading {
    struct rf_clock_pair pair;
    struct rf_clock_quality quality;
};

struct rf_clock_reading rf_clock_reading_take(uint32_t clock_kind);

/* Puts a pair of now into entry i of clock[], which no other thread or process looks at. */
void rf_control_read_clocks(struct rf_control *control, uint32_t i);

/* The inode of this process's time namespace; 0: the kernel has none. */
uint64_t rf_time_namespace(void);

#endif
