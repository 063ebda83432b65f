/* SPDX-License-Identifier: Apache-2.0 */
/* What a check of `rangefinder doctor` found. */
#ifndef RF_CLI_DOCTOR_DOCTOR_FINDING_H
#define RF_CLI_DOCTOR_DOCTOR_FINDING_H

enum doctor_level { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL };

/* What a check found. */
struct doctor_finding {
    enum doctor_level level;
    char text[4096]; /* what is the case; "": nothing that concerns this machine */
    char help[1024]; /* what to do; "": nothing */
};

/* A check's verdict. */
void doctor_find(struct doctor_finding *finding, enum doctor_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What to do about it. */
void doctor_advise(struct doctor_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
