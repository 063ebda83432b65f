/* SPDX-License-Identifier: Apache-2.0 */
/* What annotations hold. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_NVTX_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_NVTX_H

#include "export/perfetto/export_perfetto_fields.h"

/* The fields of ranges and marks. Their words are keys that every writer has. */
struct pf_annotations {
    struct pf_fields attributes[RF_EVENT_MARK + 1];
    struct pf_fields range[RF_EVENT_START_END + 1]; /* what ranges have besides */
};

void pf_annotations_init(struct pf_annotations *annotations, struct pf_writer *to);

/* What an annotation of the program holds, but for its name, as annotations of a track event. */
void pf_put_nvtx_details(struct pf_writer *to, uint32_t thread, const struct rf_event *event);

/* All of it: a range's begin, or a mark. */
int pf_put_annotation(struct pf_writer *to, enum pf_event_type type, uint64_t uuid, uint32_t thread,
                      const struct rf_event *event);

#endif
