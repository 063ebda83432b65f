/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that say why CUDA is not recorded. */
#ifndef RF_CUDA_CUDA_MESSAGES_H
#define RF_CUDA_CUDA_MESSAGES_H

/* "CUDA is not recorded: A 'B' C"; b and c may be NULL. */
void rf_cuda_report_off(const char *a, const char *b, const char *c);

/* No libcupti could be loaded. */
void rf_cuda_report_no_library(void);

/* CUPTI returned this when we subscribed to it. */
void rf_cuda_report_result(int result);

#endif
