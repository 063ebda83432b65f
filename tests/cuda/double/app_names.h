/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_TESTS_DOUBLE_APP_NAMES_H
#define RF_TESTS_DOUBLE_APP_NAMES_H

void app_name_stream(void *stream, const char *name);
void app_name_event(void *event, const char *name);
void app_name_device(int device, const char *name);
/* The current one. */
void app_name_context(const char *name);

#endif
