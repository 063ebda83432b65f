/* SPDX-License-Identifier: Apache-2.0 */
/* The durations of steps, one behind the other. */
#ifndef RF_PAGE_PAGE_STEPS_H
#define RF_PAGE_PAGE_STEPS_H

#include "base/sink.h"
#include "summary/steps.h"

/* Writes the section of the page: the names of steps with most time, each with the thread that has
 * most of them. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_page_steps_put(const rf_recording *rec, const struct rf_steps *steps, struct rf_sink *sink);

#endif
