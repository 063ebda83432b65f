/* SPDX-License-Identifier: Apache-2.0 */
/* All checks of `rangefinder doctor`. */
#ifndef RF_CLI_DOCTOR_DOCTOR_CHECKS_H
#define RF_CLI_DOCTOR_DOCTOR_CHECKS_H

/* Runs the checks, prints a line for each, and returns how many failed. */
int doctor_run_checks(void);

#endif
