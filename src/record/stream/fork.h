/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_RECORD_STREAM_FORK_H
#define RF_RECORD_STREAM_FORK_H

/* Registers what a fork in the middle of an annotation needs. */
void rf_fork_watch(void);

#endif
