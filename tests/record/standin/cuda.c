/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for libcudart.so and libcuda.so where tests want to know that the real function is
 * called: each says so and returns 100 (cudaErrorNoDevice), or the number in STANDIN_RESULT. */
#include <stdio.h>
#include <stdlib.h>

#ifdef STANDIN_DRIVER
#define START cuProfilerStart
#define STOP  cuProfilerStop
#else
#define START cudaProfilerStart
#define STOP  cudaProfilerStop
#endif
#define QUOTE(name) #name
#define NAME(name)  QUOTE(name)

__attribute__((visibility("default"))) int START(void);
__attribute__((visibility("default"))) int STOP(void);

static int say(const char *name)
{
    const char *result = getenv("STANDIN_RESULT");
    printf("real %s\n", name);
    (void)fflush(stdout);
    return result != NULL ? atoi(result) : 100;
}

int START(void)
{
    return say(NAME(START));
}

int STOP(void)
{
    return say(NAME(STOP));
}
