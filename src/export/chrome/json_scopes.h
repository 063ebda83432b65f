/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations in Chrome trace JSON, on tracks of the places where they were. */
#ifndef RF_EXPORT_CHROME_JSON_SCOPES_H
#define RF_EXPORT_CHROME_JSON_SCOPES_H

#include "export/chrome/json_writer.h"

/* Writes what rf_event_scope() says of. Returns 0 or a negative error. */
int json_put_scopes(struct json_writer *to);

#endif
