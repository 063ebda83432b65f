/* SPDX-License-Identifier: Apache-2.0 */
/* The least that there is to know: a nested range, a mark, and a range that ends elsewhere.
 *
 *     rangefinder profile -o ranges.rf build/bin/example-ranges
 *     rangefinder stats -r nvtx_sum ranges.rf
 */
#include <nvtx3/nvToolsExt.h>

#include <stdio.h>

static double integrate(double from, double to, int n_steps)
{
    double width = (to - from) / n_steps;
    double sum = 0;
    nvtxRangePushA("integrate");
    for (int i = 0; i < n_steps; i++) {
        double x = from + (i + 0.5) * width;
        sum += width * x * x;
    }
    nvtxRangePop();
    return sum;
}

int main(void)
{
    /* A range with an id may end in another function or on another thread. */
    nvtxRangeId_t whole = nvtxRangeStartA("refine");
    double last = 0;
    for (int n_steps = 1000; n_steps <= 1024000; n_steps *= 2) {
        nvtxRangePushA("step"); /* "integrate" is inside it */
        double value = integrate(0, 3, n_steps);
        if (value != last)
            nvtxMarkA("improved");
        last = value;
        nvtxRangePop();
    }
    nvtxRangeEnd(whole);
    printf("the integral of x^2 from 0 to 3 is %.6f\n", last);
    return 0;
}
