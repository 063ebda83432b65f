/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor/doctor_finding.h"

#include <stdarg.h>
#include <stdio.h>

void doctor_report(struct doctor_finding *finding, enum doctor_level level, const char *format, ...)
{
    va_list args;
    finding->level = level;
    va_start(args, format);
    (void)vsnprintf(finding->text, sizeof(finding->text), format, args);
    va_end(args);
}

void doctor_advise(struct doctor_finding *finding, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(finding->help, sizeof(finding->help), format, args);
    va_end(args);
}
