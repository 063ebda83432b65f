/* SPDX-License-Identifier: Apache-2.0 */
/* A program of several files and shared libraries: see unit.h. */
#include "unit.h"
#include "check.h"

int main(void)
{
    CHECK(annotate_unit_a() == 12);
    CHECK(annotate_unit_b() == 12);
    CHECK(nvtxRangePushA("main") == 12);
    return 0;
}
