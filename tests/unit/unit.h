/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test includes. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rangefinder/rangefinder.h"
#include "rf_dump.h"
#include "rf_writer.h"

#endif
