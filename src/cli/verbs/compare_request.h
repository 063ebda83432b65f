/* SPDX-License-Identifier: Apache-2.0 */
/* What `rangefinder compare` was asked for, for the functions that print the answer. */
#ifndef RF_CLI_VERBS_COMPARE_REQUEST_H
#define RF_CLI_VERBS_COMPARE_REQUEST_H

#include <stdint.h>

#include "rangefinder/compare.h"

/* A reason for exit status CLI_GATE. */
enum compare_gate {
    COMPARE_GATE_SLOWER = 1,
    COMPARE_GATE_COUNTS = 2,
    COMPARE_GATE_UNCLEAR = 4,
    COMPARE_GATE_MEAN = 8
};

struct compare_request {
    const char *format;   /* "csv:nohdr"; NULL: column */
    uint64_t max_rows;    /* of each table; 0: all */
    unsigned failed_gate; /* enum compare_gate that says no */
    const char *next;     /* the command that comes next; NULL: none */
};

#endif
