/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of one flight recorder have events in common, which count twice where recordings are
 * added up. */
#ifndef RF_CLI_OVERLAPS_H
#define RF_CLI_OVERLAPS_H

#include "rangefinder/rangefinder.h"

/* Notes a recording that is added to others. Any thread may call it. */
void cli_overlaps_note(const rf_recording *rec, const char *path);

/* At the end, and before a message about what to do next: says which of them overlap, if any do. */
void cli_overlaps_say(void);

#endif
