/* SPDX-License-Identifier: Apache-2.0 */
/* The list of export formats. The public header declares rf_export_format_at(),
 * rf_export_format_of(), rf_export_extension() and rf_export_is_trace(). */
#ifndef RF_EXPORT_FORMATS_H
#define RF_EXPORT_FORMATS_H

#include "export/export.h"

/* The format of that name. NULL, with err filled: name is NULL or unknown. */
const struct rf_export_format *rf_export_find(const char *name, struct rf_err *err);

#endif
