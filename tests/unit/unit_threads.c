/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_threads.h"

#include <pthread.h>

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *context), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *context), void *context);

static bool has_one_thread = UNIT_HAS_ONE_THREAD; /* all of the program, or the case that runs */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *context), void *context)
{
    if (has_one_thread) {
        (void)fputs(
            "a thread is started where there is none for the thread sanitizer: run it under "
            "that, tests/unit/CMakeLists.txt and unit_threads.h say how\n",
            stderr);
        abort();
    }
    return __real_pthread_create(thread, attributes, run, context);
}

int unit_begin_one_thread(void **state)
{
    (void)state;
    has_one_thread = true;
    return 0;
}

int unit_end_one_thread(void **state)
{
    (void)state;
    has_one_thread = false;
    return 0;
}

void unit_leave_out(void **state)
{
    (void)state;
    skip();
}
