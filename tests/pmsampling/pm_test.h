/* SPDX-License-Identifier: Apache-2.0 */
/* What every test with the stand-ins includes. */
#ifndef TESTS_PMSAMPLING_PM_TEST_H
#define TESTS_PMSAMPLING_PM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "double/pm_double.h"
#include "double/pm_double_driver.h"
#include "rangefinder/pm_sampling.h"

extern struct pm_double *cupti; /* of the stand-in that the library loads */
extern struct pm_double_driver *driver;

/* Before and after each test: the stand-ins as they are at first; afterwards nothing is open, and
 * no rule was broken. */
int pm_test_setup(void **state);
int pm_test_teardown(void **state);

/* The next call of this function, or n of them, fail. */
void pm_test_fail(const char *function, int code, int n);

#define PM_TEST(name) cmocka_unit_test_setup_teardown(name, pm_test_setup, pm_test_teardown)

/* What a call returns, and what is in its error. */
#define assert_status(expected, call)                                                              \
    do {                                                                                           \
        int got = (call);                                                                          \
        if (got != (expected))                                                                     \
            fail_msg("%s: %s, not %s: %s", #call, rf_pm_status_name(got),                          \
                     rf_pm_status_name(expected), err.text);                                       \
        if (got < 0) {                                                                             \
            assert_int_equal(err.status, got);                                                     \
            assert_true(err.text[0] != '\0');                                                      \
        }                                                                                          \
    } while (0)
#define assert_says(text_)                                                                         \
    do {                                                                                           \
        if (strstr(err.text, text_) == NULL)                                                       \
            fail_msg("'%s' is not in '%s'", text_, err.text);                                      \
    } while (0)

/* The metrics that most tests sample. */
extern const char *const pm_test_metrics[3];
struct rf_pm_config pm_test_config(void);

#endif
