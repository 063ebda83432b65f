/* SPDX-License-Identifier: Apache-2.0 */
/* What a check of `rangefinder doctor` found. */
#ifndef RF_CLI_DOCTOR_DOCTOR_FINDING_H
#define RF_CLI_DOCTOR_DOCTOR_FINDING_H

enum doctor_level { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL };

/* What a check found. */
struct doctor_finding {
    enum doctor_level level;
    char text[4096]; /* the finding; "": the check does not apply to this machine */
    char help[1024]; /* advice, or "" */
};

/* Sets level and text. */
void doctor_report(struct doctor_finding *finding, enum doctor_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the advice. */
void doctor_advise(struct doctor_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
