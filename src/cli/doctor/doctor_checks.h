/* SPDX-License-Identifier: Apache-2.0 */
/* All checks of `rangefinder doctor`. */
#ifndef RF_CLI_DOCTOR_DOCTOR_CHECKS_H
#define RF_CLI_DOCTOR_DOCTOR_CHECKS_H

#include <stdbool.h>

/* Runs the checks and prints what they found: a line for each, or one JSON object. Returns an exit
 * status: CLI_FAILED where a check failed. */
int doctor_run_checks(bool is_json);

#endif
