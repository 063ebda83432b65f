/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program is recorded and the recording read back. */
#ifndef RF_CLI_DOCTOR_DOCTOR_SELFTEST_H
#define RF_CLI_DOCTOR_DOCTOR_SELFTEST_H

struct doctor_finding;

/* Records the program of `rangefinder selftest` and reads it back. */
void doctor_check_recording(struct doctor_finding *finding);

#endif
