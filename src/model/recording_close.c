/* SPDX-License-Identifier: Apache-2.0 */
#include "model/recording_close.h"

#include <stdlib.h>

#include "base/map.h"
#include "model/collectives/streamed_collectives.h"
#include "model/gpu/gpu_places.h"
#include "model/filter/selected.h"
#include "model/load/samples.h"
#include "model/payload/nvtx_definitions.h"
#include "model/payload/payload_sets.h"
#include "model/sums/launch_sums.h"
#include "model/sums/projected_sums.h"
#include "model/sums/range_sums.h"
#include "model/sums/work_sums.h"
#include "model/strings.h"

void rf_recording_release_work(rf_recording *rec)
{
    for (uint32_t i = 0; i < rec->n_threads && rec->calls != NULL; i++)
        free(rec->calls[i].call);
    free(rec->calls);
    free(rec->gpu);
    rf_gpu_places_release(&rec->places);
    free(rec->track);
    free(rec->op);
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
        free(rec->detail[kind].detail);
    free(rec->grid_id);
    free(rec->extra);
    free(rec->extra_value);
    free(rec->counter);
    free(rec->counter_origin);
    rf_samples_release(rec);
    free(rec->skipped);
}

static void release_sums(struct rf_sums *sums)
{
    if (sums != NULL)
        rf_sums_release(sums);
    free(sums);
}

/* A filtered recording shares some arrays with its source. */
static void release_filtered(rf_recording *rec)
{
    const rf_recording *source = rec->source;
    for (uint32_t i = 0; i < rec->n_threads; i++) {
        free(rec->events[i].memory);
        if (rec->calls != NULL)
            free(rec->calls[i].call);
    }
    if (rec->sums != source->sums)
        release_sums(rec->sums);
    if (rec->named_work != source->named_work)
        release_sums(rec->named_work);
    if (rec->projected_sums != NULL && rec->projected_sums != source->projected_sums) {
        free(rec->projected_sums->ranges);
        free(rec->projected_sums);
    }
    if (rec->paths != source->paths)
        release_sums(rec->paths);
    if (rec->process != source->process)
        free(rec->process);
    if (rec->domain != source->domain)
        free(rec->domain);
    if (rec->domain_parent != source->domain_parent)
        free(rec->domain_parent);
    if (rec->category.entry != source->category.entry)
        rf_map_release(&rec->category);
    free(rec->thread);
    free(rec->events);
    free(rec->start_end);
    free(rec->calls);
    free(rec->gpu);
    rf_gpu_places_release(&rec->places);
    free(rec->track);
    free(rec->op);
    free(rec->extra);
    free(rec->counter);
    free(rec->counter_origin);
    rf_samples_release(rec);
    free(rec);
}

void rf_close(rf_recording *rec)
{
    if (rec == NULL)
        return;
    if (rec->source != NULL) {
        release_filtered(rec);
        return;
    }
    for (uint32_t i = 0; i < rec->n_threads; i++)
        free(rec->events[i].memory);
    rf_recording_release_work(rec);
    free(rec->path);
    free(rec->process);
    free(rec->list);
    free(rec->thread);
    free(rec->events);
    free(rec->domain);
    free(rec->domain_parent);
    free(rec->start_end);
    free(rec->capture);
    rf_map_release(&rec->category);
    rf_nvtx_definitions_free(rec->nvtx);
    rf_payloads_free(rec->payloads);
    release_sums(rec->sums);
    release_sums(rec->paths);
    rf_selected_free(rec->selected);
    release_sums(rec->named_work);
    if (rec->work_sums != NULL)
        rf_work_sums_release(rec->work_sums);
    free(rec->work_sums);
    free(rec->work_counts);
    rf_streamed_collectives_free(rec->collectives);
    if (rec->projected_sums != NULL)
        rf_projected_sums_release(rec->projected_sums);
    free(rec->projected_sums);
    if (rec->launch_sums != NULL)
        rf_launch_sums_release(rec->launch_sums);
    free(rec->launch_sums);
    rf_strings_release(&rec->strings);
    free(rec);
}
