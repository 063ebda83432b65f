/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the probe. */
#ifndef RF_TESTS_REAL_PROBE_H
#define RF_TESTS_REAL_PROBE_H

#include "cuda/cupti/cupti_abi.h"

/* Prints a line, and the probe fails. */
void probe_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How far this libcupti goes from one record of a kind to the next, against what the stand-in
 * makes, and what the recorder reads. */
void probe_records(const struct rf_cupti *cupti, int major, uint32_t version);

#endif
