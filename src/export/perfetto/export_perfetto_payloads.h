/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads of NVTX's payload extension as nested annotations. */
#ifndef RF_EXPORT_PERFETTO_PAYLOADS_H
#define RF_EXPORT_PERFETTO_PAYLOADS_H

#include "export/perfetto/export_perfetto_packets.h"

/* The payloads of an event as an annotation with this key. */
void pf_put_payloads(struct pf_writer *to, enum pf_key key, const struct rf_event *event);

#endif
