/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong last in a thread, in words: NVTXW itself has numbers only. */
#ifndef RF_NVTXW_NVTXW_ERROR_H
#define RF_NVTXW_NVTXW_ERROR_H

/* Keeps the text and returns the result. */
int nvtxw_fail(int result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "": nothing went wrong so far. */
const char *nvtxw_error(void);

#endif
