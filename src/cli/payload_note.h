/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_CLI_PAYLOAD_NOTE_H
#define RF_CLI_PAYLOAD_NOTE_H

#include "rangefinder/rangefinder.h"

/* Says which values in payloads would have been too many columns; nothing where all are columns. */
void cli_say_payloads_left_out(const rf_recording *rec);

#endif
