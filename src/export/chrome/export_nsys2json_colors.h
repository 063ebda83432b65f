/* SPDX-License-Identifier: Apache-2.0 */
/* The color scheme of the nsys2json form: a JSON object from regular expressions to colors. JSON
 * and expressions are read as Python reads them. */
#ifndef RF_EXPORT_CHROME_EXPORT_NSYS2JSON_COLORS_H
#define RF_EXPORT_CHROME_EXPORT_NSYS2JSON_COLORS_H

#include <stdbool.h>
#include <stddef.h>

#include "rangefinder/rangefinder.h"

struct rf_color_rule;

/* A color of chrome://tracing, or any other value of JSON. */
struct rf_color {
    char *value; /* the text, or the value as JSON */
    bool is_text;
};

struct rf_color_scheme {
    struct rf_color_rule *rule;
    size_t n;
};

/* Reads the JSON text; RF_ERR_USAGE if it is not JSON, or an expression cannot be used. Release it
 * after a failure, too. */
int rf_color_scheme_init(struct rf_color_scheme *scheme, const char *json, struct rf_err *err);
void rf_color_scheme_release(struct rf_color_scheme *scheme);

/* The color of the first expression that is found in a name; *color is NULL if none is. Fails if
 * the search takes too long. */
int rf_color_scheme_find(const struct rf_color_scheme *scheme, const char *name, size_t size,
                         const struct rf_color **color, struct rf_err *err);

#endif
