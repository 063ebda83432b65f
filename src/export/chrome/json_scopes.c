/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/json_scopes.h"

#include <stdlib.h>

#include "base/error.h"
#include "export/chrome/json_nvtx.h"
#include "export/chrome/json_tracks.h"
#include "export/scoped_events.h"

/* "SCOPE", or "SCOPE: DOMAIN: CATEGORY". */
static void put_track_name(struct json_writer *to)
{
    json_put_inner_name(to, to->scope, "");
    if (to->category == NULL)
        return;
    rf_sink_text(to->sink, ": ");
    json_put_category_words(to, to->category);
}

static int put_track(struct json_writer *to, const struct rf_scoped_event *scoped, size_t n)
{
    int status = RF_OK;
    to->scope = scoped->scope;
    to->category = scoped->has_category ? scoped->event : NULL;
    json_begin_track(to, to->ids.pids[scoped->process], 0, json_next_place(to), put_track_name);
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        to->thread = scoped[i].thread;
        status = json_put_event(to, scoped[i].event);
        if (status == RF_OK)
            status = json_next_item(to);
    }
    return status;
}

int json_put_scopes(struct json_writer *to)
{
    struct rf_scoped_events scoped;
    if (!to->has_scopes)
        return RF_OK;
    int status = rf_find_scoped_events(to->rec, to->by_category, &scoped);
    if (status != RF_OK)
        (void)rf_fail(to->job->err, status, "out of memory");
    for (size_t i = 0, end; i < scoped.n && status == RF_OK; i = end) {
        end = rf_scoped_track_end(&scoped, i);
        status = put_track(to, &scoped.event[i], end - i);
    }
    free(scoped.event);
    to->scope = RF_NO_STRING;
    return status;
}
