/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Silent domains: handles that a tool gives for domains whose events it does not want. They are in
 * no program's memory, so that no tool gives one for another reason. The inline functions of events
 * do not call a tool with them, and return what they return without a tool. Private to
 * include/nvtx3, and to Rangefinder's recorder, which gives them.
 */
#ifndef RF_NVTX_SILENT_H
#define RF_NVTX_SILENT_H

#define RF_NVTX_SILENT_DOMAIN    (~NVTX_STATIC_CAST(uintptr_t, 0x1fffff))
#define RF_NVTX_N_SILENT_DOMAINS 0x100000

#define RF_NVTX_IS_SILENT(domain)                                                                  \
    (NVTX_REINTERPRET_CAST(uintptr_t, domain) - RF_NVTX_SILENT_DOMAIN < RF_NVTX_N_SILENT_DOMAINS)

#endif /* RF_NVTX_SILENT_H */
