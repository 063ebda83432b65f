/* SPDX-License-Identifier: Apache-2.0 */
/* What an annotation is called, for itself and for what refers to it. */
#ifndef RF_EXPORT_CHROME_JSON_NAMES_H
#define RF_EXPORT_CHROME_JSON_NAMES_H

#include "export/chrome/json_writer.h"

/* The member "name". */
void json_put_event_name(struct json_writer *to, const struct rf_event *event);

/* The argument "domain", unless it is the default domain. */
void json_put_domain_arg(struct json_writer *to, const struct rf_event *event, int *n_args);

#endif
