/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as windows of time. */
#include "model/filter/filter_nvtx.h"

#include "base/error.h"
#include "model/filter/filter_windows.h"
#include "model/filter/range_search.h"
#include "model/filter/selected.h"
#include "model/recording.h"

int rf_filter_add_ranges(struct rf_filter *filter, const rf_recording *rec, const char *text,
                         struct rf_err *err)
{
    struct rf_found_ranges found;
    const struct rf_selected *selected = rec->selected;
    if (selected != NULL && selected->has_windows) {
        int added = RF_OK;
        filter->has_windows = true;
        for (size_t i = 0; i < selected->n_windows && added == RF_OK; i++)
            added = rf_filter_add_window(filter, selected->window[i].begin_ns,
                                         selected->window[i].end_ns, err);
        return added;
    }
    int status = rf_find_ranges(rec, text, filter->keeps_process, &found, err);
    filter->has_windows = true;
    for (size_t i = 0; i < found.n && status == RF_OK; i++)
        status = rf_filter_add_window(filter, found.range[i].start_ns, found.range[i].end_ns, err);
    rf_found_ranges_release(&found);
    return status;
}
