/* SPDX-License-Identifier: Apache-2.0 */
/* What `rangefinder info --json` prints of a job. */
#ifndef RF_CLI_VERBS_JOB_JSON_H
#define RF_CLI_VERBS_JOB_JSON_H

#include "cli/verbs/job_fates.h"

/* Prints a sorted job on standard output: one line of JSON. */
int job_print_json(const struct job *job, struct rf_err *err);

#endif
