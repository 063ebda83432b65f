/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_error.h"

#include <stdarg.h>
#include <stdio.h>

static __thread char text[1024];

int nvtxw_fail(int result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return result;
}

const char *nvtxw_error(void)
{
    return text;
}
