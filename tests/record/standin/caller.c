/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is linked to libcudart.so and is loaded into no scope but its own, as an extension
 * module of Python is. */
int cudaProfilerStart(void);
int cudaProfilerStop(void);
__attribute__((visibility("default"))) int caller_start(void);
__attribute__((visibility("default"))) int caller_stop(void);

int caller_start(void)
{
    return cudaProfilerStart();
}

int caller_stop(void)
{
    return cudaProfilerStop();
}
