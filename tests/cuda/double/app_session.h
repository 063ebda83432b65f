/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a program that records itself: sessions of a recorder in standby. */
#ifndef RF_TESTS_DOUBLE_APP_SESSION_H
#define RF_TESTS_DOUBLE_APP_SESSION_H

void app_stand_by(const char *value);     /* before any annotation */
void app_begin_session(const char *name); /* in ./NAME.rfdir, with CUDA */
void app_end_session(const char *value);
void app_repeat_sessions(const char *name); /* NAME:N: N of them, on a thread of their own */
void app_join_sessions(const char *value);

#endif
