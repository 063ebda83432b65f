/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of `rangefinder doctor`. */
#ifndef RF_CLI_DOCTOR_DOCTOR_H
#define RF_CLI_DOCTOR_DOCTOR_H

enum doctor_level { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL };

/* What a check found. */
struct doctor_finding {
    enum doctor_level level;
    char text[4096]; /* what is the case; "": nothing that concerns this machine */
    char help[1024]; /* what to do; "": nothing */
};

struct doctor_check {
    const char *name;
    void (*run)(struct doctor_finding *finding);
};

/* A check's verdict. */
void doctor_find(struct doctor_finding *finding, enum doctor_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What to do about it. */
void doctor_advise(struct doctor_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends with a NULL name. */
extern const struct doctor_check doctor_checks[];

/* CUDA, without initialising it: its driver, the library that records it, who else wants to, who
 * may read the GPU's counters. */
void doctor_check_cuda(struct doctor_finding *finding);
void doctor_check_cupti(struct doctor_finding *finding);
void doctor_check_cuda_injection(struct doctor_finding *finding);
void doctor_check_gpu_counters(struct doctor_finding *finding);

/* Whose package python3 imports as rangefinder. */
void doctor_check_python(struct doctor_finding *finding);

/* Records the self-test program and reads it back. */
void doctor_check_recording(struct doctor_finding *finding);

#endif
