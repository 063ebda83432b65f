/* SPDX-License-Identifier: Apache-2.0 */
/* CHECK(condition) for the test programs: says where it failed and ends the program. */
#ifndef NVTX_TEST_CHECK_H
#define NVTX_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#endif /* NVTX_TEST_CHECK_H */
