/* SPDX-License-Identifier: Apache-2.0 */
/* The color scheme of the nsys2json form: a JSON object from regular expressions to colors. */
#ifndef RF_EXPORT_NSYS2JSON_COLORS_H
#define RF_EXPORT_NSYS2JSON_COLORS_H

#include <stddef.h>

#include "rangefinder/rangefinder.h"

struct rf_color_rule;

struct rf_color_scheme {
    struct rf_color_rule *rule;
    size_t n;
};

/* Reads the JSON text; RF_ERR_USAGE where it is none, or an expression cannot be used. Harmless to
 * release on failure, too. */
int rf_color_scheme_init(struct rf_color_scheme *scheme, const char *json, struct rf_err *err);
void rf_color_scheme_release(struct rf_color_scheme *scheme);

/* The color of the first expression that is found in a name; NULL: none is. */
const char *rf_color_scheme_find(const struct rf_color_scheme *scheme, const char *name);

/* Writes a Python expression as a POSIX extended one to out, which has room for 8 bytes per byte
 * of it, and 1. Returns NULL, or what of it POSIX does not have. */
const char *rf_translate_expression(char *out, const char *python);

#endif
