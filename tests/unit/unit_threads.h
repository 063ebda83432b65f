/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that start no thread. The thread sanitizer has nothing to look for in them, makes them ten
 * times as long, and so does not run them. In other builds the end of the program is the thread
 * that such a case starts nevertheless: CMakeLists.txt links with --wrap. */
#ifndef TESTS_UNIT_UNIT_THREADS_H
#define TESTS_UNIT_UNIT_THREADS_H

#include "sanitized.h"
#include "unit.h"

int unit_begin_one_thread(void **state);
int unit_end_one_thread(void **state);
void unit_leave_out(void **state);

#define UNIT_ONE_THREAD(case)                                                                      \
    {                                                                                              \
#case, IS_THREAD_SANITIZED ? unit_leave_out : (case), unit_begin_one_thread,               \
            unit_end_one_thread, NULL                                                              \
    }

#endif
