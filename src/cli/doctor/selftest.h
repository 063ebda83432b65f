/* SPDX-License-Identifier: Apache-2.0 */
/* What the self-test's program does, so that doctor knows what it should find. */
#ifndef RF_CLI_DOCTOR_SELFTEST_H
#define RF_CLI_DOCTOR_SELFTEST_H

#define SELFTEST_ROUNDS 10
#define SELFTEST_RANGES 100

#endif
