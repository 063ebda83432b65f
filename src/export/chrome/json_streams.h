/* SPDX-License-Identifier: Apache-2.0 */
/* The tracks of streams. */
#ifndef RF_EXPORT_CHROME_JSON_STREAMS_H
#define RF_EXPORT_CHROME_JSON_STREAMS_H

#include "export/chrome/json_writer.h"

int json_put_streams(struct json_writer *to);

#endif
