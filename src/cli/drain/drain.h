/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that empties a session while the program runs: full parts go from the pools to the
 * logs, messages of the recorder to standard error, clock pairs to the control page. */
#ifndef RF_CLI_DRAIN_DRAIN_H
#define RF_CLI_DRAIN_DRAIN_H

#include "log/layout.h"
#include "rangefinder/rangefinder.h"

struct cli_drain;

/* Starts the thread. control and dir must outlive it. NULL: out of memory or threads; recording
 * works without it, more slowly: the program's threads then append their parts themselves. */
struct cli_drain *cli_drain_start(struct rf_control *control, const char *dir);

/* Records a pair of clock readings. Any thread may call it. */
void cli_drain_add_clock(struct cli_drain *drain);

/* Ends the thread, prints the last messages, and frees it. What is full then stays in the pools,
 * from where it is packed. NULL is accepted. */
void cli_drain_stop(struct cli_drain *drain);

#endif
