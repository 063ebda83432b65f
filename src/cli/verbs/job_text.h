/* SPDX-License-Identifier: Apache-2.0 */
/* What `rangefinder info` prints of a job. */
#ifndef RF_CLI_VERBS_JOB_TEXT_H
#define RF_CLI_VERBS_JOB_TEXT_H

#include "cli/verbs/job_fates.h"

/* Prints a sorted job on standard output: lines for people. */
int job_print(const struct job *job, struct rf_err *err);

#endif
