/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/amounts_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};

/* A number and its unit. */
static bool parse_amount(double *amount, const char *text, size_t n, const struct unit *units)
{
    char copy[32], *rest;
    if (n == 0 || n >= sizeof(copy) || text[0] < '0' || text[0] > '9')
        return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    if (n > 1 && (copy[1] == 'x' || copy[1] == 'X') && copy[2] != '\0')
        return false; /* strtod() reads hexadecimal numbers */
    errno = 0;
    *amount = strtod(copy, &rest);
    for (const struct unit *unit = units; unit->name != NULL && errno == 0; unit++)
        if (strcmp(rest, unit->name) == 0) {
            *amount *= unit->factor;
            return true;
        }
    return false;
}

bool cli_parse_size(double *bytes, const char *text, size_t n)
{
    static const struct unit units[] = {
        {"K", 1024.0}, {"M", 1048576.0}, {"G", 1073741824.0}, {"", 1}, {NULL, 0}};
    return parse_amount(bytes, text, n, units);
}

bool cli_parse_time(double *ns, const char *text, size_t n)
{
    static const struct unit units[] = {{"s", 1e9},    {"", 1e9},     {"ms", 1e6}, {"us", 1e3},
                                        {"min", 6e10}, {"h", 3.6e12}, {"ns", 1},   {NULL, 0}};
    return parse_amount(ns, text, n, units);
}

bool cli_parse_times(double *times, const char *text, size_t n)
{
    static const struct unit units[] = {{"x", 1}, {NULL, 0}};
    return parse_amount(times, text, n, units);
}
