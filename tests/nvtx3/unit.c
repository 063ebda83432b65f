/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(a)    #a
#define TEXT(a)     TEXT_(a)

NVTX_DYNAMIC_EXPORT int JOIN(annotate_unit_, UNIT)(void)
{
    return nvtxRangePushA("unit " TEXT(UNIT));
}
