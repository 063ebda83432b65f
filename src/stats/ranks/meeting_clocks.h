/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of the hosts of a job, put side by side by the ends of its collectives. */
#ifndef RF_STATS_RANKS_MEETING_CLOCKS_H
#define RF_STATS_RANKS_MEETING_CLOCKS_H

#include "stats/ranks/meetings.h"

/* Moves the times of the members onto the clock of the first rank's host, and fills clocks, if all
 * hosts have a place there that can be trusted. RF_OK or RF_ERR_NO_MEMORY. */
int rf_meetings_align(struct rf_meetings *meetings, const struct rf_job_ranks *job,
                      const rf_summary *summary);

/* A time by the clock of a rank, on that of the first rank's host; as it is where no clocks were
 * put side by side. */
int64_t rf_meeting_clocks_ns(const struct rf_meeting_clocks *clocks, uint32_t rank, int64_t ns);

/* Whether nobody leaves the operation before the last one has come, and everybody then. */
bool rf_meeting_is_anchor(const struct rf_meeting *meeting, const rf_summary *summary);

#endif
