/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_EXPORT_OWN_OPTIONS_H
#define RF_EXPORT_OWN_OPTIONS_H

#include "export/export.h"

/* The caller's options and those that they point to, as this version has them. It may not be moved.
 */
struct rf_own_options {
    struct rf_export_options all;
    struct rf_nsys2json_options nsys2json;
    struct rf_kineto_options kineto;
    const struct rf_export_format *format;
};

/* Copies the options, finds the format, and checks that both fit together. */
int rf_own_options_take(struct rf_own_options *own, const struct rf_export_options *options,
                        struct rf_err *err);

#endif
