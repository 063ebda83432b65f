/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two recordings say the same. */
#ifndef TESTS_FUZZ_SAME_H
#define TESTS_FUZZ_SAME_H

#include "rangefinder/rangefinder.h"

/* What differs first, in a few words; NULL: nothing. Paths and import_reader are not compared. */
const char *rf_test_difference(const rf_recording *a, const rf_recording *b);

#endif
