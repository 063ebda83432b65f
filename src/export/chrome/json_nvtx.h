/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations of threads. */
#ifndef RF_EXPORT_CHROME_JSON_NVTX_H
#define RF_EXPORT_CHROME_JSON_NVTX_H

#include "export/chrome/json_writer.h"

/* What is on a thread: its annotations and calls, and the tracks of its categories. */
int json_put_thread(struct json_writer *to, uint32_t thread);

/* An event of to->thread on the track that was begun. */
int json_put_event(struct json_writer *to, const struct rf_event *event);

/* "DOMAIN: CATEGORY", without the default domain, as text inside quotes. */
void json_put_category_words(struct json_writer *to, const struct rf_event *event);

#endif
