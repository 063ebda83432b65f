/* SPDX-License-Identifier: Apache-2.0 */
/* Which package python3 imports as rangefinder. */
#ifndef RF_CLI_DOCTOR_DOCTOR_PYTHON_H
#define RF_CLI_DOCTOR_DOCTOR_PYTHON_H

struct doctor_finding;

void doctor_check_python(struct doctor_finding *finding);

#endif
