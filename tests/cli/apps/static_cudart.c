/* SPDX-License-Identifier: Apache-2.0 */
/* Looks like a program that has the CUDA runtime linked in: it has the name by which that looks up
 * the driver's function, and needs no shared runtime. */
static const char *volatile driver_function = "cuProfilerStart";

int main(void)
{
    return driver_function[0] == 'c' ? 0 : 1;
}
