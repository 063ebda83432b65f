/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_TESTS_DOUBLE_APP_RANGES_H
#define RF_TESTS_DOUBLE_APP_RANGES_H

/* SLOT:NAME: a start/end range. SLOT: its end; on a thread of its own. */
void app_start_range(const char *value);
void app_end_range(const char *value);
void app_end_range_elsewhere(const char *value);

/* NAME: a push/pop range of a domain of its own. */
void app_push_in(const char *value);
void app_pop_in(const char *value);

/* VALUE:NAME: a push/pop range with a number as its payload. */
void app_push_value(const char *value);

/* NAME: a push/pop range of the domain NCCL, with the payload that NCCL gives an AllReduce. */
void app_push_nccl(const char *value);
void app_pop_nccl(const char *value);

#endif
