/* SPDX-License-Identifier: Apache-2.0 */
/* Causes in words. */
#ifndef RF_STATS_WHY_WORDS_H
#define RF_STATS_WHY_WORDS_H

#include "base/sink.h"
#include "rangefinder/why.h"

/* Writes where a cause is, "in 'load > read' itself", as a part of a line. */
void rf_why_put_where(struct rf_sink *sink, const struct rf_why_cause *cause);

#endif
