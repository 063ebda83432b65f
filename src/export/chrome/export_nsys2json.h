/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of the script nsys2json, in place of that of our JSON. */
#ifndef RF_EXPORT_CHROME_EXPORT_NSYS2JSON_H
#define RF_EXPORT_CHROME_EXPORT_NSYS2JSON_H

#include "export/export.h"

/* job->options->nsys2json is not NULL. */
int rf_write_nsys2json(struct rf_export_job *job, struct rf_sink *sink);

#endif
