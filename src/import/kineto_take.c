/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_take.h"

#include <string.h>

#include "import/kineto_counters.h"
#include "import/kineto_events.h"
#include "import/kineto_places.h"
#include "import/kineto_work.h"

/* ---- What is left out ---- */

static bool has_time(struct kineto_load *load, const struct kineto_item *item)
{
    if (kineto_has_no_time(item)) {
        kineto_skip_several(load, item, "no ts: left out", UINT64_C(1) + item->n_like);
        return false;
    }
    if (item->start_ns < KINETO_FIRST_NS || item->start_ns >= KINETO_LAST_NS) {
        kineto_skip(load, item, "starts at no possible time: left out");
        return false;
    }
    return true;
}

static bool is_text(const struct kineto_text *text, const char *word)
{
    return text->at != NULL && text->size == strlen(word) &&
           memcmp(text->at, word, text->size) == 0;
}

/* When the profiler itself began and ended: Kineto gives these marks pids of their own. */
static bool is_of_profiler(const struct kineto_item *item)
{
    return item->category.at == NULL &&
           (is_text(&item->pid.text, "Traces") || is_text(&item->pid.text, ""));
}

/* ---- By phase ---- */

static int take_complete(struct kineto_load *load, const struct kineto_item *item,
                         struct kineto_work *work)
{
    if (item->role == KINETO_PROJECTED || item->role == KINETO_SPAN)
        return RF_OK; /* what work lies under a range is found anew */
    if (item->role == KINETO_OVERHEAD)
        return kineto_take_overhead(load, item);
    if (work == NULL)
        return kineto_take_range(load, item);
    return kineto_is_call(item->role) ? kineto_take_call(load, item, work)
                                      : kineto_take_work(load, item, work);
}

static int take_timed(struct kineto_load *load, const struct kineto_item *item,
                      struct kineto_work *work)
{
    switch (item->phase) {
    case 'X':
        return take_complete(load, item, work);
    case 'B':
        return kineto_take_begin(load, item);
    case 'E':
        return kineto_take_end(load, item);
    case 'b':
    case 'S':
        return kineto_take_start(load, item);
    case 'e':
    case 'F':
        return kineto_take_stop(load, item);
    case 'i':
    case 'I':
    case 'R':
    case 'n':
        return is_of_profiler(item) ? RF_OK : kineto_take_mark(load, item);
    default:
        kineto_skip(load, item, item->phase == 0 ? "no ph: left out" : "ph that is not read");
        return RF_OK;
    }
}

static int take_item(struct kineto_load *load, const struct kineto_part *part,
                     const struct kineto_item *item)
{
    struct kineto_work *work = item->work != RF_NO_INDEX ? &part->work[item->work] : NULL;
    if (item->phase == 'M')
        return kineto_take_name(load, item);
    if (!item->pid.is_there)
        kineto_skip(load, item, "no pid: shown in process 0");
    if ((item->flags & KINETO_ODD_NUMBER) != 0)
        kineto_skip(load, item, "number that its place cannot hold: left out");
    return item->phase == 'C' ? RF_OK : take_timed(load, item, work);
}

int kineto_take_part(struct kineto_load *load, const struct kineto_part *part)
{
    size_t sample = 0; /* the next one: they stand in the order of their events */
    int status = part->is_out_of_memory ? nsys_no_memory(&load->model) : RF_OK;
    for (uint32_t i = 0; i < part->n_items && status == RF_OK; i++) {
        const struct kineto_item *item = &part->item[i];
        const bool is_taken = item->phase == 'M' || has_time(load, item);
        if (is_taken)
            status = take_item(load, part, item);
        for (; sample < part->n_samples && part->sample[sample].item == i; sample++)
            if (is_taken && status == RF_OK)
                status = kineto_take_sample(load, item, &part->sample[sample]);
    }
    return status;
}
