/* SPDX-License-Identifier: Apache-2.0 */
/* Counters. */
#ifndef RF_EXPORT_CHROME_JSON_COUNTERS_H
#define RF_EXPORT_CHROME_JSON_COUNTERS_H

#include "export/chrome/json_writer.h"

int json_put_counters(struct json_writer *to);

#endif
