/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/json_lanes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

void rf_lanes_begin_thread(struct rf_lanes *lanes)
{
    for (int i = 0; i < lanes->n_lanes; i++) {
        lanes->lanes[i].n = 0;
        lanes->lanes[i].tid = 0;
    }
    lanes->n_lanes = 1;
}

static bool push_end(struct rf_lane *lane, int64_t end_ns)
{
    if (rf_grow_array(&lane->ends, lane->n, &lane->capacity, sizeof(*lane->ends)) != RF_OK)
        return false;
    lane->ends[lane->n++] = end_ns;
    return true;
}

int rf_lanes_place(struct rf_lanes *lanes, int64_t start_ns, int64_t end_ns, struct rf_err *err)
{
    for (int i = 0; i < RF_MAX_LANES; i++) {
        struct rf_lane *lane = &lanes->lanes[i];
        while (lane->n > 0 && lane->ends[lane->n - 1] <= start_ns)
            lane->n--;
        if (lane->n > 0 && lane->ends[lane->n - 1] < end_ns)
            continue;
        if (i >= lanes->n_lanes)
            lanes->n_lanes = i + 1;
        return push_end(lane, end_ns) ? i : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    return RF_MAX_LANES;
}

void rf_lanes_release(struct rf_lanes *lanes)
{
    for (size_t i = 0; i < RF_MAX_LANES; i++)
        free(lanes->lanes[i].ends);
    memset(lanes, 0, sizeof(*lanes));
}
