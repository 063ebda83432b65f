/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA in the sessions of a recorder in standby. */
#ifndef RF_CUDA_CUDA_STANDBY_H
#define RF_CUDA_CUDA_STANDBY_H

/* cuInit() is at work: attaches to the session that is on, if it wants CUDA. */
void rf_cuda_join_session(void);

#endif
