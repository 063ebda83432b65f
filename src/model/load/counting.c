/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/counting.h"

#include "log/part_counts.h"
#include "model/load/summing.h"
#include "model/load/timeline.h"

/* Whether what this part ends with may go on in the next one: with payloads of its last event. */
static bool is_continued(const struct rf_stream_cursor *cursor)
{
    return cursor->part != cursor->part_end && rf_part_first_type(cursor->part) == RF_REC_DATA;
}

/* The recording's domains of those in the counts. Returns false if two of them are one. */
static bool find_domains(struct rf_decoder *d, const struct rf_load_thread *thread,
                         const struct rf_part_counts *counts, uint32_t *domain)
{
    for (uint32_t i = 0; i < counts->n_domains; i++) {
        domain[i] = rf_decode_domain(d, thread, counts->domain[i].handle);
        for (uint32_t k = 0; k < i; k++)
            if (domain[k] == domain[i])
                return false;
    }
    return true;
}

/* What the part comes to: as the file says, or counted here. */
static bool count(struct rf_part_counts *counts, struct rf_stream_cursor *cursor)
{
    const struct rf_log_part *part = cursor->part - 1;
    if (part->counts != NULL)
        return rf_part_counts_read(counts, part->counts, part->size);
    rf_stream_open_part(cursor);
    return rf_part_count(counts, part->ticks, cursor->at, (uint64_t)(cursor->end - cursor->at));
}

/* Ranges that are open behind the part stand for themselves, without a name. */
static void take_domain(struct rf_decoder *d, struct rf_load_thread *thread,
                        const struct rf_count_domain *counts, uint32_t domain, int64_t ns)
{
    for (uint32_t i = 0; i < counts->n_pops; i++)
        rf_decode_pop(d, thread, domain, ns);
    for (uint32_t i = 0; i < counts->n_open && !d->is_out_of_memory; i++)
        rf_decode_push(d, thread, domain, ns);
    rf_sum_counted(d, thread, domain, counts->n_ranges, counts->n_marks);
}

bool rf_count_part(struct rf_decoder *d, struct rf_load_thread *thread,
                   struct rf_stream_cursor *cursor)
{
    const struct rf_load *load = d->load;
    const bool is_at_begin =
        cursor->is_pending || cursor->at == cursor->begin + RF_PART_RECORDS_OFFSET;
    uint32_t domain[RF_PART_DOMAINS];
    struct rf_part_counts counts;
    if (load->n_destroys > 0 || !is_at_begin || is_continued(cursor) || !count(&counts, cursor) ||
        !find_domains(d, thread, &counts, domain))
        return false;
    int64_t last_ns = rf_timeline_ns(&load->timeline, &d->line, counts.last_ticks);
    int64_t first_ns = counts.first_event_ticks != UINT64_MAX
                           ? rf_timeline_ns(&load->timeline, &d->line, counts.first_event_ticks)
                           : last_ns;
    if (counts.first_event_ticks != UINT64_MAX &&
        (thread->n_summed == 0 || first_ns < thread->first_event_ns))
        thread->first_event_ns = first_ns;
    for (uint32_t i = 0; i < counts.n_domains; i++)
        take_domain(d, thread, &counts.domain[i], domain[i], first_ns);
    /* a part without records only begins */
    const bool has_records =
        counts.first_event_ticks != UINT64_MAX || counts.last_ticks > cursor->ticks;
    if (has_records && last_ns > thread->last_ns)
        thread->last_ns = last_ns;
    rf_stream_skip_part(cursor);
    cursor->ticks = counts.last_ticks;
    return true;
}
