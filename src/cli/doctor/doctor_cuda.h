/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA, without initialising it: its driver, the library that records it, who else wants to record
 * it, who may read the GPU's counters. */
#ifndef RF_CLI_DOCTOR_DOCTOR_CUDA_H
#define RF_CLI_DOCTOR_DOCTOR_CUDA_H

struct doctor_finding;

void doctor_check_cuda(struct doctor_finding *finding);
void doctor_check_cupti(struct doctor_finding *finding);
void doctor_check_cuda_injection(struct doctor_finding *finding);
void doctor_check_gpu_counters(struct doctor_finding *finding);

#endif
