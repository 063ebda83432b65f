/* SPDX-License-Identifier: Apache-2.0 */
/* The LTTng-UST events that stand for a push with a text and a pop. lttng-ust includes this file
 * several times, each time with other meanings of its macros. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER rf_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_provider.h"

#if !defined(RF_BENCH_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define RF_BENCH_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(rf_bench, push, LTTNG_UST_TP_ARGS(const char *, text),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_string(text, text)))
LTTNG_UST_TRACEPOINT_EVENT(rf_bench, pop, LTTNG_UST_TP_ARGS(void), LTTNG_UST_TP_FIELDS())

#endif

#include <lttng/tracepoint-event.h>
