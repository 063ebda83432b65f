/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations on tracks of their categories. */
#ifndef RF_EXPORT_CHROME_JSON_CATEGORIES_H
#define RF_EXPORT_CHROME_JSON_CATEGORIES_H

#include "export/chrome/json_writer.h"

/* Whether an annotation is on such a track, and all of a thread that are. Behind
 * json_put_thread(). */
bool json_has_category_track(const struct json_writer *to, const struct rf_event *event);
int json_put_categories(struct json_writer *to, uint32_t thread);

#endif
